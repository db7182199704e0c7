package runcmd_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"processkit-cli/fixtures/need"
	"processkit-cli/pkcshared/control"
	"processkit-cli/pkcshared/registry"
)

// detached starts a run by --detach, expects a code from the launcher, and
// has whatever may be left of the run ended.
func detached(t *testing.T, want int, prepare func(*invocation), args ...string) (*invocation, string) {
	t.Helper()
	id := fmt.Sprintf("%s-%d", strings.ReplaceAll(t.Name(), "/", "-"), time.Now().UnixNano())
	r := start(t, prepare, append([]string{"--detach", "--run-id", id}, args...)...)
	t.Cleanup(func() {
		_, _ = control.Send(os.Getenv(registry.DirEnv), id, control.Kill)
		waitFor(t, "end of the detached run", func() bool { return !registered(t, id) })
	})
	// The launcher's own end must not look like the run's.
	if got := r.launched(); got != want {
		t.Fatalf("--detach = %d, want %d; stderr: %s", got, want, r.err.String())
	}
	return r, id
}

// launched waits for the launcher.
func (r *invocation) launched() int {
	r.t.Helper()
	r.detached = true
	return r.wait()
}

func registered(t *testing.T, id string) bool {
	t.Helper()
	found, err := registry.Find(os.Getenv(registry.DirEnv), id)
	if err != nil {
		t.Fatal(err)
	}
	return len(found) > 0
}

// finished waits for the end of a detached run and returns its stream.
func (r *invocation) finished() stream {
	r.t.Helper()
	waitFor(r.t, "runner_exit", func() bool { return strings.Contains(r.raw(), `"event":"runner_exit"`) })
	return r.stream()
}

func TestDetach(t *testing.T) {
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		r, id := detached(t, 0, use, "--capture-dir", "logs", "--", "child", "do", "echo", "hi", "+", "hang")
		if r.out.Len()+r.err.Len() > 0 {
			t.Errorf("the launcher printed %q and %q, want nothing", r.out.String(), r.err.String())
		}
		started := gjson.Parse(strings.SplitN(r.raw(), "\n", 2)[0])
		check(t, started, "event", `"run_started"`, "run_id", strconv.Quote(id))
		snap, err := control.InspectRun(os.Getenv(registry.DirEnv), id)
		if err != nil {
			t.Fatal(err)
		}
		if len(snap.Members) != 1 || *snap.Members[0].Name != "child" {
			t.Errorf("members = %+v", snap.Members)
		}
		if got := waitForFile(t, r.path("logs", "stdout.log")); got != "hi\n" {
			t.Errorf("captured %q", got)
		}
		if _, err := control.Send(os.Getenv(registry.DirEnv), id, control.Cancel); err != nil {
			t.Fatal(err)
		}
		s := r.finished()
		check(t, s.one(t, "cancelled"), "source", `"control_cancel"`)
		check(t, s.one(t, "runner_exit"), "code", "108", "source", `"control_cancel"`)
		s.clean(t)
	})
}

// The copy is in a session of its own, on the null device, and holds nothing
// of its caller's.
func TestDetachedFromItsCaller(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	r, id := detached(t, 0, func(r *invocation) {
		r.cmd.ExtraFiles = []*os.File{writer, writer}
		r.env = append(r.env, "PROCESSKIT_CLI_READY_FD=99") // a stray one
		r.cmd.Stdin = strings.NewReader("not for the child")
	}, "--no-echo", "--capture-dir", "logs", "--", "child", "do", "print-fds", "+", "print-ids", "+", "cat", "+", "hang")
	writer.Close()
	ended := make(chan error, 1)
	go func() {
		_, err := io.ReadAll(reader)
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(limit):
		t.Fatal("the detached run holds its caller's pipe")
	}
	var out string
	waitFor(t, "the child's report", func() bool {
		out = waitForFile(t, r.path("logs", "stdout.log"))
		return strings.Contains(out, "sid ")
	})
	for line := range strings.Lines(out) {
		if sid, ok := strings.CutPrefix(line, "sid "); ok {
			snap, err := control.InspectRun(os.Getenv(registry.DirEnv), id)
			if err != nil {
				t.Fatal(err)
			}
			if runner := fmt.Sprint(*snap.Members[0].PPID); strings.TrimSpace(sid) != runner {
				t.Errorf("session of the child is %s, want the runner's own, %s", sid, runner)
			}
		}
		if fd, err := strconv.Atoi(strings.Fields(line)[0]); err == nil && fd > 2 && strings.Contains(line, "pipe:") {
			t.Errorf("the child holds %s", line)
		}
	}
}

func TestDetachedStartFailures(t *testing.T) {
	tests := []struct {
		name string
		want int
		args []string
		says string
	}{
		{"no such program", 101, []string{"--", "no-such-program"}, `cannot start "no-such-program"`},
		{"capture directory", 111, []string{"--capture-dir", "/proc/none", "--", "child", "hang"}, "--capture-dir: "},
		{"mechanism", 102, []string{"--max-memory", "1", "--", "child", "hang"}, "cap cannot be applied"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := detached(t, tt.want, func(r *invocation) {
				r.env = append(r.env, "PROCESSKIT_CLI_MECHANISM=process_group")
			}, tt.args...)
			if got := r.err.String(); !strings.Contains(got, tt.says) || strings.Count(got, "\n") != 1 {
				t.Errorf("stderr = %q, want one line with %q", got, tt.says)
			}
			check(t, r.stream().one(t, "runner_exit"), "code", fmt.Sprint(tt.want))
		})
	}
	t.Run("not a regular file", func(t *testing.T) {
		r := start(t, func(r *invocation) { r.cmd.Args[2] = "/dev/null" }, "--detach", "--", "child", "hang")
		if got := r.launched(); got != 111 || !strings.Contains(r.err.String(), "regular file") {
			t.Errorf("--detach = %d, stderr %q", got, r.err.String())
		}
	})
}

// A run that nobody will find must not start in silence.
func TestDetachedWarnings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, child := range [][]string{{"exit", "0"}, {"drip", "x", "10ms", "30"}} { // over before the launcher hears, and not
		r := start(t, func(r *invocation) { r.env = append(r.env, registry.DirEnv+"="+file) },
			append([]string{"--detach", "--", "child"}, child...)...)
		if got := r.launched(); got != 0 {
			t.Errorf("--detach = %d", got)
		}
		r.finished()
		if got := r.err.String(); !strings.HasPrefix(got, "pkc-run: warning: the run is not in the registry: ") || strings.Count(got, "\n") != 1 {
			t.Errorf("stderr = %q", got)
		}
	}
}

// What an earlier run left in the stream is no proof for this one.
func TestDetachDoesNotBelieveAnOldStream(t *testing.T) {
	_, id := detached(t, 101, func(r *invocation) {
		id := r.cmd.Args[5]
		old := fmt.Sprintf(`{"schema_version":1,"time":"2026-01-01T00:00:00.000Z","event":"run_started","run_id":%q}`+"\n", id)
		if err := os.WriteFile(filepath.Join(r.dir, "events.jsonl"), []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
	}, "--", "no-such-program")
	if registered(t, id) {
		t.Error("a run that did not start is registered")
	}
}

func TestDetachForwardsTheCommandLine(t *testing.T) {
	big := strings.Repeat("x", 120_000)
	r, _ := detached(t, 0, nil, "--argv-raw", "--env", "A=1", "--", "child", "print-argv", "--detach", "--", big)
	s := r.finished()
	argv := s.one(t, "run_started").Get("command.argv").Array()
	if len(argv) != 5 || argv[2].Str != "--detach" || argv[3].Str != "--" || argv[4].Str != big {
		t.Errorf("argv = %.200v", argv)
	}
	check(t, s.one(t, "runner_exit"), "code", "0", "child_code", "0")
}

// A copy that cannot record its start ends like any run, with its whole tree.
func TestDetachCannotRecord(t *testing.T) {
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		r := start(t, func(r *invocation) {
			use(r)
			through(r, `ulimit -f 0; exec "$@"`)
		}, "--detach", "--", "sh", "-c", "sleep 600 & exec sleep 600")
		if got := r.launched(); got != 111 || !strings.Contains(r.err.String(), "could not record its start") {
			t.Errorf("--detach = %d, stderr %q", got, r.err.String())
		}
		r.gone()
	})
}

// A copy that cannot get to its child is blocked here on a FIFO.
func blockedCopy(t *testing.T) (*invocation, int) {
	t.Helper()
	r := start(t, func(r *invocation) {
		if err := syscall.Mkfifo(filepath.Join(r.dir, "fifo"), 0o600); err != nil {
			t.Fatal(err)
		}
	}, "--detach", "--stdin-file", "fifo", "--", "child", "cat")
	r.detached = true
	var pid int
	waitFor(t, "copy of the runner", func() bool {
		pid, _ = strconv.Atoi(string(bytes.TrimSpace(childrenOf(r.cmd.Process.Pid))))
		return pid > 0 && exists(r.path("events.jsonl"))
	})
	return r, pid
}

// childrenOf asks every thread: any may have forked.
func childrenOf(pid int) []byte {
	var all []byte
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		b, _ := os.ReadFile(task)
		all = append(all, b...)
	}
	return all
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestDetachedCopyDiesUnexplained(t *testing.T) {
	r, pid := blockedCopy(t)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := r.wait(); got != 111 || !strings.Contains(r.err.String(), "ended before it started") {
		t.Errorf("--detach = %d, stderr %q", got, r.err.String())
	}
}

func TestDetachLauncherIsStopped(t *testing.T) {
	r, pid := blockedCopy(t)
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := r.wait(); got != 107 {
		t.Errorf("--detach = %d, want 107; stderr %q", got, r.err.String())
	}
	waitFor(t, "end of the copy", func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
}

// The launching process group is gone and hung up; the run is not.
func TestDetachedRunSurvivesHangUp(t *testing.T) {
	sh, err := exec.LookPath("sh")
	need.Fact(t, "sh", err == nil, "no shell")
	dir := t.TempDir()
	id := "hangup-" + filepath.Base(dir)
	cmd := exec.Command(sh, "-c", `pkc-run --detach --jsonl events.jsonl --run-id "$1" -- child hang && kill -HUP 0`, "sh", id)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	_ = cmd.Run()
	defer func() {
		_, _ = control.Send(os.Getenv(registry.DirEnv), id, control.Kill)
		waitFor(t, "end of the run", func() bool { return !registered(t, id) })
	}()
	if _, err := control.InspectRun(os.Getenv(registry.DirEnv), id); err != nil {
		t.Fatalf("after the hang-up: %v", err)
	}
}
