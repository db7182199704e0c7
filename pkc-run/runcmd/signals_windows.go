package runcmd

import (
	"os"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/windows"

	"processkit-cli/pkcshared/text"
)

// consoleEvent is what a console tells its processes, wincon.h.
type consoleEvent uint32

const (
	ctrlC        consoleEvent = windows.CTRL_C_EVENT
	ctrlBreak    consoleEvent = windows.CTRL_BREAK_EVENT
	ctrlClose    consoleEvent = windows.CTRL_CLOSE_EVENT
	ctrlLogoff   consoleEvent = windows.CTRL_LOGOFF_EVENT
	ctrlShutdown consoleEvent = windows.CTRL_SHUTDOWN_EVENT
)

const stopKinds = 1

// Signal makes a consoleEvent an os.Signal.
func (consoleEvent) Signal() {}

func (e consoleEvent) String() string {
	_, title := signalNames(e)
	return title
}

// signalNames: source names a stop signal in the stream, title on stderr.
func signalNames(s os.Signal) (source, title string) {
	switch s {
	case ctrlBreak:
		return "ctrl_break", "Ctrl-Break"
	case ctrlClose:
		return "ctrl_close", "console closed"
	case ctrlLogoff:
		return "ctrl_logoff", "logoff"
	case ctrlShutdown:
		return "ctrl_shutdown", "shutdown"
	}
	return "ctrl_c", "Ctrl-C"
}

var setConsoleCtrlHandler = windows.NewLazySystemDLL("kernel32.dll").NewProc("SetConsoleCtrlHandler")

// listen puts a handler before that of Go's runtime, which makes one signal of
// Ctrl-C and Ctrl-Break, and one of the rest. A Ctrl-C that the caller has
// disabled for its children stays disabled.
//
// The first event stops the run. A second one is left to the system, which
// ends the runner and so, with the job's handle, the tree.
func (s *signals) listen() error {
	var noted atomic.Bool
	handler := syscall.NewCallback(func(kind uint32) uintptr {
		if noted.Swap(true) {
			return 0
		}
		e := consoleEvent(kind)
		s.c <- e
		if e != ctrlC && e != ctrlBreak {
			select {} // the system ends a process that returns from these
		}
		return 1
	})
	if ok, _, err := setConsoleCtrlHandler.Call(handler, 1); ok == 0 {
		return os.NewSyscallError("SetConsoleCtrlHandler", err)
	}
	return nil
}

// graceLeft: the system gives a process 5 s when its console closes, and the
// teardown needs some of it.
func graceLeft(s os.Signal, grace *text.Millis) *text.Millis {
	most := text.Millis(3000)
	if s == ctrlClose && grace != nil && *grace > most {
		return &most
	}
	return grace
}
