package supervise

import (
	"time"

	"processkit-cli/pkc-run/internal/contain"
	"processkit-cli/pkcshared/event"
)

// patience bounds the wait for a killed tree. What outlives SIGKILL for so
// long is stuck in the kernel, and is reported instead of waited for.
const patience = 10 * time.Second

// TakeDown ends the tree: a soft stop and its grace where soft is set, then
// a kill of all that is left. before is what was counted then. It also tells
// how members were asked to end, as contain.Reach does.
func TakeDown(g contain.Group, soft bool, grace time.Duration, before *event.CleanupStarted) (_ *event.CleanupFinished, by string) {
	var done event.CleanupFinished
	if soft {
		reach := g.Reach()
		by = reach.By
		done.SoftTerminate, done.Shutdown = softStop(g, reach.Scope, grace, before)
	}
	done.KillError = g.Kill(patience) != nil
	members, err := g.Members()
	done.ReadError = err != nil
	done.RemainingPIDs = make([]uint32, len(members))
	for i, m := range members {
		done.RemainingPIDs[i] = uint32(m.PID)
	}
	done.Remaining = len(members)
	return &done, by
}

// softStop keeps to the grace also where nobody can be asked: some members may
// be about to end by themselves.
func softStop(g contain.Group, scope string, grace time.Duration, before *event.CleanupStarted) (*string, *event.Shutdown) {
	start := time.Now()
	outcome := event.SoftSignalled
	shut := &event.Shutdown{SoftStopScope: scope, SoftSignal: event.SignalSent}
	if !before.ReadError {
		shut.MembersBefore = &before.MembersBefore
	}
	var drained bool
	if scope == event.ScopeNone {
		outcome, shut.SoftSignal = event.SoftUnsupported, event.SignalUnsupported
		drained = g.WaitEmpty(grace)
	} else {
		if err := g.SoftStop(); err != nil {
			outcome, shut.SoftSignal = event.SoftFailed, event.SignalFailed
			grace = 0
		}
		drained = waitOut(g, grace)
	}
	escalated := !drained
	if members, err := g.Members(); err == nil {
		n := len(members)
		shut.MembersAfter = &n
	}
	elapsed := uint64(time.Since(start).Milliseconds())
	shut.DrainedWithinGrace, shut.Escalated, shut.ElapsedMs = &drained, &escalated, &elapsed
	return &outcome, shut
}

// waitOut waits for the tree to end within its grace. A process that was being
// made when the members were asked can have missed it, so they are asked again
// after a moment.
func waitOut(g contain.Group, grace time.Duration) bool {
	moment := min(grace, 50*time.Millisecond)
	if g.WaitEmpty(moment) {
		return true
	}
	if grace > moment {
		_ = g.SoftStop()
	}
	return g.WaitEmpty(grace - moment)
}
