//go:build unix

package pump

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// awaitFirst waits for the first output, or the end, in Go's poller, for which
// no thread sleeps: many runs never say a word.
func awaitFirst(f *os.File) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Read(func(fd uintptr) bool { return events(int(fd)) != 0 })
}

// block sets whether a call at the source waits. A splice does, since the
// kernel then waits for both its ends. A read does not: it is made under the
// lock.
func (s *Stream) block(on bool) {
	if fd, err := Descriptor(s.Source); err == nil {
		_ = unix.SetNonblock(fd, !on)
	}
}

// read takes what is there, or waits for it.
func (s *Stream) read(b []byte) (int, error) {
	fd, err := Descriptor(s.Source)
	if err != nil {
		return 0, err
	}
	for {
		s.mu.Lock()
		n, err := unix.Read(fd, b)
		s.taken.Add(uint64(max(n, 0)))
		s.mu.Unlock()
		switch {
		case n > 0:
			return n, nil
		case err == nil:
			return 0, io.EOF
		case err == unix.EAGAIN:
			await(fd, unix.POLLIN)
		case err != unix.EINTR:
			return 0, err
		}
	}
}

// due is how much the source has given and holds.
func (s *Stream) due() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken.Load() + uint64(buffered(s.Source))
}

// look reports whether some of the source's output is on its way or waits, and
// whether there is none and nobody can write any more.
func (s *Stream) look() (unread, end bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fd, err := Descriptor(s.Source)
	closed := err == nil && events(fd)&unix.POLLHUP != 0
	waits := buffered(s.Source) > 0 // after closed: nothing can be added then
	unread = waits || s.taken.Load() != s.moved.Load()
	return unread, closed && !unread
}

// events are what poll(2) says of a pipe's read end right now.
func events(fd int) int16 {
	state := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	if n, err := unix.Poll(state, 0); err != nil || n == 0 {
		return 0
	}
	return state[0].Revents
}

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
