//go:build darwin || freebsd

package pump

import (
	"os"

	"golang.org/x/sys/unix"
)

const fionread = 0x4004667f // FIONREAD, sys/filio.h

// buffered is how many bytes wait in a pipe.
func buffered(f *os.File) int {
	fd, err := Descriptor(f)
	if err != nil {
		return 0
	}
	n, err := unix.IoctlGetInt(fd, fionread)
	if err != nil {
		return 0
	}
	return n
}
