package event

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"processkit-cli/pkcshared/proc"
)

// script is a destination that fails from its n-th write on.
type script struct {
	writes []string
	left   int
}

func (s *script) Write(p []byte) (int, error) {
	s.writes = append(s.writes, string(p))
	if s.left--; s.left < 0 {
		return len(p) / 2, errors.New("disk full")
	}
	return len(p), nil
}

func TestWriter(t *testing.T) {
	out := &script{left: 100}
	w := NewWriter(out, func(err error) { t.Error(err) })
	before := time.Now().UTC().Truncate(time.Millisecond)
	w.Write(&RunnerExit{Code: 1, Source: "<a&b>"})
	w.Write(&MembersSnapshot{Reason: ReasonSpawn, Members: MembersOf(nil)})
	after := time.Now().UTC()
	if len(out.writes) != 2 {
		t.Fatalf("%d writes for two events: %q", len(out.writes), out.writes)
	}
	wants := []string{
		`"event":"runner_exit","code":1,"source":"<a&b>","child_code":null}`,
		`"event":"members_snapshot","reason":"spawn","read_error":false,"members":[]}`,
	}
	for i, line := range out.writes {
		head, body, _ := strings.Cut(line, `Z",`)
		if body != wants[i]+"\n" {
			t.Errorf("event %d = %q, want %q at its end", i, line, wants[i])
		}
		stamp, ok := strings.CutPrefix(head, `{"schema_version":1,"time":"`)
		at, err := time.Parse("2006-01-02T15:04:05.000", stamp)
		if !ok || err != nil || at.Before(before) || at.After(after) {
			t.Errorf("event %d: time %q, %v, want one from %v to %v", i, stamp, err, before, after)
		}
	}
}

func TestTimestamp(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	tests := []struct {
		in   time.Time
		want string
	}{
		{time.Date(2024, 2, 29, 1, 2, 3, 4_999_999, zone), "2024-02-28T23:02:03.004Z"},
		{time.Date(2024, 1, 1, 0, 0, 0, 999_999_999, time.UTC), "2024-01-01T00:00:00.999Z"},
		{time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), "2024-01-01T00:00:00.000Z"},
	}
	for _, tt := range tests {
		if got := Timestamp(tt.in); got != tt.want {
			t.Errorf("Timestamp(%v) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestWriterStopsAfterAFailure(t *testing.T) {
	out := &script{left: 1}
	var failures []error
	w := NewWriter(out, func(err error) { failures = append(failures, err) })
	for range 4 {
		w.Write(&RunnerExit{})
	}
	if len(out.writes) != 2 || len(failures) != 1 {
		t.Errorf("%d writes and failures %v, want the second write to be the last and told once", len(out.writes), failures)
	}
}

func BenchmarkWriter(b *testing.B) {
	events := map[string]Event{
		"runner_exit":      &RunnerExit{Code: 1, Source: "child_exit"},
		"members_snapshot": &MembersSnapshot{Reason: ReasonInterval, Members: MembersOf(make([]proc.Info, 13))},
	}
	for name, e := range events {
		b.Run(name, func(b *testing.B) {
			w := NewWriter(io.Discard, func(err error) { b.Fatal(err) })
			for b.Loop() {
				w.Write(e)
			}
		})
	}
}
