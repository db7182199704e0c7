package notify

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// share makes an io_uring a second owner of fd and returns it, or -1. Nothing
// is ever submitted to it: it is for the end. Whoever closes an inotify
// instance last, be it by exiting, waits until no CPU can use its marks any
// more (fsnotify_destroy_group), 5 to 20 ms in which the process still seems
// to run. A ring lets go of its files in a kernel worker, behind our back.
//
// Without a ring the end is late, no more: a seccomp filter is not provoked,
// and kernels before 5.1 or with io_uring disabled refuse.
func share(fd int) int {
	if mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil || mode != 0 {
		return -1
	}
	const registerFiles = 2 // IORING_REGISTER_FILES
	var params [120]byte    // struct io_uring_params, all defaults
	ring, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	if errno != 0 {
		return -1
	}
	files := [1]int32{int32(fd)}
	_, _, errno = unix.Syscall6(unix.SYS_IO_URING_REGISTER, ring, registerFiles, uintptr(unsafe.Pointer(&files)), 1, 0, 0)
	if errno != 0 {
		unix.Close(int(ring))
		return -1
	}
	return int(ring)
}
