package control

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// macOS cannot set the flags in the same call: the lock keeps a fork out.

func socket() (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	return prepared(fd, err)
}

func acceptFD(fd int) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	for {
		n, _, err := unix.Accept(fd)
		if err != unix.EINTR && err != unix.ECONNABORTED {
			return prepared(n, err)
		}
	}
}

func prepared(fd int, err error) (int, error) {
	if err != nil {
		return -1, err
	}
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}
