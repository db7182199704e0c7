// Package fingerprint is the file that stands for a launched process.
package fingerprint

import (
	"bytes"
	"encoding/json"
	"fmt"

	"processkit-cli/pkc-procctl/internal/identity"
)

// Version is the one that this build writes and reads.
const Version = 1

// MaxSize bounds a file, in bytes. It leaves room for any command line that
// people write; what would not fit is refused before it is launched.
const MaxSize = 4 << 20

// MaxSettled bounds command_settled, in bytes.
const MaxSettled = 4 << 10

// Fingerprint is the file's object, key for key.
type Fingerprint struct {
	Version   int            `json:"fingerprint_version"`
	Host      string         `json:"host"`
	User      string         `json:"user"`
	UID       int            `json:"uid"`
	PID       int            `json:"pid"`
	PGID      int            `json:"pgid"`
	StartTime identity.Start `json:"start_time"`
	Attempt   string         `json:"attempt"`

	// For people; no stop looks at them.
	CommandRequested []string `json:"command_requested"`
	CommandSettled   string   `json:"command_settled"`
	LaunchedAt       string   `json:"launched_at"`
}

// Encode returns the object on one line.
func (f Fingerprint) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(f)
	return b.Bytes(), err
}

// Process is the identity that the file claims.
func (f Fingerprint) Process() identity.Process {
	return identity.Process{PID: f.PID, PGID: f.PGID, Start: f.StartTime, User: f.User, UID: f.UID, Dir: f.Attempt}
}

// Differs names the first field in which the living process p is another, with
// both values, or returns nil.
func (f Fingerprint) Differs(p identity.Process) error {
	for _, c := range []struct {
		field     string
		have, now any
	}{
		{"pid", f.PID, p.PID},
		{"pgid", f.PGID, p.PGID},
		{"start_time", f.StartTime, p.Start},
		{"user", f.User, p.User},
		{"uid", f.UID, p.UID},
		{"attempt", f.Attempt, p.Dir},
	} {
		if c.have != c.now {
			return Mismatch(c.field, c.have, c.now)
		}
	}
	return nil
}

// Mismatch says that a field has two values.
func Mismatch(field string, have, now any) error {
	return fmt.Errorf("%s: the fingerprint has %s, the system has %s", field, show(have), show(now))
}

func show(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(v)
}
