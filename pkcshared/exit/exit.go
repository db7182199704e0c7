// Package exit holds the suite's exit codes and the error that carries one.
//
// Codes 100 to 119 belong to the suite; any other code that `run` returns is
// the child's own. A number once assigned never moves and is never reused.
package exit

import (
	"errors"
	"fmt"
)

// Code is a process exit code.
type Code int

// The suite's band. 105 is retired, 117 to 119 are reserved.
const (
	OK                Code = 0
	Usage             Code = 100 // bad command line
	Spawn             Code = 101 // the program could not be started
	Backend           Code = 102 // no container, or a cap that cannot be applied
	Control           Code = 103 // no single live target, or no usable answer from it
	Internal          Code = 104 // an invariant broke, or the child was lost from view
	Timeout           Code = 106 // --timeout or --idle-timeout ended the run
	Cancelled         Code = 107 // a local stop signal ended the run
	ControlCancelled  Code = 108 // a cancel command ended the run
	ControlKilled     Code = 109 // a kill command ended the run
	ProbeIncompatible Code = 110 // a --require-* expectation is unmet
	Setup             Code = 111 // an input or output of the runner is not available
	WaitTimeout       Code = 112 // the waiter's own deadline passed
	OutputOverflow    Code = 113 // the capture ceiling was passed under policy cancel
	EventsInvalid     Code = 114 // a stream line does not conform
	NotAMember        Code = 115 // the asking process is outside the container
	HostUnqualified   Code = 116 // the host check ended with a negative verdict

	BandStart Code = 100
	BandEnd   Code = 119
)

// Kind names a failure for machines; see the error envelope. One code can
// have several kinds.
type Kind string

// The kinds of the error envelope.
const (
	KindUsage             Kind = "usage"
	KindSpawn             Kind = "spawn_error"
	KindContainer         Kind = "container_error"
	KindNotFound          Kind = "not_found"
	KindStale             Kind = "stale"
	KindUnprobed          Kind = "unprobed"
	KindAmbiguous         Kind = "ambiguous_run_id"
	KindUnreachable       Kind = "control_unreachable"
	KindIPCDeadline       Kind = "ipc_deadline"
	KindIncompatible      Kind = "incompatible_contract"
	KindPeerUnsupported   Kind = "peer_identity_unsupported"
	KindInternal          Kind = "internal"
	KindTimeout           Kind = "timeout"
	KindCancelled         Kind = "cancelled"
	KindControlCancel     Kind = "control_cancel"
	KindControlKill       Kind = "control_kill"
	KindProbeIncompatible Kind = "probe_incompatible"
	KindSetup             Kind = "setup"
	KindRegistry          Kind = "registry"
	KindWaitTimeout       Kind = "wait_timeout"
	KindOutputOverflow    Kind = "output_overflow"
	KindEventsInvalid     Kind = "events_invalid"
	KindNotAMember        Kind = "not_a_member"
	KindHostUnqualified   Kind = "host_unqualified"
	KindUnknown           Kind = "unknown"
)

// Retryable reports whether the same call may succeed later with nothing
// changed by the caller.
func (k Kind) Retryable() bool {
	return k == KindUnprobed || k == KindIPCDeadline || k == KindWaitTimeout
}

// KindOf returns the kind that a code has unless an Error says otherwise.
func (c Code) KindOf() Kind {
	switch c {
	case Usage:
		return KindUsage
	case Spawn:
		return KindSpawn
	case Backend:
		return KindContainer
	case Control:
		return KindUnreachable
	case Internal:
		return KindInternal
	case Timeout:
		return KindTimeout
	case Cancelled:
		return KindCancelled
	case ControlCancelled:
		return KindControlCancel
	case ControlKilled:
		return KindControlKill
	case ProbeIncompatible:
		return KindProbeIncompatible
	case Setup:
		return KindSetup
	case WaitTimeout:
		return KindWaitTimeout
	case OutputOverflow:
		return KindOutputOverflow
	case EventsInvalid:
		return KindEventsInvalid
	case NotAMember:
		return KindNotAMember
	case HostUnqualified:
		return KindHostUnqualified
	}
	return KindUnknown
}

// Error is a failure with the exit code it ends the process with.
// With a nil Err it is silent: the code is the whole message.
type Error struct {
	Code Code
	Kind Kind
	Err  error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", int(e.Code))
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of the code's own kind.
func Errorf(c Code, format string, args ...any) *Error {
	return &Error{Code: c, Kind: c.KindOf(), Err: fmt.Errorf(format, args...)}
}

// As makes an Error of a kind that is not the code's default.
func As(c Code, k Kind, format string, args ...any) *Error {
	return &Error{Code: c, Kind: k, Err: fmt.Errorf(format, args...)}
}

// Silent is an ending with nothing to say, such as the child's own code.
func Silent(c Code) *Error { return &Error{Code: c} }

// CodeOf maps any error to the code the process must exit with. An error
// without a code is a fault of ours.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}
