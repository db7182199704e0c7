//go:build unix

package pump

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// writeAll writes b whole, also where another holder of the descriptor, such
// as a program on the same terminal, has made it non-blocking meanwhile.
func writeAll(f *os.File, b []byte) error {
	for {
		n, err := f.Write(b)
		if !errors.Is(err, unix.EAGAIN) {
			return err
		}
		b = b[n:]
		fd, err := Descriptor(f)
		if err != nil {
			return err
		}
		await(fd, unix.POLLOUT)
	}
}

// readerLeft tells a reader that went away from a write that failed.
func readerLeft(err error) bool { return errors.Is(err, unix.EPIPE) }

func await(fd int, what int16) {
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: what}}, -1)
}
