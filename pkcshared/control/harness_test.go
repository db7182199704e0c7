package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/file"
)

const stamp = "2027-02-03T04:05:06.007Z"

// limit bounds every wait for something that should come at once.
const limit = 20 * time.Second

// waitFor polls until ok, with a deadline.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s after %v", what, limit)
		}
	}
}

// requests collects what a Server passes on.
type requests struct {
	mu   sync.Mutex
	list []Verb
}

func (r *requests) add(v Verb) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, v)
}

func (r *requests) all() []Verb {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

func snapshotOf(id string) Snapshot {
	pid, ppid, name, start, jsonl := uint32(41), uint32(40), "a", "77", "/x/"+id+".jsonl"
	return Snapshot{
		SnapshotVersion: SnapshotVersion, RunID: id, Mechanism: "cgroup_v2", RootPID: &pid, StartedAt: stamp, JSONL: &jsonl,
		Members: []event.Member{{PID: pid, PPID: &ppid, Name: &name, StartTime: &start}},
	}
}

func compact(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// newServer listens; the caller serves.
func newServer(t *testing.T) *Server {
	t.Helper()
	endpoint, err := NewEndpoint()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Listen(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// serve starts the server of a run.
func serve(t *testing.T, id string) (*Server, *requests) {
	t.Helper()
	s, got := newServer(t), &requests{}
	s.Serve(Run{ID: id, Snapshot: func() (Snapshot, error) { return snapshotOf(id), nil }, Request: got.add})
	return s, got
}

// peer is a client that shares no code with ours.
type peer interface {
	io.ReadWriteCloser
	SetDeadline(time.Time) error
	SetReadDeadline(time.Time) error
}

func client(t *testing.T, endpoint string) peer {
	t.Helper()
	c := meet(t, endpoint)
	t.Cleanup(func() { c.Close() })
	return c
}

// talk writes and reads to the end of the stream.
func talk(t *testing.T, endpoint, request string) string {
	t.Helper()
	c := client(t, endpoint)
	_ = c.SetDeadline(time.Now().Add(limit))
	_, _ = io.WriteString(c, request) // a server may have had enough of it
	return readAll(t, c)
}

func readAll(t *testing.T, c peer) string {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(limit))
	b, err := io.ReadAll(c)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("no end of the stream after %v; so far %q", limit, b)
	}
	return string(b)
}

func newListener(t *testing.T) (*listener, string) {
	t.Helper()
	endpoint, err := newEndpoint()
	if err != nil {
		t.Fatal(err)
	}
	l, err := listen(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.close() })
	return l, endpoint
}

// fake is an endpoint that a test answers itself, connection by connection.
func fake(t *testing.T, handle func(conn *os.File)) string {
	t.Helper()
	l, endpoint := newListener(t)
	go func() {
		for {
			conn, err := l.accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				handle(conn)
			}()
		}
	}()
	return endpoint
}

// says is a fake that reads the request and sends fixed bytes.
func says(t *testing.T, reply string) string {
	return fake(t, func(conn *os.File) {
		_, _ = readLine(conn)
		_, _ = io.WriteString(conn, reply)
	})
}

// entry is a record with its lock, as a runner leaves them on disk.
type entry struct {
	t      *testing.T
	record string
	lock   *os.File
}

// plant writes a record whose lock is held: a run that lives. An endpoint of
// "" is null.
func plant(t *testing.T, dir, stem, id, endpoint string, labels ...string) *entry {
	t.Helper()
	lock := locked(t, filepath.Join(dir, stem+".lock"))
	t.Cleanup(func() { lock.Close() })
	e := &entry{t, filepath.Join(dir, stem+".json"), lock}
	e.write(id, endpoint, labels...)
	return e
}

func (e *entry) write(id, endpoint string, labels ...string) {
	e.t.Helper()
	var address *string
	if endpoint != "" {
		address = &endpoint
	}
	set := map[string]string{}
	for i := 0; i < len(labels); i += 2 {
		set[labels[i]] = labels[i+1]
	}
	text := fmt.Sprintf(`{"registry_version":1,"run_id":%s,"endpoint":%s,"started_at":%q,"labels":%s,"liveness":{"kind":"advisory_lock","lock_file":%q}}`,
		compact(e.t, id), compact(e.t, address), stamp, compact(e.t, set), filepath.Base(e.lock.Name()))
	e.overwrite(text)
}

func (e *entry) overwrite(text string) {
	e.t.Helper()
	if err := os.WriteFile(e.record, []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

// die ends the run without a trace of its end.
func (e *entry) die() { e.lock.Close() }

// end ends the run as a runner does.
func (e *entry) end() {
	file.Remove(e.record)
	file.Remove(e.lock.Name())
	e.lock.Close()
}

// blur makes the lock something that cannot be asked.
func (e *entry) blur() {
	e.t.Helper()
	e.lock.Close()
	os.Remove(e.lock.Name())
	if err := os.Mkdir(e.lock.Name(), 0o700); err != nil {
		e.t.Fatal(err)
	}
}
