package pump

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// buffered is how many bytes wait in a pipe.
func buffered(f *os.File) int {
	h, err := Descriptor(f)
	if err != nil {
		return 0
	}
	var n uint32
	if ok, _, _ := peekNamedPipe.Call(uintptr(h), 0, 0, 0, uintptr(unsafe.Pointer(&n)), 0); ok == 0 {
		return 0
	}
	return int(n)
}
