package supervise

import (
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"processkit-cli/pkc-run/internal/contain"
	"processkit-cli/pkcshared/control"
)

// script is a race whose triggers come at set times after its start.
type script struct {
	race     Race
	signals  chan os.Signal
	exited   chan contain.Status
	commands chan control.Verb
	overflow chan string
	stopped  chan struct{}
	last     atomic.Pointer[time.Time] // of the latest output
}

func newScript() *script {
	s := &script{
		signals:  make(chan os.Signal, 3),
		exited:   make(chan contain.Status, 1),
		commands: make(chan control.Verb, 1),
		overflow: make(chan string, 1),
		stopped:  make(chan struct{}, 1),
	}
	s.race = Race{
		Signals: s.signals, Exited: s.exited, Commands: s.commands, Overflow: s.overflow, Stopped: s.stopped,
		Silence: func(since time.Time) time.Duration {
			if last := s.last.Load(); last != nil && last.After(since) {
				since = *last
			}
			return time.Since(since)
		},
		Pending: func() bool { return false },
	}
	return s
}

// run decides the race and tells how long that took.
func (s *script) run() (Outcome, time.Duration) {
	start := time.Now()
	o := s.race.Run()
	return o, time.Since(start)
}

func TestTies(t *testing.T) {
	// Each trigger is ready at the same instant as all that follow it.
	const soon = 10 * time.Nanosecond
	triggers := []struct {
		ending Ending
		ready  func(*script)
	}{
		{Signal, func(s *script) { s.signals <- syscall.SIGTERM }},
		{Exited, func(s *script) { s.exited <- contain.Status{Code: 3} }},
		{Command, func(s *script) { s.commands <- control.Cancel }},
		{Overall, func(s *script) { s.race.Timeout = soon }},
		{Idle, func(s *script) { s.race.Idle = soon }},
		{Overflow, func(s *script) { s.overflow <- "stdout" }},
	}
	for i, tt := range triggers {
		for range 50 { // a select takes any that is ready
			synctest.Test(t, func(t *testing.T) {
				s := newScript()
				later := triggers[i:]
				if tt.ending == Idle {
					later = later[:1] // output that overflows is output, and ends the silence
				}
				// The loop is away with a sample while all of it comes.
				s.race.Interval = 1
				s.race.Snapshot = func() {
					time.Sleep(soon)
					for _, l := range later {
						l.ready(s)
					}
					later = nil
				}
				for _, l := range later {
					if l.ending == Overall || l.ending == Idle {
						l.ready(s)
					}
				}
				if got, _ := s.run(); got.Ending != tt.ending {
					t.Fatalf("ending = %d, want %d", got.Ending, tt.ending)
				}
			})
		}
	}
}

func TestOutcomes(t *testing.T) {
	s := newScript()
	s.signals <- syscall.SIGHUP
	if o, _ := s.run(); o.Signal != syscall.SIGHUP {
		t.Errorf("Signal = %v, want SIGHUP", o.Signal)
	}
	s.exited <- contain.Status{Signal: 9}
	if o, _ := s.run(); o.Ending != Exited || o.Status.Signal != 9 {
		t.Errorf("outcome = %+v, want an exit by signal 9", o)
	}
	s.commands <- control.Kill
	if o, _ := s.run(); o.Ending != Command || o.Verb != control.Kill {
		t.Errorf("outcome = %+v, want the verb kill", o)
	}
	s.overflow <- "stderr"
	if o, _ := s.run(); o.Ending != Overflow || o.Stream != "stderr" {
		t.Errorf("outcome = %+v, want an overflow of stderr", o)
	}
}

func TestDeadlines(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name          string
		timeout, idle time.Duration
		output        []time.Duration // when the child speaks
		pending       bool            // output waits that is not seen in time
		seen          time.Duration   // when that is seen after all
		want          Ending
		after         time.Duration
	}{
		{name: "overall", timeout: 5 * s, output: []time.Duration{s, 4 * s}, want: Overall, after: 5 * s},
		{name: "idle from the start", idle: 3 * s, want: Idle, after: 3 * s},
		{name: "idle re-armed", idle: 3 * s, output: []time.Duration{2 * s, 4 * s}, want: Idle, after: 7 * s},
		{name: "idle first", timeout: 9 * s, idle: 3 * s, want: Idle, after: 3 * s},
		{name: "overall first", timeout: 2 * s, idle: 3 * s, want: Overall, after: 2 * s},
		{name: "chatty", timeout: 9 * s, idle: 2 * s, output: []time.Duration{s, 2 * s, 3 * s, 4 * s, 5 * s, 6 * s, 7 * s, 8 * s}, want: Overall, after: 9 * s},
		{name: "lag, and nothing comes", idle: s, pending: true, want: Idle, after: s + s/10},
		{name: "lag, and it comes", idle: s, pending: true, seen: s + s/20, want: Idle, after: 2*s + s/20 + s/10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sc := newScript()
				sc.race.Timeout, sc.race.Idle = tt.timeout, tt.idle
				sc.race.Pending = func() bool { return tt.pending }
				if tt.seen > 0 {
					tt.output = append(tt.output, tt.seen)
				}
				for _, at := range tt.output {
					time.AfterFunc(at, func() {
						now := time.Now()
						sc.last.Store(&now)
					})
				}
				if o, d := sc.run(); o.Ending != tt.want || d != tt.after {
					t.Errorf("ending = %d after %v, want %d after %v", o.Ending, d, tt.want, tt.after)
				}
			})
		})
	}
}

func TestSnapshotCadence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		start := time.Now()
		var at []time.Duration
		s.race.Interval, s.race.Timeout = 2*time.Second, 7*time.Second
		s.race.Snapshot = func() { at = append(at, time.Since(start)) }
		s.run()
		if len(at) != 3 || at[0] != 2*time.Second || at[2] != 6*time.Second {
			t.Errorf("samples at %v, want 2s 4s 6s", at)
		}
	})
}

func TestSuspendedTimeDoesNotCount(t *testing.T) {
	const pause = time.Hour
	tests := []struct {
		name          string
		timeout, idle time.Duration
		want          Ending
		after         time.Duration
	}{
		{"overall", 5 * time.Second, 0, Overall, 5*time.Second + pause},
		{"idle", 0, 5 * time.Second, Idle, 7*time.Second + pause}, // a full window from the resumption
		{"none", 0, 0, Exited, 9*time.Second + pause},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript()
				s.race.Timeout, s.race.Idle = tt.timeout, tt.idle
				s.race.Suspend = func() bool { time.Sleep(pause); return true }
				time.AfterFunc(2*time.Second, func() { s.stopped <- struct{}{} })
				time.AfterFunc(9*time.Second+pause, func() { s.exited <- contain.Status{} })
				if o, d := s.run(); o.Ending != tt.want || d != tt.after {
					t.Errorf("ending = %d after %v, want %d after %v", o.Ending, d, tt.want, tt.after)
				}
			})
		})
	}
}
