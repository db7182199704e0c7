package proc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// From sys/proc_info.h: struct proc_vnodepathinfo is two vnode_info_path, the
// first for the working directory; each is a vnode_info and a path.
const (
	callPIDInfo    = 2 // PROC_INFO_CALL_PIDINFO
	pidVnodePath   = 9 // PROC_PIDVNODEPATHINFO
	vnodeInfoSize  = 152
	pathSize       = 1024 // MAXPATHLEN
	vnodePathsSize = 2 * (vnodeInfoSize + pathSize)
)

var (
	errDir     = errors.New("the system does not tell its working directory")
	errCommand = errors.New("malformed answer of kern.procargs2")
)

// Owner returns the effective user id of a process.
func Owner(pid int) (int, error) {
	k, err := kinfo(pid)
	if err != nil {
		return 0, err
	}
	return int(k.Eproc.Ucred.Uid), nil
}

// Dir returns the working directory of a process, by its name in the kernel.
func Dir(pid int) (string, error) {
	var buf [vnodePathsSize]byte
	n, _, errno := unix.Syscall6(unix.SYS_PROC_INFO, callPIDInfo, uintptr(pid), pidVnodePath, 0,
		uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	if errno == unix.ESRCH {
		return "", ErrGone
	}
	if errno != 0 {
		return "", errno
	}
	dir := unix.ByteSliceToString(buf[vnodeInfoSize : vnodeInfoSize+pathSize])
	if n != uintptr(len(buf)) || dir == "" {
		return "", errDir
	}
	return dir, nil
}

// Command returns the command line of a process, its arguments joined by
// spaces.
func Command(pid int) (string, error) {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return "", err
	}
	return parseArgs(b)
}

// parseArgs reads a count, the executable's path, padding, and then that many
// arguments, each ended by NUL; the environment follows.
func parseArgs(b []byte) (string, error) {
	if len(b) < 4 {
		return "", errCommand
	}
	count := int(binary.NativeEndian.Uint32(b))
	_, rest, ok := bytes.Cut(b[4:], []byte{0})
	if !ok {
		return "", errCommand
	}
	rest = bytes.TrimLeft(rest, "\x00")
	var args [][]byte
	for len(args) < count {
		arg, after, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return "", errCommand
		}
		args, rest = append(args, arg), after
	}
	return string(bytes.Join(args, []byte{' '})), nil
}
