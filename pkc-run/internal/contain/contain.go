// Package contain keeps one command and everything it starts inside an
// operating-system container, and ends all of it.
//
// A Group is created empty. The child is inside before its first instruction,
// what it starts is born inside, and Kill leaves nothing alive.
package contain

import (
	"errors"
	"fmt"
	"time"

	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/proc"
)

// The mechanisms a Group can report.
const (
	CgroupV2     = "cgroup_v2"
	ProcessGroup = "process_group"
	JobObject    = "job_object"

	ProcessReaper = "process_reaper" // FreeBSD
)

// EnvMechanism names the environment variable that can force the weaker
// mechanism. It can only weaken: asking for more than the host has is refused.
const EnvMechanism = "PROCESSKIT_CLI_MECHANISM"

// Limits caps a whole tree. A zero field is uncapped.
type Limits struct {
	Memory    uint64  // bytes
	Processes uint32  // tasks: the kernel counts threads too
	CPU       float64 // cores
}

// Any reports whether anything is capped.
func (l Limits) Any() bool { return l != Limits{} }

// first names the axis a refusal is reported for.
func (l Limits) first() string {
	switch {
	case l.Memory > 0:
		return event.LimitMemory
	case l.Processes > 0:
		return event.LimitProcesses
	}
	return event.LimitCPU
}

// LimitError says which cap cannot be applied here, and why.
type LimitError struct {
	Limit string // an axis of event.LimitHit
	Err   error
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the %s cap cannot be applied: %v", e.Limit, e.Err)
}

func (e *LimitError) Unwrap() error { return e.Err }

// Command is what to start. The child gets Stdio, and what its caller let us
// inherit, as it would by a direct exec; nothing else.
type Command struct {
	Path string // the file to execute, relative to Dir
	Argv []string
	Env  []string
	Dir  string // "" is the runner's own
	// Stdio are the child's descriptors 0 to 2.
	Stdio [3]uintptr
	// Terminal is the runner's descriptor of the terminal to give the child
	// before it executes, or -1.
	Terminal int
	// JobControl asks for Child.Stopped.
	JobControl bool
	// NoWindow keeps a console window from the child, and CtrlBreak has
	// SoftStop send it CTRL_BREAK; both on Windows.
	NoWindow, CtrlBreak bool
}

// Status is how the root child ended.
type Status struct {
	Code   int
	Signal int   // 0 unless a signal killed it
	Err    error // the child was lost from view; the rest says nothing
}

// Child is the root of the tree.
type Child struct {
	PID int
	// Exited delivers the child's end once. The child stays a zombie until
	// SoftStop or Kill, so that nobody else can get its number meanwhile.
	Exited <-chan Status
	// Stopped delivers each stop of the child, if that was asked for.
	Stopped <-chan struct{}
}

// Usage is what the tree has consumed so far; nil where nothing measures it.
type Usage struct {
	PeakMemory, CPUMillis, IORead, IOWrite, PeakProcesses *uint64
}

// Reach is whom SoftStop asks to end, and how.
type Reach struct {
	Scope string // of event.Shutdown
	By    string // such as SIGTERM; empty where nobody can be asked
}

// Evidence says for each cap whether the tree ran into it.
type Evidence struct {
	Memory, Processes, CPU string // verdicts of event.LimitEvidence
}

// Group is a container. Its methods are for one goroutine.
type Group interface {
	// Mechanism is one of the above.
	Mechanism() string
	// Spawn starts the root child, once.
	Spawn(Command) (*Child, error)
	// Members lists the living, in pid order.
	Members() ([]proc.Info, error)
	// Reach looks whom SoftStop can ask, before it does.
	Reach() Reach
	// SoftStop asks the members to end: by SIGTERM, which also wakes the
	// stopped ones, where there are signals. Called again, it asks those that
	// it missed, but not what members have started since in order to end well.
	SoftStop() error
	// WaitEmpty waits until no member lives, at most d.
	WaitEmpty(d time.Duration) bool
	// Kill kills until no member lives, for at most d.
	Kill(d time.Duration) error
	// Usage tells what the tree has used, given who lives of it.
	Usage(living []proc.Info) Usage
	Evidence() Evidence
	// Close gives back what Create made. The tree must be gone.
	Close() error
}

// ErrAttach says that the child could not be joined to the container.
var ErrAttach = errors.New("cannot start a process inside the container")

// ErrForeground says that the child could not be given the terminal, and so
// was not executed.
var ErrForeground = errors.New("cannot give the terminal to the program")

var errSurvivors = errors.New("some members outlived the kill")

// Create makes an empty container, the strongest that the host allows. With
// caps it makes one that enforces all of them, or fails with a LimitError.
//
// launcher is the process that waits for this one to start, or 0: where only
// we may be in a cgroup, it goes where we go.
//
// Before anything is made, before is called once with the directory that a
// crash from then on may leave behind, or "".
func Create(l Limits, launcher int, before func(leaf string)) (Group, error) {
	told := false
	g, err := create(l, launcher, func(leaf string) {
		told = true
		before(leaf)
	})
	if err == nil && !told {
		before("")
	}
	return g, err
}
