package waitcmd_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"processkit-cli/fixtures/script"
	"processkit-cli/pkc-wait/waitcmd"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/registry"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pkc-wait": func() { applet.Main(waitcmd.New()) },
		"runner":   runner,
	})
}

const (
	stamp    = "2027-02-03T04:05:06.007Z"
	patience = 30 * time.Second // for what must happen soon
)

// runner ID [STREAM]: registers a run, says so, and lives until its stdin ends.
func runner() {
	r := registry.Record{RunID: os.Args[1], StartedAt: stamp}
	if len(os.Args) > 2 {
		r.JSONL = &os.Args[2]
	}
	e, err := registry.Register(os.Getenv(registry.DirEnv), r)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	e.Remove()
}

func TestScripts(t *testing.T) {
	script.Run(t, map[string]script.Command{"live": live})
}

// live ID: registers a run that lives as long as the script.
func live(ts *testscript.TestScript, _ bool, args []string) {
	e, err := registry.Register(ts.Getenv(registry.DirEnv), registry.Record{RunID: args[0], StartedAt: stamp})
	ts.Check(err)
	ts.Defer(func() { e.Remove() })
}

// process is a child of the test that ends with it.
type process struct {
	*exec.Cmd
	t    testing.TB
	in   io.WriteCloser
	out  bytes.Buffer
	err  bytes.Buffer
	done chan struct{}
}

// command prepares one; begin starts it.
func command(t testing.TB, dir, name string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(name, args...), t: t, done: make(chan struct{})}
	p.Env = append(os.Environ(), registry.DirEnv+"="+dir)
	p.Stdout, p.Stderr = &p.out, &p.err
	var err error
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	return p
}

// waiter starts pkc-wait.
func waiter(t testing.TB, dir string, args ...string) *process {
	t.Helper()
	p := command(t, dir, "pkc-wait", args...)
	p.begin()
	return p
}

// ready starts a runner and returns when it is registered.
func ready(t testing.TB, dir string, args ...string) *process {
	t.Helper()
	p := command(t, dir, "runner", args...)
	r, w := io.Pipe()
	p.Stdout = w
	p.begin()
	if line, err := bufio.NewReader(r).ReadString('\n'); line != "ready\n" {
		t.Fatalf("runner says %q, %v", line, err)
	}
	return p
}

func (p *process) begin() {
	p.t.Helper()
	if err := p.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.Wait()
	}()
	p.t.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.done
	})
}

// ends waits for the process and compares how it ended.
func (p *process) ends(code int, stdout string) {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatalf("%q still runs after %v", p.Args, patience)
	}
	if got := p.ProcessState.ExitCode(); got != code || p.out.String() != stdout {
		p.t.Errorf("%q = %d, %q, want %d, %q; stderr: %s", p.Args, got, p.out.String(), code, stdout, p.err.String())
	}
}

func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// register makes an entry that lasts as long as the test at most.
func register(t testing.TB, dir string, r registry.Record) *registry.Entry {
	t.Helper()
	r.StartedAt = stamp
	e, err := registry.Register(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Remove() })
	return e
}

// TestEnds: a run is over when it ended in order and when its runner died. In
// time or before the wait began, which makes no difference.
func TestEnds(t *testing.T) {
	for _, how := range []string{"in order", "killed"} {
		for _, target := range []string{"--run-id=a", "--all"} {
			t.Run(how+target, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				run := ready(t, dir, "a")
				waiter(t, dir, target, "--timeout=100ms").ends(112, "")
				forever, bounded := waiter(t, dir, target), waiter(t, dir, target, "--timeout=1h")
				if !forever.running() || !bounded.running() {
					t.Error("wait ended before the run")
				}
				if how == "killed" {
					run.Process.Kill()
				} else {
					run.in.Close()
				}
				forever.ends(0, "")
				bounded.ends(0, "")
			})
		}
	}
}

// stream writes the start of a run to a new file.
func stream(t *testing.T, runID string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "events.jsonl")
	add(t, path, fmt.Sprintf(`{"schema_version":1,"time":%q,"event":"run_started","run_id":%q}`, stamp, runID))
	return path
}

func add(t *testing.T, path, line string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(line + "\n"); err != nil {
		t.Fatal(err)
	}
}

const runnerExit = `{"schema_version":1,"time":"2027-02-03T04:05:07.000Z","event":"runner_exit","code":%s,"source":%q,"child_code":%s}`

// TestAmbiguous: a second live run of the id ends the wait, whenever it comes.
func TestAmbiguous(t *testing.T) {
	dir := t.TempDir()
	register(t, dir, registry.Record{RunID: "a"})
	p := waiter(t, dir, "--run-id", "a", "--report-outcome")
	register(t, dir, registry.Record{RunID: "a"})
	p.ends(103, "")
	if want := "pkc-wait: run \"a\" is ambiguous: 2 live runs have this id\n"; p.err.String() != want {
		t.Errorf("wait says %q, want %q", p.err.String(), want)
	}
}

// TestIdle: waiting takes no processor time.
func TestIdle(t *testing.T) {
	dir := t.TempDir()
	register(t, dir, registry.Record{RunID: "a"})
	p := waiter(t, dir, "--run-id", "a", "--timeout", "2s")
	p.ends(112, "")
	if used := p.ProcessState.UserTime() + p.ProcessState.SystemTime(); used > 500*time.Millisecond {
		t.Errorf("wait used %v in 2s", used)
	}
}
