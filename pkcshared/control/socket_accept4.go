//go:build linux || freebsd

package control

import "golang.org/x/sys/unix"

func socket() (int, error) {
	return unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
}

func acceptFD(fd int) (int, error) {
	for {
		n, _, err := unix.Accept4(fd, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
		if err != unix.EINTR && err != unix.ECONNABORTED {
			return n, err
		}
	}
}
