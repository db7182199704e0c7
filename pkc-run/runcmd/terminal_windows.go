package runcmd

import (
	"os"

	"golang.org/x/sys/windows"
)

// terminal remembers the modes of the consoles that the child gets. A console
// has no foreground group to hand over.
type terminal struct{ modes []consoleMode }

type consoleMode struct {
	console windows.Handle
	mode    uint32
}

// findTerminal returns the caller's consoles, if the child will use them;
// otherwise nil.
func findTerminal(p *Plan, stdin *os.File) *terminal {
	if !p.InheritStdio && !p.InheritStdin {
		return nil
	}
	t := &terminal{}
	t.note(windows.Handle(stdin.Fd()))
	if p.InheritStdio {
		for _, std := range [...]uint32{windows.STD_OUTPUT_HANDLE, windows.STD_ERROR_HANDLE} {
			if h, err := windows.GetStdHandle(std); err == nil {
				t.note(h)
			}
		}
	}
	return t
}

func (t *terminal) note(h windows.Handle) {
	var mode uint32
	if windows.GetConsoleMode(h, &mode) == nil {
		t.modes = append(t.modes, consoleMode{h, mode})
	}
}

func (*terminal) descriptor() int { return -1 }

func (*terminal) given(int) {}

// restore sets the modes that a child may have left changed.
func (t *terminal) restore() {
	if t == nil {
		return
	}
	for _, m := range t.modes {
		_ = windows.SetConsoleMode(m.console, m.mode)
	}
}

func (*terminal) suspend() bool { return false }
