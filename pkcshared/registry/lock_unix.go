//go:build unix

package registry

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func createLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// tryLock takes the lock of f without waiting; false without an error means
// that it conflicts with another. It is flock, which belongs to the open file,
// and never fcntl, whose lock goes when any descriptor of the file is closed.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, err
		}
	}
}
