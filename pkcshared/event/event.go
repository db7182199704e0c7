// Package event is the life of a run as JSON lines: the event types of schema
// version 1, the Writer that a runner keeps them with, and their readers.
//
// Field order in these structs is the order on the wire. A nil pointer is
// written as null: known to be unknown, never left out.
package event

import "time"

// SchemaVersion is the version of the stream that this package writes.
const SchemaVersion = 1

// timeLayout is UTC with milliseconds, always 24 bytes.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Timestamp renders t as every timestamp of the suite: UTC, milliseconds
// truncated, 24 bytes.
func Timestamp(t time.Time) string {
	return t.UTC().Truncate(time.Millisecond).Format(timeLayout)
}

// Envelope opens every event. The Writer fills it in.
type Envelope struct {
	SchemaVersion int    `json:"schema_version"`
	Time          string `json:"time"`
	Event         string `json:"event"`
}

func (e *Envelope) envelope() *Envelope { return e }

// Event is one line of a stream.
type Event interface {
	envelope() *Envelope
	kind() string
}

// RunStarted says that the child exists, inside its container.
type RunStarted struct {
	Envelope
	RunID         string            `json:"run_id"`
	Labels        map[string]string `json:"labels"`
	RootPID       *uint32           `json:"root_pid"`
	Mechanism     string            `json:"mechanism"`
	AbruptCleanup string            `json:"abrupt_cleanup"`
	Cwd           *string           `json:"cwd"`
	Command       Command           `json:"command"`
}

// Member is one live process of a run. StartTime is opaque; with PID it tells
// a process from a later one that got the same number.
type Member struct {
	PID       uint32  `json:"pid"`
	PPID      *uint32 `json:"ppid"`
	Name      *string `json:"name"`
	StartTime *string `json:"start_time"`
}

// The reasons of a MembersSnapshot.
const (
	ReasonSpawn    = "spawn"
	ReasonInterval = "interval"
)

// MembersSnapshot lists who is in the container.
type MembersSnapshot struct {
	Envelope
	Reason    string   `json:"reason"`
	ReadError bool     `json:"read_error"`
	Members   []Member `json:"members"`
}

// The outcomes of RootExited.
const (
	OutcomeExited    = "exited"
	OutcomeSignalled = "signalled"
)

// RootExited says that the root child ended by itself.
type RootExited struct {
	Envelope
	Outcome string `json:"outcome"`
	Code    *int32 `json:"code"`
	Signal  *int32 `json:"signal"`
}

// CleanupStarted opens the teardown.
type CleanupStarted struct {
	Envelope
	MembersBefore int  `json:"members_before"`
	ReadError     bool `json:"read_error"`
}

// The values of CleanupFinished.SoftTerminate and of Shutdown.
const (
	SoftSignalled   = "signalled"
	SoftUnsupported = "unsupported"
	SoftFailed      = "failed"

	ScopeWholeTree    = "whole_tree"
	ScopeOptInMembers = "opt_in_members"
	ScopeNone         = "none"

	SignalSent        = "sent"
	SignalUnsupported = "unsupported"
	SignalFailed      = "failed"
)

// Shutdown tells how the soft stop went.
type Shutdown struct {
	SoftStopScope      string  `json:"soft_stop_scope"`
	SoftSignal         string  `json:"soft_signal"`
	MembersBefore      *int    `json:"members_before"`
	MembersAfter       *int    `json:"members_after"`
	DrainedWithinGrace *bool   `json:"drained_within_grace"`
	Escalated          *bool   `json:"escalated"`
	ElapsedMs          *uint64 `json:"elapsed_ms"`
}

// CleanupFinished closes the teardown. It was clean only if nothing remains
// and neither error is set.
type CleanupFinished struct {
	Envelope
	Remaining     int       `json:"remaining"`
	RemainingPIDs []uint32  `json:"remaining_pids"`
	SoftTerminate *string   `json:"soft_terminate"`
	Shutdown      *Shutdown `json:"shutdown"`
	ReadError     bool      `json:"read_error"`
	KillError     bool      `json:"kill_error"`
}

// The axes of LimitHit.
const (
	LimitMemory    = "memory"
	LimitProcesses = "processes"
	LimitCPU       = "cpu"
)

// LimitHit says that a cap cannot be applied on this host.
type LimitHit struct {
	Envelope
	Limit  string  `json:"limit"`
	Detail *string `json:"detail"`
}

// The verdicts of LimitEvidence.
const (
	Tripped        = "tripped"
	NotTripped     = "not_tripped"
	VerdictUnknown = "unknown"
)

// LimitEvidence says which caps the run ran into.
type LimitEvidence struct {
	Envelope
	Memory    string `json:"memory"`
	Processes string `json:"processes"`
	CPU       string `json:"cpu"`
}

// ResourceSummary is what the run used; nil where nothing measured it.
type ResourceSummary struct {
	Envelope
	ReadError        bool    `json:"read_error"`
	PeakMemoryBytes  *uint64 `json:"peak_memory_bytes"`
	TotalCPUMs       *uint64 `json:"total_cpu_ms"`
	IOReadBytes      *uint64 `json:"io_read_bytes"`
	IOWriteBytes     *uint64 `json:"io_write_bytes"`
	PeakProcessCount *uint64 `json:"peak_process_count"`
}

// The reasons of Timeout.
const (
	ReasonOverall = "overall"
	ReasonIdle    = "idle"
)

// Timeout says that a deadline ended the run.
type Timeout struct {
	Envelope
	TimeoutMs uint64  `json:"timeout_ms"`
	GraceMs   *uint64 `json:"grace_ms"`
	Reason    string  `json:"reason"`
}

// OutputOverflow says that a capture ceiling ended the run.
type OutputOverflow struct {
	Envelope
	Stream   string  `json:"stream"`
	MaxBytes uint64  `json:"max_bytes"`
	GraceMs  *uint64 `json:"grace_ms"`
}

// Cancelled says that a stop signal or a cancel command ended the run.
type Cancelled struct {
	Envelope
	Source  string  `json:"source"`
	GraceMs *uint64 `json:"grace_ms"`
}

// Killed says that a kill command ended the run.
type Killed struct {
	Envelope
	Source string `json:"source"`
}

// SpawnFailed says that the program could not be started.
type SpawnFailed struct {
	Envelope
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// The phases of ContainerFailed.
const (
	PhaseCreate     = "create"
	PhaseAttach     = "attach"
	PhaseForeground = "foreground"
)

// ContainerFailed says that there is no container to run in.
type ContainerFailed struct {
	Envelope
	Phase   string `json:"phase"`
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Capture describes one transcript. It is complete only if it is neither
// truncated nor had a write error.
type Capture struct {
	Path       string `json:"path"`
	Bytes      uint64 `json:"bytes"`
	SHA256     string `json:"sha256"`
	Truncated  bool   `json:"truncated"`
	WriteError bool   `json:"write_error"`
}

// OutputCaptured describes both transcripts.
type OutputCaptured struct {
	Envelope
	Stdout Capture `json:"stdout"`
	Stderr Capture `json:"stderr"`
}

// The sources of RunnerExit.
const (
	SourceChildExit      = "child_exit"
	SourceTimeout        = "timeout"
	SourceOutputOverflow = "output_overflow"
	SourceCancelled      = "cancelled"
	SourceControlCancel  = "control_cancel"
	SourceControlKill    = "control_kill"
	SourceSpawnError     = "spawn_error"
	SourceContainerError = "container_error"
	SourceInternal       = "internal"
	SourceSetup          = "setup"
)

// RunnerExit is the last line of every stream.
type RunnerExit struct {
	Envelope
	Code      int32  `json:"code"`
	Source    string `json:"source"`
	ChildCode *int32 `json:"child_code"`
}

func (*RunStarted) kind() string      { return "run_started" }
func (*MembersSnapshot) kind() string { return "members_snapshot" }
func (*RootExited) kind() string      { return "root_exited" }
func (*CleanupStarted) kind() string  { return "cleanup_started" }
func (*CleanupFinished) kind() string { return "cleanup_finished" }
func (*LimitHit) kind() string        { return "limit_hit" }
func (*LimitEvidence) kind() string   { return "limit_evidence" }
func (*ResourceSummary) kind() string { return "resource_summary" }
func (*Timeout) kind() string         { return "timeout" }
func (*OutputOverflow) kind() string  { return "output_overflow" }
func (*Cancelled) kind() string       { return "cancelled" }
func (*Killed) kind() string          { return "killed" }
func (*SpawnFailed) kind() string     { return "spawn_failed" }
func (*ContainerFailed) kind() string { return "container_failed" }
func (*OutputCaptured) kind() string  { return "output_captured" }
func (*RunnerExit) kind() string      { return "runner_exit" }
