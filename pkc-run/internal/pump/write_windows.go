package pump

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// writeAll writes b whole. A console gets the bytes as the child would have
// written them itself; through File.Write they would have to be UTF-8.
func writeAll(f *os.File, b []byte) error {
	h, err := Descriptor(f)
	if err != nil {
		return err
	}
	var mode uint32
	if windows.GetConsoleMode(windows.Handle(h), &mode) != nil {
		_, err := f.Write(b)
		return err
	}
	const most = 16 << 10 // consoles refuse much more at once
	for len(b) > 0 {
		var n uint32
		if err := windows.WriteFile(windows.Handle(h), b[:min(len(b), most)], &n, nil); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

func awaitFirst(*os.File) {}

// readerLeft tells a reader that went away from a write that failed.
func readerLeft(err error) bool {
	return errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, windows.ERROR_BROKEN_PIPE)
}

// Descriptor is f's handle. Fd would take the file off Go's poller.
func Descriptor(f *os.File) (int, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return -1, err
	}
	fd := -1
	err = raw.Control(func(u uintptr) { fd = int(u) })
	return fd, err
}
