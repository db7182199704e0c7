//go:build unix

package applet

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// survivor writes to what f does, and a reader that left is an error of the
// write: an exit code must not depend on whether somebody still reads. Go ends
// a process whose write to descriptor 1 or 2 breaks, unless it catches SIGPIPE,
// which takes two threads; of other descriptors it does not.
func survivor(f *os.File, fd int) *os.File {
	const first = 3
	other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, first)
	if err != nil { // it is closed, or there is no room
		return f
	}
	return os.NewFile(uintptr(other), f.Name())
}

// hungUp waits until nobody can read any more what is written to f; false
// means that the kernel cannot tell.
func hungUp(f *os.File) bool {
	for {
		// No events: POLLERR and POLLHUP are always reported.
		fds := []unix.PollFd{{Fd: int32(f.Fd())}}
		_, err := unix.Poll(fds, -1)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
		}
	}
}
