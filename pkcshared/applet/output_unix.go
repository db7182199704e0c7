//go:build unix

package applet

import (
	"errors"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// surviveBrokenPipe turns SIGPIPE into EPIPE: an exit code must not depend on
// whether somebody still reads our streams. The signal is caught, not ignored:
// a caught one is reset in a child.
func surviveBrokenPipe() { signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE) }

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
