package runcmd_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The child finds what it would have found without a runner. Each row makes
// some conditions and asks a program that is no Go program, for the runtime
// of those changes part of what it has inherited.
func TestTransparent(t *testing.T) {
	type row struct {
		name   string
		script string // ends in: execute "$@"
		child  []string
	}
	status := []string{"grep", "-E", "^(Umask|Groups|SigBlk|SigIgn|Cap|NoNewPrivs|Seccomp:|Speculation|Cpus_allowed:|Mems_allowed:)", "/proc/self/status"}
	limits := []string{"cat", "/proc/self/limits"}
	tests := []row{
		{"status", "", status},
		{"ignored signals", `trap "" HUP INT TSTP TTOU`, status},
		{"umask", "umask 0137", status},
		{"limits", "", limits},
		{"lowered limits", "ulimit -Sn 99; ulimit -c 0; ulimit -St 600", limits},
		{"niceness", "", []string{"nice"}},
		{"lowered niceness", `set -- nice -n 7 "$@"`, []string{"nice"}},
		{"out-of-memory score", "", []string{"cat", "/proc/self/oom_score_adj"}},
		{"directory", "mkdir -p d && cd d", []string{"pwd", "-P"}},
		{"directory by a link", "mkdir -p d && ln -sfn d l && cd l", []string{"sh", "-c", "pwd -L; pwd -P"}},
		{"descriptors", "", []string{"child", "print-fds"}},
		{"descriptors given on purpose", "exec 7</dev/zero", []string{"child", "print-fds"}},
		{"environment", "export EMPTY= SPACE='a b' LINE='a\nb' EQ='a=b' BAD=$(printf 'x\\351y')", []string{"env", "-0"}},
		{"arguments", "", []string{"child", "print-argv", "", " ", "a\nb", "\xff\xfe", `"'\`, "--help", "--", "-", "$HOME", "é\u202e"}},
	}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		script := tt.script + "\n" + `exec "$@"`
		var direct invocation
		direct.t, direct.dir = t, t.TempDir()
		use(&direct)
		prepare := func(r *invocation) {
			use(r)
			// One directory, so that only the runner makes a difference.
			r.dir = direct.dir
			through(r, script)
			r.cmd.Stdin = nil
		}
		r := start(t, prepare, append([]string{"--jsonl", direct.dir + "/events.jsonl", "--"}, tt.child...)[2:]...)
		if code := r.wait(); code != 0 {
			t.Fatalf("code = %d; stderr: %s", code, r.err.String())
		}
		cmd := exec.Command("/bin/sh", append([]string{"-c", script, "sh"}, tt.child...)...)
		cmd.Dir = direct.dir
		cmd.Env = append(os.Environ(), direct.env...)
		want, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		got := r.out.Bytes()
		if strings.HasPrefix(tt.name, "descriptors") {
			// The pipes are others.
			got, want = withoutNumbers(got), withoutNumbers(want)
		}
		if !bytes.Equal(got, want) || len(want) == 0 {
			t.Errorf("the child of pkc-run says\n%q, by itself\n%q", got, want)
		}
	})
}

// withoutNumbers turns "1 pipe:[123]" into "1 pipe", and leaves stderr out.
func withoutNumbers(b []byte) []byte {
	var out []byte
	for line := range bytes.Lines(b) {
		if !bytes.HasPrefix(line, []byte("2 ")) {
			line, _, _ = bytes.Cut(line, []byte(":["))
			out = append(append(out, bytes.TrimSpace(line)...), '\n')
		}
	}
	return out
}

// The runtime unblocks the signals that end a program, for all its threads,
// and so for the child; the rest of the mask is passed on.
func TestBlockedSignals(t *testing.T) {
	t.Parallel()
	// A child starts with the mask of the thread that forks it.
	blocking := func(t *testing.T, f func() *invocation) *invocation {
		t.Helper()
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var set, old unix.Sigset_t
		set.Val[0] = 1<<(syscall.SIGUSR1-1) | 1<<(syscall.SIGTERM-1)
		if err := unix.PthreadSigmask(unix.SIG_BLOCK, &set, &old); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil) }()
		return f()
	}
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		r := blocking(t, func() *invocation {
			return start(t, use, "--", "grep", "SigBlk", "/proc/self/status")
		})
		r.ended(0)
		if got, want := r.out.String(), fmt.Sprintf("SigBlk:\t%016x\n", 1<<(syscall.SIGUSR1-1)); got != want {
			t.Errorf("the child says %q, want %q", got, want)
		}
		// The runner must hear what its caller had blocked.
		r = blocking(t, func() *invocation { return start(t, use, "--", "child", "hang") })
		r.began("run_started")
		r.signal(syscall.SIGTERM)
		r.ended(107)
	})
}

func TestChildOfItsOwnGroup(t *testing.T) {
	t.Parallel()
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		r, s := do(t, 0, use, "--", "child", "print-ids")
		pid := s.one(t, "run_started").Get("root_pid").Raw
		sid, err := unix.Getsid(0)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("pid %s\nppid %d\npgid %s\nsid %d\nforeground none\n", pid, r.cmd.Process.Pid, pid, sid)
		if got := r.out.String(); got != want {
			t.Errorf("the child says %q, want %q", got, want)
		}
	})
}

func TestChildsStreamsBlock(t *testing.T) {
	type row struct {
		name string
		args []string
	}
	tests := []row{
		{"default", nil},
		{"file", []string{"--stdin-file", "file"}},
		{"device", []string{"--stdin-file", "/dev/zero"}},
		{"inherited stdin", []string{"--inherit-stdin"}},
		{"inherited", []string{"--inherit-stdio"}},
	}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		r, _ := do(t, 0, func(r *invocation) {
			use(r)
			if err := os.WriteFile(r.path("file"), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			through(r, `exec "$@" | cat`) // blocking pipes for the inherited rows
		}, append(tt.args, "--", "child", "print-nonblock")...)
		if got := r.out.String(); got != "0 blocking\n1 blocking\n2 blocking\n" {
			t.Errorf("the child says %q", got)
		}
	})
}
