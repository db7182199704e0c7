// Package identity reads what tells one process from every other.
//
// A number alone names nobody. Process has all that a stop compares; each
// system reads it in its own way, as exactly as it can.
package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ErrEnded says that there is no such process, or only its zombie.
var ErrEnded = errors.New("the process has ended")

// ErrLate says that a reading took longer than it may.
var ErrLate = errors.New("the reading took too long")

// Process is the identity of a process.
type Process struct {
	PID, PGID int
	Start     Start
	User      string
	UID       int // effective
	Dir       string
}

func (p Process) String() string {
	return fmt.Sprintf("pid %d, group %d, start %s, user %s (%d), directory %q", p.PID, p.PGID, p.Start, p.User, p.UID, p.Dir)
}

// Sample is one full reading of a process.
type Sample struct {
	Process
	Command string // no part of the identity: a program may execute another
}

func (s Sample) String() string { return fmt.Sprintf("%s, command %q", s.Process, s.Command) }

// Kind is the clock that a start time is read from.
type Kind string

// The kinds of start time.
const (
	LinuxTicks    Kind = "linux_ticks"
	DarwinTimeval Kind = "darwin_timeval"
	PSSeconds     Kind = "ps_seconds"
)

// Start is when a process began. Two of them are equal only if all is.
type Start struct {
	Kind   Kind
	Ticks  string // linux_ticks: field 22 of /proc/PID/stat
	BootID string // linux_ticks: the boot that they count from
	Sec    int64  // darwin_timeval; ps_seconds: since the epoch
	Usec   int64  // darwin_timeval
}

func (s Start) String() string {
	switch s.Kind {
	case LinuxTicks:
		return s.Ticks + " ticks of boot " + s.BootID
	case DarwinTimeval:
		return fmt.Sprintf("%d.%06d", s.Sec, s.Usec)
	}
	return fmt.Sprintf("%ds", s.Sec)
}

// MarshalJSON writes the fields that the kind has.
func (s Start) MarshalJSON() ([]byte, error) {
	switch s.Kind {
	case LinuxTicks:
		return json.Marshal(struct {
			Kind   Kind   `json:"kind"`
			Ticks  string `json:"ticks"`
			BootID string `json:"boot_id"`
		}{s.Kind, s.Ticks, s.BootID})
	case DarwinTimeval:
		return json.Marshal(struct {
			Kind Kind  `json:"kind"`
			Sec  int64 `json:"sec"`
			Usec int64 `json:"usec"`
		}{s.Kind, s.Sec, s.Usec})
	}
	return json.Marshal(struct {
		Kind  Kind  `json:"kind"`
		Value int64 `json:"value"`
	}{s.Kind, s.Sec})
}

// Within gives f as long as limit. A reader that hangs is left behind: a
// process in uninterruptible sleep can hold up whoever reads about it.
func Within[T any](ctx context.Context, limit time.Duration, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrLate)
	defer cancel()
	done := make(chan result, 1)
	go func() {
		v, err := f(ctx)
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
