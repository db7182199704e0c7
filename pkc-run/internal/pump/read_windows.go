package pump

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

func awaitFirst(*os.File) {}

func (s *Stream) block(bool) {}

// read cannot be one with its count: an overlapped read is over in its own time.
func (s *Stream) read(b []byte) (int, error) {
	n, err := s.Source.Read(b)
	s.taken.Add(uint64(n))
	return n, err
}

// due is how much the source has given and holds, and what may be in a hand.
func (s *Stream) due() uint64 {
	const hand = largeBuffer
	return s.taken.Load() + uint64(buffered(s.Source)) + hand
}

// look reports whether some of the source's output is on its way or waits, and
// whether there is none and nobody can write any more.
func (s *Stream) look() (unread, end bool) {
	n, open := peek(s.Source)
	unread = n > 0 || s.taken.Load() != s.moved.Load()
	return unread, !open && !unread
}

// buffered is how many bytes wait in a pipe.
func buffered(f *os.File) int {
	n, _ := peek(f)
	return n
}

// peek also tells whether there is a writer.
func peek(f *os.File) (n int, open bool) {
	h, err := Descriptor(f)
	if err != nil {
		return 0, true
	}
	var waits uint32
	ok, _, err := peekNamedPipe.Call(uintptr(h), 0, 0, 0, uintptr(unsafe.Pointer(&waits)), 0)
	if ok == 0 {
		return 0, !errors.Is(err, windows.ERROR_BROKEN_PIPE)
	}
	return int(waits), true
}
