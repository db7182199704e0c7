package control

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"processkit-cli/pkcshared/exit"
)

// wantFailure expects an exit.Error of code Control, of a kind, with verb and
// run in front of a cause.
func wantFailure(t *testing.T, err error, verb Verb, kind exit.Kind, cause string) {
	t.Helper()
	var e *exit.Error
	if !errors.As(err, &e) || e.Code != exit.Control || e.Kind != kind {
		t.Errorf("error = %+v, want code 103 of kind %s", err, kind)
		return
	}
	if want := "cannot " + string(verb) + ` run "r": ` + cause; !strings.HasPrefix(e.Error(), want) {
		t.Errorf("error = %q, want %q", e, want)
	}
}

// byID inspects or sends.
func byID(dir string, verb Verb) error {
	if verb == Inspect {
		_, err := InspectRun(dir, "r")
		return err
	}
	_, err := Send(dir, "r", verb)
	return err
}

func TestByID(t *testing.T) {
	dir := t.TempDir()
	s, got := serve(t, "r")
	plant(t, dir, "a", "r", s.Endpoint())
	plant(t, dir, "b", "other", "")
	dead := plant(t, dir, "c", "r", "")
	dead.die()

	snap, err := InspectRun(dir, "r")
	if err != nil || compact(t, snap) != compact(t, snapshotOf("r")) {
		t.Errorf("InspectRun() = %s, %v", compact(t, snap), err)
	}
	for _, v := range []Verb{Cancel, Kill} {
		if ack, err := Send(dir, "r", v); err != nil || ack != (Ack{true, v, "r"}) {
			t.Errorf("Send(%s) = %v, %v", v, ack, err)
		}
	}
	waitFor(t, "requests", func() bool { return len(got.all()) == 2 })
}

func TestResolve(t *testing.T) {
	live := func(t *testing.T, dir, stem string) *entry { return plant(t, dir, stem, "r", "") }
	tests := []struct {
		name  string
		setup func(t *testing.T, dir string)
		kind  exit.Kind
		cause string
	}{
		{"no registry", func(t *testing.T, dir string) { os.Remove(dir) }, exit.KindNotFound, "it is not registered"},
		{"other ids", func(t *testing.T, dir string) { plant(t, dir, "a", "r2", "") }, exit.KindNotFound, "it is not registered"},
		{"stale", func(t *testing.T, dir string) { live(t, dir, "a").die() }, exit.KindStale, "it is stale"},
		{"unprobed", func(t *testing.T, dir string) { live(t, dir, "a").blur() }, exit.KindUnprobed, "it is unprobed"},
		{"stale and unprobed", func(t *testing.T, dir string) {
			live(t, dir, "a").die()
			live(t, dir, "b").blur()
		}, exit.KindUnprobed, "it is unprobed"},
		{"two live", func(t *testing.T, dir string) {
			live(t, dir, "a")
			live(t, dir, "b")
		}, exit.KindAmbiguous, "it is ambiguous, 2 live runs"},
		{"no endpoint", func(t *testing.T, dir string) {
			live(t, dir, "a")
			live(t, dir, "b").blur()
		}, exit.KindUnreachable, "it is live but publishes no control endpoint"},
		{"unreadable", func(t *testing.T, dir string) {
			os.Remove(dir)
			if err := os.WriteFile(dir, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, exit.KindRegistry, "the registry cannot be read: "},
	}
	for _, tt := range tests {
		for _, verb := range []Verb{Inspect, Cancel, Kill} {
			t.Run(tt.name+" "+string(verb), func(t *testing.T) {
				dir := t.TempDir()
				tt.setup(t, dir)
				wantFailure(t, byID(dir, verb), verb, tt.kind, tt.cause)
			})
		}
	}
}

// refused expects endpoints to be taken for no endpoints of ours.
func refused(t *testing.T, endpoints ...string) {
	t.Helper()
	for _, endpoint := range endpoints {
		reg := t.TempDir()
		plant(t, reg, "a", "r", endpoint)
		wantFailure(t, byID(reg, Kill), Kill, exit.KindUnreachable, "its record names something that is no control endpoint")
	}
}

func TestNobodyThere(t *testing.T) {
	reg := t.TempDir()
	plant(t, reg, "a", "r", nowhere)
	wantFailure(t, byID(reg, Kill), Kill, exit.KindUnreachable, "its control endpoint is gone: ")
}

func TestUnusableAnswers(t *testing.T) {
	const (
		closed    = "it closed the connection without an answer"
		malformed = "its answer is malformed"
		foreign   = "it acknowledged another request: "
		ack       = `{"accepted":true,"action":"kill","run_id":"r"}` + "\n"
	)
	snapshot := func(old, new string) string {
		s := compact(t, snapshotOf("r"))
		if !strings.Contains(s, old) {
			t.Fatalf("no %s in %s", old, s)
		}
		return strings.Replace(s, old, new, 1) + "\n"
	}
	version := func(v string) string { return snapshot(`"snapshot_version":2`, `"snapshot_version":`+v) }
	long := strings.Repeat("ä", 600)
	tests := []struct {
		name  string
		verb  Verb
		reply string
		kind  exit.Kind
		cause string
	}{
		{"nothing", Kill, "", exit.KindUnreachable, closed},
		{"no newline", Kill, strings.TrimSpace(ack), exit.KindUnreachable, closed},
		{"empty line", Kill, "\n", exit.KindUnreachable, malformed},
		{"garbage", Kill, "200 OK\n", exit.KindUnreachable, malformed},
		{"more than JSON", Kill, strings.TrimSpace(ack) + " x\n", exit.KindUnreachable, malformed},
		{"array", Kill, "[" + strings.TrimSpace(ack) + "]\n", exit.KindUnreachable, malformed},
		{"null", Inspect, "null\n", exit.KindUnreachable, malformed},
		{"not UTF-8", Kill, `{"accepted":true,"action":"kill","run_id":"r` + "\xff" + `"}` + "\n", exit.KindUnreachable, malformed},
		{"deep", Kill, strings.Repeat("[", maxLine-1) + "\n", exit.KindUnreachable, malformed},
		{"huge", Kill, strings.Repeat(" ", maxLine+1-len(ack)) + ack, exit.KindUnreachable, "cannot read the answer: line too long"},
		{"huge, no end", Inspect, strings.Repeat("x", 3*maxLine), exit.KindUnreachable, "cannot read the answer: line too long"},

		{"refusal", Kill, `{"error":"no\r\u001b[2Jway\u202e","accepted":true,"action":"kill","run_id":"r"}` + "\n", exit.KindUnreachable, "it answered: no  [2Jway "},
		{"long refusal", Inspect, `{"error":"` + long + `"}` + "\n", exit.KindUnreachable, "it answered: " + long[:1000] + "..."},
		{"error of a wrong type", Kill, `{"error":7}` + "\n", exit.KindUnreachable, malformed},

		{"another run", Kill, `{"accepted":true,"action":"kill","run_id":"s"}` + "\n", exit.KindUnreachable, foreign + `"kill" of "s"`},
		{"another action", Kill, `{"accepted":true,"action":"cancel","run_id":"r"}` + "\n", exit.KindUnreachable, foreign + `"cancel" of "r"`},
		{"not accepted", Kill, `{"accepted":false,"action":"kill","run_id":"r"}` + "\n", exit.KindUnreachable, malformed},
		{"accepted by a word", Cancel, `{"accepted":"true","action":"cancel","run_id":"r"}` + "\n", exit.KindUnreachable, malformed},
		{"no run", Cancel, `{"accepted":true,"action":"cancel"}` + "\n", exit.KindUnreachable, malformed},
		{"no action", Cancel, `{"accepted":true,"run_id":"r"}` + "\n", exit.KindUnreachable, malformed},
		{"snapshot for an ack", Cancel, snapshot("r", "r"), exit.KindUnreachable, malformed},
		{"ack for a snapshot", Inspect, ack, exit.KindUnreachable, malformed},

		{"snapshot of another run", Inspect, snapshot(`"run_id":"r"`, `"run_id":"s"`), exit.KindUnreachable, `it answered for another run, "s"`},
		{"newer", Inspect, version("3"), exit.KindIncompatible, "its snapshot version 3 is newer than those that this build reads, 1 to 2"},
		{"much newer", Inspect, version("1" + strings.Repeat("0", 400)), exit.KindIncompatible, "its snapshot version 1000"},
		{"newer, all else unknown", Inspect, `{"snapshot_version":3}` + "\n", exit.KindIncompatible, "its snapshot version 3 is newer"},
		{"older", Inspect, version("0"), exit.KindIncompatible, "its snapshot version 0 is older than those that this build reads, 1 to 2"},
		{"negative", Inspect, version("-1"), exit.KindIncompatible, "its snapshot version -1 is older"},
		{"fraction", Inspect, version("2.5"), exit.KindUnreachable, malformed},
		{"float", Inspect, version("2.0"), exit.KindUnreachable, malformed},
		{"exponent", Inspect, version("2e0"), exit.KindUnreachable, malformed},
		{"version as text", Inspect, version(`"2"`), exit.KindUnreachable, malformed},
		{"version null", Inspect, version("null"), exit.KindUnreachable, malformed},
		{"no version", Inspect, snapshot(`"snapshot_version":2,`, ""), exit.KindUnreachable, malformed},

		{"no mechanism", Inspect, snapshot(`"mechanism":"cgroup_v2",`, ""), exit.KindUnreachable, malformed},
		{"mechanism null", Inspect, snapshot(`"cgroup_v2"`, "null"), exit.KindUnreachable, malformed},
		{"no root", Inspect, snapshot(`"root_pid":41,`, ""), exit.KindUnreachable, malformed},
		{"root as text", Inspect, snapshot(`"root_pid":41`, `"root_pid":"41"`), exit.KindUnreachable, malformed},
		{"root too large", Inspect, snapshot(`"root_pid":41`, `"root_pid":4294967296`), exit.KindUnreachable, malformed},
		{"root negative", Inspect, snapshot(`"root_pid":41`, `"root_pid":-1`), exit.KindUnreachable, malformed},
		{"no start", Inspect, snapshot(`"started_at":"`+stamp+`",`, ""), exit.KindUnreachable, malformed},
		{"no stream", Inspect, snapshot(`"jsonl":"/x/r.jsonl",`, ""), exit.KindUnreachable, malformed},
		{"stream null", Inspect, snapshot(`"/x/r.jsonl"`, "null"), exit.KindUnreachable, malformed},
		{"no capture directory", Inspect, snapshot(`"capture_dir":null,`, ""), exit.KindUnreachable, malformed},
		{"capture directory a number", Inspect, snapshot(`"capture_dir":null`, `"capture_dir":1`), exit.KindUnreachable, malformed},
		{"members null", Inspect, snapshot(`[{"pid":41,"ppid":40,"name":"a","start_time":"77"}]`, "null"), exit.KindUnreachable, malformed},
		{"members an object", Inspect, snapshot(`[{"pid":41,"ppid":40,"name":"a","start_time":"77"}]`, "{}"), exit.KindUnreachable, malformed},
		{"member a number", Inspect, snapshot(`[{"pid":41`, `[7,{"pid":41`), exit.KindUnreachable, malformed},
		{"member without pid", Inspect, snapshot(`"pid":41,`, ""), exit.KindUnreachable, malformed},
		{"member pid null", Inspect, snapshot(`"pid":41,"ppid"`, `"pid":null,"ppid"`), exit.KindUnreachable, malformed},
		{"member without name", Inspect, snapshot(`"name":"a",`, ""), exit.KindUnreachable, malformed},
		{"member start a number", Inspect, snapshot(`"77"`, "77"), exit.KindUnreachable, malformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			plant(t, dir, "a", "r", says(t, tt.reply))
			err := byID(dir, tt.verb)
			wantFailure(t, err, tt.verb, tt.kind, tt.cause)
			if err != nil && len(err.Error()) > 1100 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
		})
	}
}

func TestUsableAnswers(t *testing.T) {
	const v1 = `{"snapshot_version":1,"run_id":"r","mechanism":"job_object","root_pid":null,"started_at":"x","members":[],"later":{"a":[1]}}`
	tests := []struct{ name, reply, want string }{
		{"version 1", v1, `{"snapshot_version":1,"run_id":"r","mechanism":"job_object","root_pid":null,"started_at":"x","jsonl":null,"capture_dir":null,"members":[]}`},
		{"longest line", strings.Repeat(" ", maxLine-1-len(v1)) + v1, `{"snapshot_version":1,"run_id":"r","mechanism":"job_object","root_pid":null,"started_at":"x","jsonl":null,"capture_dir":null,"members":[]}`},
		{
			"nulls of version 2",
			`{"members":[{"start_time":null,"name":null,"ppid":null,"pid":4294967295}],"capture_dir":"/c","jsonl":"/j","started_at":"x","root_pid":1,"mechanism":"m","run_id":"r","snapshot_version":2}`,
			`{"snapshot_version":2,"run_id":"r","mechanism":"m","root_pid":1,"started_at":"x","jsonl":"/j","capture_dir":"/c","members":[{"pid":4294967295,"ppid":null,"name":null,"start_time":null}]}`,
		},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		plant(t, dir, "a", "r", says(t, tt.reply+"\n"))
		snap, err := InspectRun(dir, "r")
		if got := compact(t, snap); err != nil || got != tt.want {
			t.Errorf("%s: InspectRun() = %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

func TestClosesBeforeReading(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a", "r", fake(t, func(*os.File) {}))
	for _, verb := range []Verb{Inspect, Kill} {
		wantFailure(t, byID(dir, verb), verb, exit.KindUnreachable, "it closed the connection without an answer")
	}
}

func TestPatience(t *testing.T) {
	t.Parallel()
	full := func(t *testing.T) string { // nobody accepts, and the queue is full
		l, endpoint := newListener(t)
		shorten(t, l)
		for range maxClients {
			conn, err := dial(endpoint, time.Now())
			if errors.Is(err, os.ErrDeadlineExceeded) {
				return endpoint
			}
			if err != nil {
				t.Skipf("this kernel refuses instead of making clients wait: %v", err)
			}
			t.Cleanup(func() { conn.Close() })
		}
		t.Fatal("the queue never fills")
		return ""
	}
	drip := func(t *testing.T) string {
		return fake(t, func(conn *os.File) {
			for {
				if _, err := io.WriteString(conn, " "); err != nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	silent := func(t *testing.T) string {
		return fake(t, func(conn *os.File) { _, _ = io.Copy(io.Discard, conn) })
	}
	tests := []struct {
		name     string
		endpoint func(*testing.T) string
		cause    string
	}{
		{"never accepts", full, "cannot connect to its control endpoint: no answer within 5s"},
		{"never answers", silent, "cannot read the answer: no answer within 5s"},
		{"never ends its answer", drip, "cannot read the answer: no answer within 5s"},
	}
	var wg sync.WaitGroup // all at once: each takes its five seconds
	for _, tt := range tests {
		dir := t.TempDir()
		plant(t, dir, "a", "r", tt.endpoint(t))
		wg.Go(func() {
			begun := time.Now()
			wantFailure(t, byID(dir, Cancel), Cancel, exit.KindIPCDeadline, tt.cause)
			if took := time.Since(begun); took < patience-100*time.Millisecond || took > patience+3*time.Second {
				t.Errorf("%s: it took %v, want %v", tt.name, took, patience)
			}
		})
	}
	wg.Wait()
}

// TestRecheck changes the registry between the two looks at it.
func TestRecheck(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, dir string, e *entry, endpoint string)
		kind   exit.Kind
		cause  string
	}{
		{"duplicate registered", func(t *testing.T, dir string, _ *entry, _ string) {
			plant(t, dir, "b", "r", "")
		}, exit.KindAmbiguous, "it is ambiguous"},
		{"ended", func(_ *testing.T, _ string, e *entry, _ string) { e.end() }, exit.KindNotFound, "it is not registered"},
		{"died", func(_ *testing.T, _ string, e *entry, _ string) { e.die() }, exit.KindStale, "it is stale"},
		{"unprobed", func(_ *testing.T, _ string, e *entry, _ string) { e.blur() }, exit.KindUnprobed, "it is unprobed"},
		{"endpoint reused by another run", func(t *testing.T, dir string, e *entry, endpoint string) {
			e.end()
			plant(t, dir, "b", "s", endpoint)
		}, exit.KindNotFound, "it is not registered"},
		{"endpoint reused by a run of the same id", func(t *testing.T, dir string, e *entry, endpoint string) {
			e.end()
			plant(t, dir, "b", "r", endpoint)
		}, exit.KindUnreachable, "its identity changed while connecting; nothing was sent"},
		{"endpoint changed", func(_ *testing.T, _ string, e *entry, _ string) {
			e.write("r", nowhere)
		}, exit.KindUnreachable, "its identity changed while connecting; nothing was sent"},
		{"endpoint withdrawn", func(_ *testing.T, _ string, e *entry, _ string) { e.write("r", "") }, exit.KindUnreachable, "its identity changed while connecting; nothing was sent"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			heard := make(chan string, 1)
			endpoint := fake(t, func(conn *os.File) {
				b, _ := io.ReadAll(conn)
				heard <- string(b)
			})
			dir := t.TempDir()
			e := plant(t, dir, "a", "r", endpoint)
			f, err := resolve(dir, "r")
			if err != nil {
				t.Fatal(err)
			}
			tt.change(t, dir, e, endpoint)
			_, err = sendTo(dir, f, Kill)
			wantFailure(t, named(Kill, "r", err), Kill, tt.kind, tt.cause)
			if got := <-heard; got != "" {
				t.Errorf("%q was sent", got)
			}
		})
	}
}
