package pump

import (
	"errors"
	"os"
	"unicode/utf8"

	"golang.org/x/sys/windows"
)

// writeAll writes b whole. A console shows characters: File.Write takes b for
// UTF-8 there, and what is not that is left to the console's own code page.
func writeAll(f *os.File, b []byte) error {
	h, err := Descriptor(f)
	if err != nil {
		return err
	}
	var mode uint32
	if windows.GetConsoleMode(windows.Handle(h), &mode) != nil || isUTF8(b) {
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

// isUTF8 overlooks a character that is cut at either end of a chunk.
func isUTF8(b []byte) bool {
	const most = utf8.UTFMax - 1
	cut := 0
	for cut < min(most, len(b)) && !utf8.RuneStart(b[cut]) {
		cut++
	}
	if cut == len(b) {
		return cut == 0
	}
	b = b[cut:]
	for i := 1; i <= min(most, len(b)); i++ {
		if tail := b[len(b)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				b = b[:len(b)-i]
			}
			break
		}
	}
	return utf8.Valid(b)
}

// readerLeft tells a reader that went away from a write that failed.
func readerLeft(err error) bool {
	return errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, windows.ERROR_BROKEN_PIPE) ||
		errors.Is(err, windows.ERROR_PIPE_NOT_CONNECTED)
}
