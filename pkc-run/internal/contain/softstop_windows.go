package contain

import (
	"errors"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"

	"processkit-cli/pkcshared/event"
)

// softStop is what a tree can be asked to end by. Windows has no signal that
// every process gets.
type softStop struct {
	ctrlBreak bool // the root child leads a console group of its own
	console   bool // and shares a console with us
	windows   []windows.HWND
	asked     bool
}

// Reach looks for top-level windows of members, and whether there is a console
// to send CTRL_BREAK through.
func (g *job) Reach() Reach {
	s := &g.soft
	if pids, err := g.pids(); err == nil {
		s.windows = topWindows(pids)
	}
	_, err := windows.GetConsoleCP()
	s.console = s.ctrlBreak && err == nil
	var by []string
	if len(s.windows) > 0 {
		by = append(by, "WM_CLOSE")
	}
	if s.console {
		by = append(by, "CTRL_BREAK")
	}
	if len(by) == 0 {
		return Reach{Scope: event.ScopeNone}
	}
	return Reach{event.ScopeOptInMembers, strings.Join(by, " and ")}
}

// SoftStop asks those that Reach found, once: a second WM_CLOSE would answer
// the question that the first made a program ask its user.
func (g *job) SoftStop() error {
	s := &g.soft
	if s.asked {
		return nil
	}
	s.asked = true
	err := errors.New("nobody to ask")
	delivered := false
	note := func(e error) {
		err = e
		delivered = delivered || e == nil
	}
	for _, w := range s.windows {
		note(postClose(w))
	}
	if s.console {
		note(windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.child.PID)))
	}
	if delivered {
		return nil
	}
	return err
}

// topWindows lists the top-level windows of processes. It sees those on the
// desktop of the runner.
func topWindows(pids []uint32) []windows.HWND {
	var found []windows.HWND
	each := syscall.NewCallback(func(w windows.HWND, _ uintptr) uintptr {
		var pid uint32
		_, err := windows.GetWindowThreadProcessId(w, &pid)
		if _, member := slices.BinarySearch(pids, pid); err == nil && member {
			found = append(found, w)
		}
		return 1 // go on
	})
	_ = windows.EnumWindows(each, nil)
	return found
}

// postClose does not wait for the window to answer.
func postClose(w windows.HWND) error {
	const wmClose = 0x0010
	post := windows.NewLazySystemDLL("user32.dll").NewProc("PostMessageW")
	if err := post.Find(); err != nil {
		return err
	}
	if ok, _, err := post.Call(uintptr(w), wmClose, 0, 0); ok == 0 {
		return err
	}
	return nil
}
