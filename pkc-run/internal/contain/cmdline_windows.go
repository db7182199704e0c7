package contain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// commandLine joins argv so that CommandLineToArgvW, and the C runtime, take
// it apart into the same. The first word has rules of its own: a backslash
// means nothing in it and a quotation mark cannot be in it.
func commandLine(argv []string) string {
	var b strings.Builder
	if argv[0] == "" || strings.ContainsAny(argv[0], " \t") {
		b.WriteString(`"` + argv[0] + `"`)
	} else {
		b.WriteString(argv[0])
	}
	for _, a := range argv[1:] {
		b.WriteByte(' ')
		b.WriteString(syscall.EscapeArg(a))
	}
	return b.String()
}

// envBlock is the environment as CreateProcess takes it: sorted by name
// without regard to case, each entry ended by a zero, and one more at the end.
func envBlock(env []string) ([]uint16, error) {
	sorted := slices.Clone(env)
	slices.SortStableFunc(sorted, func(a, b string) int { return CompareNames(nameOf(a), nameOf(b)) })
	var block []uint16
	for _, e := range sorted {
		if strings.IndexByte(e, 0) >= 0 {
			return nil, fmt.Errorf("the value of environment variable %q holds a zero byte", nameOf(e))
		}
		u, err := windows.UTF16FromString(e)
		if err != nil {
			return nil, err
		}
		block = append(block, u...)
	}
	if len(block) == 0 {
		block = append(block, 0)
	}
	return append(block, 0), nil
}

// nameOf cuts an entry at its "=". One at the start is part of the name: the
// system keeps the current directory of drive C under "=C:".
func nameOf(entry string) string {
	if i := strings.IndexByte(entry[min(1, len(entry)):], '='); i >= 0 {
		return entry[:i+1]
	}
	return entry
}

var compareStringOrdinal = windows.NewLazySystemDLL("kernel32.dll").NewProc("CompareStringOrdinal")

// CompareNames orders names of environment variables as Windows does, which
// folds their case: CompareStringOrdinal.
func CompareNames(a, b string) int {
	const equal, toZero = 2, 1<<32 - 1 // CSTR_EQUAL; length -1, an int
	ua, erra := windows.UTF16FromString(a)
	ub, errb := windows.UTF16FromString(b)
	if erra != nil || errb != nil {
		return cmp.Compare(a, b)
	}
	r, _, _ := compareStringOrdinal.Call(uintptr(unsafe.Pointer(&ua[0])), toZero, uintptr(unsafe.Pointer(&ub[0])), toZero, 1)
	return int(r) - equal
}
