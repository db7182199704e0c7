// Package supervise decides how a run ends and takes its tree down.
//
// One goroutine decides. Everything that can end a run arrives on a channel;
// the first wins, and of several that are ready together the one with the
// highest priority. What comes later changes nothing.
package supervise

import (
	"os"
	"time"

	"processkit-cli/pkc-run/internal/contain"
	"processkit-cli/pkcshared/control"
)

// Ending is why a run is over.
type Ending int

// The endings, highest priority first.
const (
	Signal Ending = iota
	Exited
	Command
	Overall
	Idle
	Overflow
)

// Outcome is the decision.
type Outcome struct {
	Ending Ending
	Signal os.Signal      // with Signal
	Status contain.Status // with Exited
	Verb   control.Verb   // with Command
	Stream string         // with Overflow
}

// Race is everything that can end a run or wants the loop's attention.
type Race struct {
	Signals  <-chan os.Signal
	Exited   <-chan contain.Status
	Commands <-chan control.Verb
	Overflow <-chan string

	Timeout time.Duration // 0 for none
	Idle    time.Duration // 0 for none
	// Silence is how long the child has said nothing, counted at most from
	// the start of the race.
	Silence func(since time.Time) time.Duration
	// Pending reports output that the child wrote and nobody has seen yet.
	Pending func() bool

	Interval time.Duration // 0 for none
	Snapshot func()

	// Calls are run as they come, in the one goroutine that may touch the
	// container.
	Calls <-chan func()

	// Stopped delivers a job-control stop of the child. Suspend stops us as
	// well and returns when both go on; if it did, that time counts for no
	// deadline.
	Stopped <-chan struct{}
	Suspend func() bool
}

// Run waits for the first trigger. All deadlines count from its call.
func (r *Race) Run() Outcome {
	start := time.Now()
	quiet := start // silence from before does not count
	overall := newAlarm(r.Timeout)
	defer overall.stop()
	idle := newAlarm(r.Idle)
	defer idle.stop()
	sample := newAlarm(r.Interval)
	defer sample.stop()
	lagging := false
	for {
		select {
		case s := <-r.Signals:
			return Outcome{Ending: Signal, Signal: s}
		case st := <-r.Exited:
			return r.exited(st)
		case v := <-r.Commands:
			return r.decide(Outcome{Ending: Command, Verb: v}, start)
		case s := <-r.Overflow:
			return r.decide(Outcome{Ending: Overflow, Stream: s}, start)
		case <-overall.c:
			return r.decide(Outcome{Ending: Overall}, start)
		case <-idle.c:
			left := r.Idle - r.Silence(quiet)
			switch {
			case left > 0:
				lagging = false
				idle.set(left)
			case !lagging && r.Pending():
				// The child has spoken and we are late: look once more.
				const lag = 100 * time.Millisecond
				lagging = true
				idle.set(lag)
			default:
				return r.decide(Outcome{Ending: Idle}, start)
			}
		case <-r.Stopped:
			stopped := time.Now()
			if !r.Suspend() {
				continue
			}
			quiet = time.Now()
			start = start.Add(quiet.Sub(stopped))
			overall.move(r.Timeout - quiet.Sub(start))
			idle.move(r.Idle)
		case call := <-r.Calls:
			call()
		case <-sample.c:
			r.Snapshot()
			sample.set(r.Interval)
		}
	}
}

// exited lets a stop signal that is there too go first.
func (r *Race) exited(st contain.Status) Outcome {
	select {
	case s := <-r.Signals:
		return Outcome{Ending: Signal, Signal: s}
	default:
		return Outcome{Ending: Exited, Status: st}
	}
}

// decide looks for a trigger of higher priority than o that is ready as well.
func (r *Race) decide(o Outcome, start time.Time) Outcome {
	select {
	case s := <-r.Signals:
		return Outcome{Ending: Signal, Signal: s}
	default:
	}
	select {
	case st := <-r.Exited:
		return Outcome{Ending: Exited, Status: st}
	default:
	}
	if o.Ending > Command {
		select {
		case v := <-r.Commands:
			return Outcome{Ending: Command, Verb: v}
		default:
		}
	}
	if o.Ending > Overall && r.Timeout > 0 && time.Since(start) >= r.Timeout {
		return Outcome{Ending: Overall}
	}
	return o
}

// alarm is a timer whose channel is nil while there is none to wait for.
type alarm struct {
	timer *time.Timer
	c     <-chan time.Time
}

func newAlarm(d time.Duration) *alarm {
	a := &alarm{}
	if d > 0 {
		a.set(d)
	}
	return a
}

func (a *alarm) set(d time.Duration) {
	if a.timer == nil {
		a.timer = time.NewTimer(d)
		a.c = a.timer.C
		return
	}
	a.timer.Reset(d)
}

// move sets an alarm that there is.
func (a *alarm) move(d time.Duration) {
	if a.timer != nil {
		a.timer.Reset(d)
	}
}

func (a *alarm) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}
