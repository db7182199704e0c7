// Package controltest makes runs for the tests of commands that steer runs.
// Their records and endpoints are real; only no process is behind them.
package controltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"processkit-cli/pkcshared/control"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/registry"
)

// Stamp is when every run started.
const Stamp = "2027-02-03T04:05:06.007Z"

// Run is a run that Start made.
type Run struct {
	mu    sync.Mutex
	heard []control.Verb
	entry *registry.Entry
	undo  []func()
}

// Start makes a run in a registry. The kinds are live, what else can be on
// record (mute, misshapen, absent, stale, unprobed), and runners that answer
// oddly (old, newer, refusing, garbage, foreign, silent, ending).
func Start(dir, kind, id string, labels map[string]string) (*Run, error) {
	r := &Run{}
	err := r.start(dir, kind, registry.Record{RunID: id, StartedAt: Stamp, Labels: labels})
	if err != nil {
		r.Close()
	}
	return r, err
}

// Close ends the run.
func (r *Run) Close() {
	for _, f := range slices.Backward(r.undo) {
		f()
	}
	r.undo = nil
}

// Heard are the requests that a live run was passed.
func (r *Run) Heard() []control.Verb {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.heard)
}

func (r *Run) start(dir, kind string, rec registry.Record) error {
	endpoint, err := r.listen(kind, rec.RunID)
	if err != nil {
		return err
	}
	if endpoint != "" {
		rec.Endpoint = &endpoint
	}
	if err := r.register(dir, rec); err != nil {
		return err
	}
	r.undo = append(r.undo, r.leave)
	if kind != "stale" && kind != "unprobed" {
		return nil
	}
	return r.abandon(dir, rec.RunID, kind)
}

// abandon leaves the record without its lock, or with one that cannot be asked.
func (r *Run) abandon(dir, id, kind string) error {
	found, err := registry.Find(dir, id)
	if err != nil || len(found) != 1 {
		return fmt.Errorf("%d records of this id: %w", len(found), err)
	}
	record, err := os.ReadFile(found[0].Path)
	if err != nil {
		return err
	}
	r.leave()
	if err := os.WriteFile(found[0].Path, record, 0o600); err != nil || kind == "stale" {
		return err
	}
	return os.Mkdir(strings.TrimSuffix(found[0].Path, ".json")+".lock", 0o700)
}

func (r *Run) register(dir string, rec registry.Record) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entry, err = registry.Register(dir, rec)
	return err
}

func (r *Run) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.entry.Remove()
}

func (r *Run) listen(kind, id string) (endpoint string, err error) {
	name := encode(id)
	switch kind {
	case "live":
		return r.serve(id)
	case "stale", "unprobed", "absent":
		return absent, nil
	case "mute":
		return "", nil
	case "misshapen":
		return misshapen, nil
	case "old":
		return r.say(`{"snapshot_version":1,"run_id":` + name + `,"mechanism":"job_object","root_pid":null,"started_at":"` + Stamp + `","members":[]}` + "\n")
	case "newer":
		return r.say(`{"snapshot_version":3,"run_id":` + name + "}\n")
	case "refusing":
		return r.say(`{"error":"not\n\u001b[2Jnow"}` + "\n")
	case "garbage":
		return r.say("\x00\n")
	case "foreign":
		return r.say(encode(Snapshot("foreign")) + "\n")
	case "silent":
		return r.answer(func(conn io.ReadWriter) { _, _ = io.Copy(io.Discard, conn) })
	case "ending":
		return r.answer(func(io.ReadWriter) { r.leave() })
	}
	return "", errors.New("no such kind of run: " + kind)
}

// serve is the real thing.
func (r *Run) serve(id string) (string, error) {
	endpoint, err := control.NewEndpoint()
	if err != nil {
		return "", err
	}
	s, err := control.Listen(endpoint)
	if err != nil {
		return "", err
	}
	r.undo = append(r.undo, func() { _ = s.Close() })
	s.Serve(control.Run{
		ID:       id,
		Snapshot: func() (control.Snapshot, error) { return Snapshot(id), nil },
		Request: func(v control.Verb) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.heard = append(r.heard, v)
		},
	})
	return endpoint, nil
}

// say answers whatever is asked by the same bytes.
func (r *Run) say(reply string) (string, error) {
	return r.answer(func(conn io.ReadWriter) {
		_, _ = conn.Read(make([]byte, 64))
		_, _ = io.WriteString(conn, reply)
	})
}

// answer handles each client in its own way.
func (r *Run) answer(handle func(io.ReadWriter)) (string, error) {
	endpoint, stop, err := listen(handle)
	if err == nil {
		r.undo = append(r.undo, stop)
	}
	return endpoint, err
}

// Snapshot is what a live run tells of itself. Its second member has a name
// that is unfit for a terminal, and nothing else.
func Snapshot(id string) control.Snapshot {
	root, ppid, name, evil, start := uint32(41), uint32(40), "make", "\x1b[2Jevil", "77"
	jsonl, capture := "/runs/\x1b"+id+".jsonl", "/logs/"+id
	return control.Snapshot{
		SnapshotVersion: control.SnapshotVersion,
		RunID:           id, Mechanism: "cgroup_v2", RootPID: &root, StartedAt: Stamp,
		JSONL: &jsonl, CaptureDir: &capture,
		Members: []event.Member{
			{PID: root, PPID: &ppid, Name: &name, StartTime: &start},
			{PID: 4242, Name: &evil},
		},
	}
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
