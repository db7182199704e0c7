package runcmd_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/fixtures/need"
)

// through makes pkc-run what a shell script executes in its place at the end,
// so that it starts under conditions that the script has made. The runner's
// own command line is "$@".
func through(r *invocation, script string) {
	r.cmd.Args = append([]string{"sh", "-c", script, "sh", r.cmd.Path}, r.cmd.Args[1:]...)
	r.cmd.Path = "/bin/sh"
}

// says waits until the child has written a line to its captured stdout.
func (r *invocation) says(line string) {
	r.t.Helper()
	waitFor(r.t, line+" from the child", func() bool {
		b, _ := os.ReadFile(r.path("cap", "stdout.log"))
		return strings.Contains("\n"+string(b), "\n"+line+"\n")
	})
}

// began waits for an event.
func (r *invocation) began(event string) {
	r.t.Helper()
	waitFor(r.t, event, func() bool { return strings.Contains(r.raw(), `"event":"`+event+`"`) })
}

func (r *invocation) signal(sigs ...os.Signal) {
	r.t.Helper()
	for _, s := range sigs {
		if err := r.cmd.Process.Signal(s); err != nil {
			r.t.Fatal(err)
		}
	}
}

// ended waits for the end and returns the stream.
func (r *invocation) ended(want int) stream {
	r.t.Helper()
	if got := r.wait(); got != want {
		r.t.Fatalf("code = %d, want %d; stderr: %s\n%s", got, want, r.err.String(), r.raw())
	}
	return r.stream()
}

func TestStopSignals(t *testing.T) {
	type row struct {
		sig    syscall.Signal
		source string
		name   string
	}
	tests := []row{
		{syscall.SIGINT, "ctrl_c", "SIGINT"},
		{syscall.SIGTERM, "sigterm", "SIGTERM"},
		{syscall.SIGHUP, "sighup", "SIGHUP"},
	}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		r := start(t, use, "--capture-dir", "cap", "--grace", "20s", "--", "child", "obey-term", "--code", "3", "--say", "bye")
		r.says("ready")
		r.signal(tt.sig)
		s := r.ended(107)
		check(t, s.one(t, "cancelled"), "source", `"`+tt.source+`"`, "grace_ms", "20000")
		check(t, s.one(t, "cleanup_finished"), "soft_terminate", `"signalled"`, "shutdown.drained_within_grace", "true")
		check(t, s.one(t, "runner_exit"), "code", "107", "source", `"cancelled"`, "child_code", "null")
		s.clean(t)
		r.gone()
		if got := r.out.String(); got != "ready\nbye\n" {
			t.Errorf("stdout = %q", got)
		}
		one := r.err.String()
		if want := "run cancelled (" + tt.name + ")"; !strings.Contains(one, want) || strings.Count(one, "\n") != 1 {
			t.Errorf("stderr = %q, want one line with %q", one, want)
		}
	})
}

func TestFurtherSignalsAreAbsorbed(t *testing.T) {
	t.Parallel()
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		t.Parallel()
		r := start(t, use, "--capture-dir", "cap", "--grace", "1s", "--", "child", "ignore-term")
		r.says("ready")
		r.signal(syscall.SIGTERM)
		r.began("cleanup_started")
		for range 10 {
			r.signal(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		}
		s := r.ended(107)
		check(t, s.one(t, "cancelled"), "source", `"sigterm"`)
		if ms := s.one(t, "cleanup_finished").Get("shutdown.elapsed_ms").Int(); ms < 1000 {
			t.Errorf("the grace was %d ms, want 1000", ms)
		}
		r.gone()
	})
}

// What nohup does must hold for the runner and for its child.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	t.Parallel()
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		r := start(t, func(r *invocation) {
			use(r)
			through(r, `trap "" HUP INT; exec "$@"`)
		}, "--capture-dir", "cap", "--", "sh", "-c", "grep SigIgn /proc/self/status; echo ready; exec sleep 600")
		r.says("ready")
		r.signal(syscall.SIGHUP, syscall.SIGINT)
		// Had one of those counted, it would have come first.
		r.signal(syscall.SIGTERM)
		check(t, r.ended(107).one(t, "cancelled"), "source", `"sigterm"`)
		var ignored uint64
		if _, err := fmt.Sscanf(r.out.String(), "SigIgn:\t%x", &ignored); err != nil || ignored&3 != 3 {
			t.Errorf("the child says %q, %v; want signals 1 and 2", r.out.String(), err)
		}
		r.gone()
	})
}

func TestSignalBeforeTheChild(t *testing.T) {
	type row struct{ flag, name string }
	tests := []row{{"--stdin-file", "SIGTERM"}, {"--env-file", "SIGTERM"}, {"--stdin-file", "SIGINT"}, {"--env-file", "SIGHUP"}}
	together(t, tests, func(tt row) string { return tt.flag + " " + tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		r := start(t, func(r *invocation) {
			use(r)
			if err := unix.Mkfifo(r.path("fifo"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, tt.flag, "fifo", "--", "child", "pidfile", "pid", "exit", "0")
		// The stream is opened after signals are, and before the FIFO.
		waitFor(t, "stream", func() bool {
			_, err := os.Stat(r.path("events.jsonl"))
			return err == nil
		})
		r.signal(unix.SignalNum(tt.name))
		s := r.ended(107)
		if got := strings.Join(s.names(), " "); got != "runner_exit" {
			t.Errorf("events = %s, want runner_exit alone", got)
		}
		check(t, s.one(t, "runner_exit"), "code", "107", "source", `"cancelled"`, "child_code", "null")
		if got := r.err.String(); !strings.Contains(got, tt.name) {
			t.Errorf("stderr = %q, want %s in it", got, tt.name)
		}
		if _, err := os.Stat(r.path("pid")); err == nil {
			t.Error("the program was started")
		}
		r.gone()
	})
}

// reapScript ends with 5 once a process that its parent left behind is dead
// and reaped: a zombie keeps its entry in /proc.
const reapScript = `(sleep 0.05 & echo $! >orphan); while [ -e /proc/$(cat orphan) ]; do sleep 0.01; done; exit 5`

func TestOrphansAreReaped(t *testing.T) {
	t.Parallel()
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		r, s := do(t, 5, use, "--", "sh", "-c", reapScript)
		s.clean(t)
		r.gone()
	})
}

// With SIGCHLD ignored the kernel would reap the child before we see its code.
func TestIgnoredSIGCHLD(t *testing.T) {
	t.Parallel()
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		_, s := do(t, 5, func(r *invocation) {
			use(r)
			through(r, `trap "" CHLD; exec "$@"`)
		}, "--", "child", "exit", "5")
		s.clean(t)
	})
}

// asInit makes pkc-run process 1 of a namespace that has its own /proc.
func asInit(r *invocation) {
	const own = `mount --make-rprivate / && mount -t proc proc /proc && `
	through(r, own+`exec "$@"`)
	r.cmd.SysProcAttr = namespaces()
}

func namespaces() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	return attr
}

func TestAsInit(t *testing.T) {
	t.Parallel()
	try := exec.Command("/bin/sh", "-c", "mount --make-rprivate / && mount -t proc proc /proc")
	try.SysProcAttr = namespaces()
	out, err := try.CombinedOutput()
	need.Fact(t, "pid_namespace", err == nil, fmt.Sprintf("%v: %s", err, out))
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		prepare := func(r *invocation) {
			use(r)
			asInit(r)
		}
		t.Run("orphans", func(t *testing.T) {
			r, s := do(t, 5, prepare, "--", "sh", "-c", reapScript)
			s.clean(t)
			r.gone()
		})
		t.Run("signal", func(t *testing.T) {
			r := start(t, prepare, "--capture-dir", "cap", "--grace", "20s", "--", "child", "daemonize", "--stay", "obey-term", "--say", "bye")
			r.says("ready")
			r.signal(syscall.SIGTERM)
			s := r.ended(107)
			check(t, s.one(t, "cancelled"), "source", `"sigterm"`)
			check(t, s.one(t, "cleanup_started"), "members_before", "2")
			check(t, s.one(t, "cleanup_finished"), "shutdown.drained_within_grace", "true")
			s.clean(t)
			r.gone()
		})
		t.Run("deadline", func(t *testing.T) {
			r, s := do(t, 106, prepare, "--timeout", "500ms", "--", "child", "daemonize", "--stay", "ignore-term", "spawn", "2", "hang")
			s.clean(t)
			r.gone()
			if took := since(s.one(t, "timeout"), s.one(t, "runner_exit")); took > 2*time.Second {
				t.Errorf("the teardown took %v", took)
			}
		})
	})
}
