// Package control is how one process steers the run of another: a socket or a
// named pipe that only the same user can reach, one line each way.
//
//	client                          runner
//	  | -- connect ------------------> |  accept, check the peer's user
//	  | -- "cancel\n" ---------------> |  at most 64 KiB, within 5 s
//	  | <- {"accepted":true,...}\n --- |  written first,
//	  | <- end of stream ------------- |  then the run is told
//
// The verbs are inspect (also an empty line), cancel and kill. Anything else
// is answered by {"error":"..."} and changes nothing. An answer to cancel or
// kill says that the request was taken, not that the run is over.
package control

import (
	"time"

	"processkit-cli/pkcshared/event"
)

// Verb is a request.
type Verb string

// The verbs of the wire.
const (
	Inspect Verb = "inspect"
	Cancel  Verb = "cancel"
	Kill    Verb = "kill"
)

const (
	// maxLine bounds a line in either direction, its newline included.
	maxLine = 65536

	// patience bounds an exchange, on both sides.
	patience = 5 * time.Second
)

// SnapshotVersion is the version of the snapshots that this build writes; it
// reads them from oldestSnapshot on.
const (
	SnapshotVersion = 2
	oldestSnapshot  = 1
)

// Snapshot answers inspect: what the runner knows about its run, and who is
// in the container right now.
type Snapshot struct {
	SnapshotVersion int            `json:"snapshot_version"`
	RunID           string         `json:"run_id"`
	Mechanism       string         `json:"mechanism"`
	RootPID         *uint32        `json:"root_pid"`
	StartedAt       string         `json:"started_at"`
	JSONL           *string        `json:"jsonl"` // null only from version 1
	CaptureDir      *string        `json:"capture_dir"`
	Members         []event.Member `json:"members"`
}

// Ack answers cancel and kill.
type Ack struct {
	Accepted bool   `json:"accepted"`
	Action   Verb   `json:"action"`
	RunID    string `json:"run_id"`
}

type refusal struct {
	Error string `json:"error"`
}
