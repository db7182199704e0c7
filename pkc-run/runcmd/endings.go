package runcmd

import (
	"fmt"
	"strings"

	"processkit-cli/pkc-run/internal/supervise"
	"processkit-cli/pkcshared/control"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

// ending is a decided outcome in all its public forms.
type ending struct {
	event  event.Event // the line that opens the tail, or nil
	code   exit.Code
	source string
	child  *int32 // the child's own code, with source child_exit
	soft   bool   // the tree gets a soft stop and its grace
	grace  *text.Millis
	reason string // for stderr; empty for the child's own ending
}

func (p *Plan) ending(o supervise.Outcome) ending {
	grace := (*uint64)(p.Grace)
	switch o.Ending {
	case supervise.Signal:
		source, title := signalNames(o.Signal)
		left := graceLeft(o.Signal, p.Grace)
		return ending{
			event: &event.Cancelled{Source: source, GraceMs: (*uint64)(left)},
			code:  exit.Cancelled, source: event.SourceCancelled, soft: true, grace: left,
			reason: "run cancelled (" + title + ")",
		}
	case supervise.Command:
		if o.Verb == control.Kill {
			return ending{
				event: &event.Killed{Source: event.SourceControlKill},
				code:  exit.ControlKilled, source: event.SourceControlKill,
				reason: "run killed by a control-plane kill: immediate, no soft stop",
			}
		}
		return ending{
			event: &event.Cancelled{Source: event.SourceControlCancel, GraceMs: grace},
			code:  exit.ControlCancelled, source: event.SourceControlCancel, soft: true, grace: p.Grace,
			reason: "run cancelled by a control-plane cancel",
		}
	case supervise.Overall:
		return ending{
			event: &event.Timeout{TimeoutMs: uint64(p.Timeout), GraceMs: grace, Reason: event.ReasonOverall},
			code:  exit.Timeout, source: event.SourceTimeout, soft: true, grace: p.Grace,
			reason: fmt.Sprintf("run timed out after %s", p.Timeout),
		}
	case supervise.Idle:
		return ending{
			event: &event.Timeout{TimeoutMs: uint64(p.Idle), GraceMs: grace, Reason: event.ReasonIdle},
			code:  exit.Timeout, source: event.SourceTimeout, soft: true, grace: p.Grace,
			reason: fmt.Sprintf("run hit its idle timeout: no output for %s", p.Idle),
		}
	case supervise.Overflow:
		return ending{
			event: &event.OutputOverflow{Stream: o.Stream, MaxBytes: p.CaptureMax, GraceMs: grace},
			code:  exit.OutputOverflow, source: event.SourceOutputOverflow, soft: true, grace: p.Grace,
			reason: fmt.Sprintf("run ended: %s passed the capture ceiling of %d bytes", o.Stream, p.CaptureMax),
		}
	}
	return naturalEnding(o)
}

// naturalEnding keeps the child's code as it is; a death by signal N becomes
// 128+N, as shells report it.
func naturalEnding(o supervise.Outcome) ending {
	st := o.Status
	if st.Err != nil {
		return ending{
			code: exit.Internal, source: event.SourceInternal,
			reason: fmt.Sprintf("lost sight of the child: %v", st.Err),
		}
	}
	exited := &event.RootExited{Outcome: event.OutcomeExited}
	code := int32(st.Code)
	if st.Signal != 0 {
		signal := int32(st.Signal)
		exited.Outcome, exited.Signal = event.OutcomeSignalled, &signal
		code = 128 + signal&0x7f
	} else {
		exited.Code = &code
	}
	return ending{event: exited, code: exit.Code(code), source: event.SourceChildExit, child: &code}
}

// account adds to the reason how the teardown really went, given by what
// members were asked to end.
func (e ending) account(by string, done *event.CleanupFinished) string {
	var b strings.Builder
	b.WriteString(e.reason)
	if e.soft {
		b.WriteString("; ")
		b.WriteString(e.softAccount(by, done))
	}
	if s := leftovers(done); s != "" {
		b.WriteString("; ")
		b.WriteString(s)
	}
	return b.String()
}

func (e ending) softAccount(by string, done *event.CleanupFinished) string {
	s := "sent " + by + " to the whole tree"
	switch {
	case *done.SoftTerminate == event.SoftFailed:
		return by + " could not be delivered, so the tree was killed at once"
	case done.Shutdown.SoftStopScope == event.ScopeOptInMembers:
		s = "sent " + by + " to the members that take it"
	case done.Shutdown.SoftStopScope == event.ScopeNone:
		s = "asked no member to end (none can be)"
	}
	if e.grace != nil {
		s += fmt.Sprintf(" with a grace of %s", *e.grace)
	}
	if *done.Shutdown.DrainedWithinGrace {
		return s + ", and it ended by itself"
	}
	return s + ", then killed what was left"
}

// leftovers tells what a teardown could not do, or nothing.
func leftovers(done *event.CleanupFinished) string {
	switch {
	case done.Remaining > 0:
		return fmt.Sprintf("still alive after the kill: %d (pids %s)", done.Remaining, pidList(done.RemainingPIDs))
	case done.KillError:
		return "the kill reported an error"
	case done.ReadError:
		return "whether anything is left could not be read"
	}
	return ""
}

func pidList(pids []uint32) string {
	const most = 8
	var names []string
	for i, pid := range pids {
		if i == most {
			names = append(names, "...")
			break
		}
		names = append(names, fmt.Sprint(pid))
	}
	return strings.Join(names, " ")
}
