package exit

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

func TestCodeOf(t *testing.T) {
	tests := []struct {
		err  error
		want Code
	}{
		{nil, OK},
		{errors.New("no code"), Internal},
		{Errorf(Setup, "x"), 111},
		{Silent(0), 0},
		{Silent(7), 7},
		{Silent(-1), -1}, // a Windows code with its top bit set
		{As(Control, KindStale, "x"), 103},
		{fmt.Errorf("while: %w", Errorf(Usage, "x")), 100},
		{errors.Join(errors.New("other"), Errorf(Timeout, "x")), 106},
		{fmt.Errorf("%w: %w", Errorf(Spawn, "first"), Errorf(Backend, "second")), 101},
	}
	for _, tt := range tests {
		if got := CodeOf(tt.err); got != tt.want {
			t.Errorf("CodeOf(%v) = %d, want %d", tt.err, got, tt.want)
		}
	}
}

// The numbers and words are public: none may move.
func TestKindOf(t *testing.T) {
	want := map[Code]Kind{
		100: "usage", 101: "spawn_error", 102: "container_error", 103: "control_unreachable", 104: "internal",
		106: "timeout", 107: "cancelled", 108: "control_cancel", 109: "control_kill", 110: "probe_incompatible",
		111: "setup", 112: "wait_timeout", 113: "output_overflow", 114: "events_invalid", 115: "not_a_member",
		116: "host_unqualified",
	}
	for c := BandStart - 1; c <= BandEnd+1; c++ {
		k, ok := want[c]
		if !ok {
			k = "unknown"
		}
		if got := c.KindOf(); got != k {
			t.Errorf("Code(%d).KindOf() = %q, want %q", c, got, k)
		}
		if got := Errorf(c, "x").Kind; got != k {
			t.Errorf("Errorf(%d).Kind = %q, want %q", c, got, k)
		}
	}
}

func TestRetryable(t *testing.T) {
	all := []Kind{
		KindUsage, KindSpawn, KindContainer, KindNotFound, KindStale, KindUnprobed, KindAmbiguous, KindUnreachable,
		KindIPCDeadline, KindIncompatible, KindPeerUnsupported, KindInternal, KindTimeout, KindCancelled, KindControlCancel,
		KindControlKill, KindProbeIncompatible, KindSetup, KindRegistry, KindWaitTimeout, KindOutputOverflow,
		KindEventsInvalid, KindNotAMember, KindHostUnqualified, KindUnknown,
	}
	for _, k := range all {
		want := k == "unprobed" || k == "ipc_deadline" || k == "wait_timeout"
		if got := k.Retryable(); got != want {
			t.Errorf("Kind(%q).Retryable() = %v, want %v", k, got, want)
		}
	}
}

func TestError(t *testing.T) {
	err := Errorf(Setup, "--jsonl: %w", &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist})
	if got, want := err.Error(), "--jsonl: open x: file does not exist"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("errors.Is(%v, fs.ErrNotExist) = false", err)
	}
	if got, want := Silent(3).Error(), "exit code 3"; got != want {
		t.Errorf("Silent(3).Error() = %q, want %q", got, want)
	}
}
