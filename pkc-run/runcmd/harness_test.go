package runcmd_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"

	"processkit-cli/fixtures/child/childcmd"
	"processkit-cli/fixtures/oracle"
	"processkit-cli/fixtures/script"
	"processkit-cli/pkc-run/runcmd"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/registry"
)

// The test binary plays the tool and the misbehaving child: every test below
// runs real processes, also where only one static file can be brought along.
func TestMain(m *testing.M) {
	programs := map[string]func(){
		"pkc-run": func() {
			meddle()
			applet.Main(runcmd.New())
		},
		"child": func() { os.Exit(childcmd.Main(os.Args[1:])) },
	}
	maps.Copy(programs, nativePrograms())
	testscript.Main(apart{m}, programs)
}

// apart runs the tests with a registry of their own.
type apart struct{ m *testing.M }

func (a apart) Run() int {
	dir, err := os.MkdirTemp("", "registry-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv(registry.DirEnv, dir); err != nil {
		panic(err)
	}
	defer registry.Prune(dir, registry.PruneOptions{}) // of runners that tests killed
	return script.Tests{M: a.m}.Run()
}

// limit bounds every wait for something that should come at once.
const limit = 30 * time.Second

// invocation is one call of pkc-run.
type invocation struct {
	t    *testing.T
	dir  string   // where it runs, and where events.jsonl goes
	env  []string // added to ours
	cmd  *exec.Cmd
	out  bytes.Buffer
	err  bytes.Buffer
	done chan struct{}

	detached bool // the run goes on when pkc-run has ended
	killed   bool // on purpose, where the exit code does not tell
}

// start calls pkc-run with --jsonl in a fresh directory. prepare may change
// the command before it starts.
func start(t *testing.T, prepare func(*invocation), args ...string) *invocation {
	t.Helper()
	r := &invocation{t: t, dir: t.TempDir(), done: make(chan struct{})}
	path, err := exec.LookPath("pkc-run")
	if err != nil {
		t.Fatal(err)
	}
	r.cmd = exec.Command(path, append([]string{"--jsonl", "events.jsonl"}, args...)...)
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.err
	// A leaked grandchild must show as one, not as a test that hangs.
	r.cmd.WaitDelay = time.Second
	if prepare != nil {
		prepare(r)
	}
	r.cmd.Dir = r.dir
	r.cmd.Env = append(os.Environ(), r.env...)
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.done)
		_ = r.cmd.Wait()
	}()
	t.Cleanup(func() {
		select {
		case <-r.done:
			r.unregistered()
		default:
			_ = r.cmd.Process.Kill()
			<-r.done
		}
	})
	return r
}

// wait returns the exit code: -1 for a death by signal.
func (r *invocation) wait() int {
	r.t.Helper()
	select {
	case <-r.done:
		return r.cmd.ProcessState.ExitCode()
	case <-time.After(limit):
		r.t.Fatalf("pkc-run still runs after %v; stderr: %s", limit, r.err.String())
		return 0
	}
}

// do runs pkc-run to its end, expects a code, and returns a valid stream.
func do(t *testing.T, want int, prepare func(*invocation), args ...string) (*invocation, stream) {
	t.Helper()
	r := start(t, prepare, args...)
	if got := r.wait(); got != want {
		t.Fatalf("pkc-run %q = %d, want %d; stderr: %s\n%s", args, got, want, r.err.String(), r.raw())
	}
	return r, r.stream()
}

// unregistered expects that a runner which was not killed has left nothing.
func (r *invocation) unregistered() {
	if r.detached || r.killed || r.cmd.ProcessState.ExitCode() < 0 {
		return
	}
	found, err := registry.Scan(os.Getenv(registry.DirEnv))
	if err != nil {
		r.t.Error(err)
	}
	for _, f := range found {
		if f.JSONL != nil && *f.JSONL == r.path("events.jsonl") {
			r.t.Errorf("still in the registry: %s", f.Path)
		}
	}
	for _, dir := range leaves(r.t, r.cmd.Process.Pid) {
		r.t.Errorf("left of the run: %s", dir)
	}
}

func (r *invocation) path(elem ...string) string {
	return filepath.Join(append([]string{r.dir}, elem...)...)
}

func (r *invocation) raw() string {
	b, _ := os.ReadFile(r.path("events.jsonl"))
	return string(b)
}

// stream is a whole stream, one parsed event each.
type stream []gjson.Result

// stream reads the events and holds them against the schema and the order.
func (r *invocation) stream() stream {
	r.t.Helper()
	var s stream
	var names []string
	for line := range strings.Lines(r.raw()) {
		if err := oracle.Line([]byte(line)); err != nil {
			r.t.Errorf("%sdoes not conform: %v", line, err)
		}
		e := gjson.Parse(line)
		s = append(s, e)
		names = append(names, e.Get("event").String())
	}
	if err := oracle.Order(names); err != nil {
		r.t.Error(err)
	}
	return s
}

// one returns the event of a name that must be there once.
func (s stream) one(t *testing.T, name string) gjson.Result {
	t.Helper()
	all := s.all(name)
	if len(all) != 1 {
		t.Fatalf("stream has %d %s events, want 1: %v", len(all), name, s.names())
	}
	return all[0]
}

func (s stream) all(name string) []gjson.Result {
	var found []gjson.Result
	for _, e := range s {
		if e.Get("event").String() == name {
			found = append(found, e)
		}
	}
	return found
}

func (s stream) names() []string {
	var names []string
	for _, e := range s {
		names = append(names, e.Get("event").String())
	}
	return names
}

// check compares fields of an event, given as path and JSON text.
func check(t *testing.T, e gjson.Result, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := e.Get(pairs[i]).Raw; got != pairs[i+1] {
			t.Errorf("%s.%s = %s, want %s", e.Get("event"), pairs[i], got, pairs[i+1])
		}
	}
}

// clean expects a teardown that left nothing.
func (s stream) clean(t *testing.T) {
	t.Helper()
	check(t, s.one(t, "cleanup_finished"), "remaining", "0", "read_error", "false", "kill_error", "false")
}

// waitFor polls until ok, with a deadline. Cleanups may use it too, so it does
// not go by the test's context.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %s after %v", what, limit)
		}
	}
}

// waitForFile returns the content of a file once it has some.
func waitForFile(t *testing.T, path string) string {
	t.Helper()
	var content []byte
	waitFor(t, path, func() bool {
		var err error
		content, err = os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return len(content) > 0
	})
	return string(content)
}

// childPath is for runs whose child has no PATH.
func childPath(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("child")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
