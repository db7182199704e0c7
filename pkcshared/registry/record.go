package registry

import (
	"fmt"
	"unicode/utf8"

	"processkit-cli/pkcshared/text"
)

const (
	version   = 1
	lockKind  = "advisory_lock"
	maxRecord = 65536 // bytes of a record, inclusive

	recordExt = ".json"
	lockExt   = ".lock"
	tempExt   = ".tmp" // a record before its rename
)

// Record is what a run tells about itself. Arguments, working directory and
// pids are not part of it.
type Record struct {
	RunID      string            `json:"run_id"`
	Endpoint   *string           `json:"endpoint"`
	StartedAt  string            `json:"started_at"` // 2006-01-02T15:04:05.000Z
	ArgvSHA256 *string           `json:"argv_sha256"`
	Hint       *string           `json:"hint"`
	Labels     map[string]string `json:"labels"`
	JSONL      *string           `json:"jsonl"`
	CaptureDir *string           `json:"capture_dir"`

	// Cgroup is the directory of the run's cgroup, for Prune to remove once
	// it is empty.
	Cgroup *string `json:"cgroup,omitempty"`
}

// HasLabels reports whether r carries every wanted key with exactly that
// value. One key wanted with two values is never found.
func (r Record) HasLabels(want [][2]string) bool {
	for _, l := range want {
		if v, ok := r.Labels[l[0]]; !ok || v != l[1] {
			return false
		}
	}
	return true
}

// encode returns the file for r. A path that JSON cannot carry, because it is
// not UTF-8, becomes null: better no locator than one to another file.
func encode(r Record, lockFile string) ([]byte, error) {
	if r.Labels == nil {
		r.Labels = map[string]string{}
	}
	for _, p := range []**string{&r.Endpoint, &r.JSONL, &r.CaptureDir, &r.Cgroup} {
		if *p != nil && !utf8.ValidString(**p) {
			*p = nil
		}
	}
	type liveness struct {
		Kind     string `json:"kind"`
		LockFile string `json:"lock_file"`
	}
	data := text.AppendJSON(nil, struct {
		Version int `json:"registry_version"`
		Record
		Liveness liveness `json:"liveness"`
	}{version, r, liveness{lockKind, lockFile}})
	if len(data) > maxRecord {
		return nil, fmt.Errorf("record of %d bytes, at most %d are allowed", len(data), maxRecord)
	}
	if _, _, err := decode(string(data)); err != nil {
		return nil, fmt.Errorf("record that no reader would take: %w", err)
	}
	return data, nil
}
