package eventscmd_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"processkit-cli/pkc-events/eventscmd"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/registry"
)

// The test binary plays the tool, and a runner that can be killed.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pkc-events": func() { applet.Main(eventscmd.New()) },
		"runner":     runner,
	})
}

// runner RUN-ID STREAM registers a run and does nothing until it is killed.
func runner() {
	e, err := registry.Register(os.Getenv(registry.DirEnv), record(os.Args[1], &os.Args[2]))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("registered")
	_, _ = io.Copy(io.Discard, os.Stdin)
	e.Remove()
}

func record(id string, jsonl *string) registry.Record {
	return registry.Record{RunID: id, StartedAt: "2026-03-14T10:24:17.661Z", JSONL: jsonl}
}

// limit bounds every wait for something that should come at once.
const limit = 20 * time.Second

// place is a directory with a stream, and a registry.
type place struct {
	t        *testing.T
	stream   string
	registry string
}

func newPlace(t *testing.T, content string) *place {
	t.Helper()
	dir := t.TempDir()
	p := &place{t, filepath.Join(dir, "events.jsonl"), filepath.Join(dir, "runs")}
	p.append(content)
	return p
}

func (p *place) append(s string) {
	p.t.Helper()
	f, err := os.OpenFile(p.stream, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(s); err != nil {
		p.t.Fatal(err)
	}
}

// register adds a run of this process, so a live one, until the test ends.
func (p *place) register(id string, jsonl *string) *registry.Entry {
	p.t.Helper()
	e, err := registry.Register(p.registry, record(id, jsonl))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { e.Remove() })
	return e
}

// command returns a call of a program that the test binary plays.
func (p *place) command(name string, args ...string) *exec.Cmd {
	p.t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	p.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), registry.DirEnv+"="+p.registry)
	return cmd
}

// runner starts a live run in another process and returns it.
func (p *place) runner(id string) *exec.Cmd {
	p.t.Helper()
	cmd := p.command("runner", id, p.stream)
	in, err := cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	if _, err := io.ReadFull(out, make([]byte, len("registered\n"))); err != nil {
		p.t.Fatalf("runner: %v", err)
	}
	return cmd
}

// do calls pkc-events on the stream and returns what it printed.
func (p *place) do(want int, args ...string) (stdout, stderr string) {
	p.t.Helper()
	return p.call(want, append([]string{"--file", p.stream}, args...)...)
}

// call calls pkc-events and expects a code.
func (p *place) call(want int, args ...string) (stdout, stderr string) {
	p.t.Helper()
	var out, err bytes.Buffer
	cmd := p.command("pkc-events", args...)
	cmd.Stdout, cmd.Stderr = &out, &err
	_ = cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != want {
		p.t.Errorf("pkc-events %q = %d, want %d; stderr: %s", args, got, want, err.String())
	}
	return out.String(), err.String()
}

// following is a pkc-events that has not ended yet.
type following struct {
	*place
	cmd      *exec.Cmd
	out, err output
	done     chan struct{}
}

func (p *place) follow(args ...string) *following {
	p.t.Helper()
	f := &following{place: p, cmd: p.command("pkc-events", append(args, "--follow")...), done: make(chan struct{})}
	f.cmd.Stdout, f.cmd.Stderr = &f.out, &f.err
	if err := f.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		defer close(f.done)
		_ = f.cmd.Wait()
	}()
	p.t.Cleanup(func() {
		_ = f.cmd.Process.Kill()
		<-f.done
	})
	return f
}

// sees waits for a text on stdout.
func (f *following) sees(text string) {
	f.t.Helper()
	waitFor(f.t, text, func() bool { return strings.Contains(f.out.String(), text) })
}

// ends waits for the end and expects a code.
func (f *following) ends(want int) {
	f.t.Helper()
	select {
	case <-f.done:
	case <-time.After(limit):
		f.t.Fatalf("pkc-events still runs after %v", limit)
	}
	if got := f.cmd.ProcessState.ExitCode(); got != want {
		f.t.Errorf("pkc-events = %d, want %d; stderr: %s", got, want, f.err.String())
	}
}

// goesOn expects that following lasts for longer than a settled end would need.
func (f *following) goesOn() {
	f.t.Helper()
	select {
	case <-f.done:
		f.t.Fatalf("pkc-events ended: %s%s", f.out.String(), f.err.String())
	case <-time.After(1200 * time.Millisecond):
	}
}

// output is a buffer to look into while it is written.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// waitFor polls until ok, with a deadline.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for start := time.Now(); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Since(start) > limit {
			t.Fatalf("no %s after %v", what, limit)
		}
	}
}
