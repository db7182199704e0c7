// Package proc tells which processes exist and who is whose child.
//
// A pid alone names nobody: numbers are reused. A process is its pid together
// with its start time.
package proc

import "errors"

// ErrGone says that the process ended before it could be read.
var ErrGone = errors.New("no such process")

// Info is one process at the moment it was read.
type Info struct {
	PID, PPID, PGID, Session int

	// Name is the executable's name as the kernel keeps it, possibly cut.
	Name string

	// Start is when the process began, in a unit of the platform: clock ticks
	// since boot on Linux, microseconds since the epoch on the BSDs and macOS,
	// 100 ns since 1601 on Windows.
	Start uint64

	// Dead is set for a zombie, which holds a number and nothing else.
	Dead bool

	// Stopped is set while a stop signal holds the process.
	Stopped bool

	// CPUTicks is user and system time of the process and of the children it
	// has waited for, in clock ticks; Linux only.
	CPUTicks uint64
}

// Same reports whether both describe one process.
func (i Info) Same(o Info) bool { return i.PID == o.PID && i.Start == o.Start }
