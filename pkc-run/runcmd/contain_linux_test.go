package runcmd_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/fixtures/need"
	"processkit-cli/pkc-run/internal/contain"
)

// What the root child leaves behind dies with it, and nothing waits for it.
func TestLeftBehind(t *testing.T) {
	type row struct {
		name  string
		child []string
		left  int64
	}
	tests := []row{
		{"background child holds stdout", []string{"orphan", "--code", "7", "hang"}, 1},
		{"ignorant background child", []string{"orphan", "--code", "7", "ignore-term", "heartbeat", "beat", "5ms"}, 1},
		{"busy writer", []string{"orphan", "--code", "7", "drip", "x", "1ms", "100000"}, 1},
		{"a whole tree", []string{"orphan", "--code", "7", "tree", "2", "2", "hang"}, 7},
		{"escapee holds stdout", []string{"do", "daemonize", "hang", "+", "exit", "7"}, 1},
		{"silent escapee", []string{"do", "daemonize", "--null", "heartbeat", "beat", "5ms", "+", "exit", "7"}, 1},
		{"escaped tree", []string{"do", "daemonize", "spawn", "1", "daemonize", "--stay", "hang", "+", "exit", "7"}, 3},
		{"stopped", []string{"orphan", "--code", "7", "stop-self"}, 1},
	}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		r, s := do(t, 7, use, append([]string{"--", "child"}, tt.child...)...)
		exited, last := s.one(t, "root_exited"), s.one(t, "runner_exit")
		check(t, last, "source", `"child_exit"`, "child_code", "7")
		check(t, s.one(t, "cleanup_finished"), "soft_terminate", "null", "shutdown", "null")
		if n := s.one(t, "cleanup_started").Get("members_before").Int(); n != tt.left {
			t.Errorf("members_before = %d, want %d", n, tt.left)
		}
		s.clean(t)
		r.gone()
		if took := since(exited, last); took > 600*time.Millisecond {
			t.Errorf("the end took %v", took)
		}
	})
}

func TestNestedRuns(t *testing.T) {
	type row struct {
		name, grace string
		inner       bool // gets to the end of its own stream
	}
	tests := []row{{"soft", "20s", true}, {"hard", "0ms", false}}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		r, s := do(t, 106, use, "--timeout", "3s", "--grace", tt.grace, "--",
			"pkc-run", "--jsonl", "inner.jsonl", "--grace", "100ms", "--", "child", "ignore-term", "tree", "1", "2", "hang")
		s.clean(t)
		r.gone()
		inner, _ := os.ReadFile(r.path("inner.jsonl"))
		if tt.inner && !strings.Contains(string(inner), `"source":"cancelled"`) {
			t.Errorf("the inner run did not tell its end:\n%s", inner)
		}
	})
}

func TestConcurrentRuns(t *testing.T) {
	t.Parallel()
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		long := start(t, use, "--capture-dir", "cap", "--grace", "20s", "--", "child", "daemonize", "--stay", "obey-term")
		long.says("ready")
		for range 8 {
			r, s := do(t, 0, use, "--", "child", "daemonize", "hang")
			s.clean(t)
			r.gone()
		}
		long.signal(syscall.SIGTERM)
		s := long.ended(107)
		check(t, s.one(t, "cleanup_started"), "members_before", "2")
		long.gone()
	})
}

// A process that was executed into pkc-run can have had children. They are
// none of the run's business.
func TestEarlierChildren(t *testing.T) {
	type row struct {
		name string
		code int
		args []string
	}
	tests := []row{
		{"natural end", 0, []string{"--", "child", "orphan", "hang"}},
		{"deadline", 106, []string{"--timeout", "700ms", "--grace", "0ms", "--", "child", "spawn", "2", "hang"}},
		{"samples", 106, []string{"--timeout", "700ms", "--snapshot-interval", "20ms", "--", "child", "orphan", "--stay", "hang"}},
	}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		r, s := do(t, tt.code, func(r *invocation) {
			use(r)
			// One stays, one ends during the run.
			through(r, `(cd /; exec sleep 600) >/dev/null 2>&1 & echo $! >bystander; sleep 0.1 & exec "$@"`)
		}, tt.args...)
		bystander := pidIn(t, r.path("bystander"))
		defer finish(t, bystander)
		s.clean(t)
		r.gone()
		if !alive(bystander) {
			t.Error("the bystander is dead")
		}
		for _, e := range s.all("members_snapshot") {
			for _, m := range e.Get("members").Array() {
				if int(m.Get("pid").Int()) == bystander {
					t.Errorf("the bystander is a member: %s", e.Raw)
				}
			}
		}
	})
}

// Of a runner that is killed, the root child dies too. What else was in the
// tree lives on, and the stream stops without an end. No exit code comes of
// it that could be taken for the child's, and no words.
func TestKilledRunner(t *testing.T) {
	tests := []syscall.Signal{syscall.SIGKILL, syscall.SIGQUIT}
	together(t, tests, unix.SignalName, func(t *testing.T, sig syscall.Signal, use func(*invocation)) {
		r := start(t, use, "--capture-dir", "cap", "--", "child", "pidfile", "root", "spawn", "1", "pidfile", "grandchild", "hang")
		r.says("ready")
		root, grandchild := pidIn(t, r.path("root")), pidIn(t, r.path("grandchild"))
		r.signal(sig)
		if code := r.wait(); code != -1 || r.err.Len() > 0 {
			t.Errorf("code = %d, want death by signal; stderr %.100q", code, r.err.String())
		}
		waitFor(t, "end of the root child", func() bool { return !alive(root) })
		if got := strings.Join(r.told(), " "); got != "run_started members_snapshot" {
			t.Errorf("events = %s", got)
		}
		if !alive(grandchild) {
			t.Error("the grandchild is dead")
		}
		finish(t, grandchild)
		for _, dir := range leaves(t, r.cmd.Process.Pid) {
			waitFor(t, "empty leaf", func() bool { return unix.Rmdir(dir) == nil })
		}
		r.gone()
	})
}

func TestChildIsInItsLeaf(t *testing.T) {
	t.Parallel()
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		r, s := do(t, 0, use, "--", "sh", "-c", "grep ^0:: /proc/self/cgroup || echo none")
		own, line := ownCgroupLine(t), strings.TrimSpace(r.out.String())
		if s.one(t, "run_started").Get("mechanism").String() == contain.ProcessGroup {
			if line != own {
				t.Errorf("child is in %s, want ours, %s", line, own)
			}
			return
		}
		want := strings.TrimSuffix(own, "/") + "/pkc-" + strconv.FormatInt(int64(r.cmd.Process.Pid), 16) + "-"
		if !strings.HasPrefix(line, want) {
			t.Errorf("child is in %s, want %s…", line, want)
		}
	})
}

func ownCgroupLine(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "0::") {
			return strings.TrimSpace(line)
		}
	}
	return "none"
}

// A child can make the runner its tracer. Its stops are no end.
func TestTracedByTheRunner(t *testing.T) {
	t.Parallel()
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		for program, code := range map[string]int{
			"exec child traced": 106,
			"((sleep 0.1; exec child traced) &); sleep 0.3; exit 7": 7, // an orphan
		} {
			r, s := do(t, code, use, "--timeout", "2s", "--", "sh", "-c", program)
			s.clean(t)
			r.gone()
		}
	})
}

// The kernel's kill of a cgroup passes by a process whose first thread has
// ended before the others.
func TestHeadlessMember(t *testing.T) {
	t.Parallel()
	const most = 5 * time.Second // half of what is given to a tree that does not die
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		for code, program := range map[int]string{106: "exec child headless", 7: "child headless & sleep 0.3; exit 7"} {
			r, s := do(t, code, use, "--timeout", "1s", "--", "sh", "-c", program)
			s.clean(t)
			if took := since(s.one(t, "cleanup_started"), s.one(t, "cleanup_finished")); took > most {
				t.Errorf("%s: the kill took %v", program, took)
			}
			r.gone()
		}
	})
}

// What leaves the leaf for another cgroup is a member all the same.
func TestCgroupsBesideTheLeaf(t *testing.T) {
	t.Parallel()
	err := cgroupUsable()
	need.Fact(t, contain.CgroupV2, err == nil, errText(err))
	const leave = `leaf=$BASE/$(sed -n 's,^0::.*/,,p' /proc/self/cgroup); out() { echo 0 >$BASE/cgroup.procs || exit 1; }; `
	tests := []struct {
		name, script string
		code         int
		left         int64 // members_before
	}{
		{"the root child", `out; child daemonize --null --stay hang & echo ready; wait`, 106, 3},
		{"ignorant", `trap "" TERM; out; echo ready; child hang; child hang`, 106, 2},
		{"one that is left", `(out; exec child daemonize --null hang); exit 3`, 3, 1},
		{"leaf removed", `out; rmdir $leaf || exit 1; child hang & echo ready; wait`, 106, 2},
		{"leaf turned threaded", `out; echo threaded >$leaf/cgroup.type || exit 1; echo 0 >$leaf/cgroup.procs || exit 1; child hang & echo ready; wait`, 106, 2},
	}
	_, err = os.Stat(filepath.Join(ownCgroupDir(t), "cgroup.type"))
	atRoot := errors.Is(err, os.ErrNotExist)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Contains(tt.script, "threaded") && !atRoot {
				t.Skip("our cgroup is not the root, and may not take a threaded one")
			}
			r, s := do(t, tt.code, func(r *invocation) {
				r.env = append(r.env, "BASE="+ownCgroupDir(t))
			}, "--idle-timeout", "500ms", "--grace", "300ms", "--", "sh", "-c", leave+tt.script)
			if n := s.one(t, "cleanup_started").Get("members_before").Int(); n != tt.left {
				t.Errorf("members_before = %d, want %d", n, tt.left)
			}
			s.clean(t)
			if r.err.Len() > 0 && tt.code != 106 {
				t.Errorf("stderr = %q", r.err.String())
			}
			r.gone()
		})
	}
}

// Where /proc is that of another pid namespace, its numbers are other
// processes. The run does without.
func TestForeignProc(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root: cannot make a pid namespace")
	}
	t.Parallel()
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		for program, code := range map[string]int{
			"trap '' TERM; child hang; child hang":  106,
			"child orphan hang; exit 7":             7,
			"child daemonize --null hang; exit 106": 106, // as PID 1 we take it along
		} {
			r, s := do(t, code, func(r *invocation) {
				use(r)
				r.cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
			}, "--timeout", "500ms", "--grace", "200ms", "--", "sh", "-c", program)
			check(t, s.one(t, "cleanup_started"), "members_before", "0", "read_error", "true")
			if n := s.one(t, "cleanup_finished").Get("remaining").Int(); n != 0 {
				t.Errorf("remaining = %d of other processes", n)
			}
			if !strings.Contains(r.err.String(), "/proc shows another pid namespace") {
				t.Errorf("stderr = %q", r.err.String())
			}
			r.gone()
		}
	})
}

// Members may sort themselves into cgroups of their own below the leaf.
func TestCgroupsBelowTheLeaf(t *testing.T) {
	t.Parallel()
	err := cgroupUsable()
	need.Fact(t, contain.CgroupV2, err == nil, errText(err))
	const script = `
leaf=$BASE/$(sed -n 's,^0::.*/,,p' /proc/self/cgroup)
mkdir -p $leaf/a/b $leaf/empty || exit 1
sleep 600 & echo $! >$leaf/a/b/cgroup.procs || exit 1
(trap "" TERM; sleep 600) & echo $! >$leaf/a/cgroup.procs || exit 1
echo ready; $END`
	for end, code := range map[string]int{"exit 3": 3, "wait": 106} {
		t.Run(end, func(t *testing.T) {
			r, s := do(t, code, func(r *invocation) {
				r.env = append(r.env, "BASE="+ownCgroupDir(t))
			}, "--idle-timeout", "500ms", "--grace", "300ms", "--", "sh", "-c", strings.ReplaceAll(script, "$END", end))
			if n := s.one(t, "cleanup_started").Get("members_before").Int(); n < 3 && end == "wait" || n < 2 {
				t.Errorf("members_before = %d", n)
			}
			s.clean(t)
			r.gone()
		})
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name      string
		mechanism string
		args      []string
		events    string
		limit     string
		stderr    string
	}{
		{"unknown mechanism", "job_object", nil, "container_failed runner_exit", "", contain.EnvMechanism},
		{"stronger than asked for", contain.CgroupV2, nil, "container_failed runner_exit", "", contain.EnvMechanism},
		{"memory cap", contain.ProcessGroup, []string{"--max-memory", "64M"}, "limit_hit container_failed runner_exit", `"memory"`, "memory"},
		{"process cap", contain.ProcessGroup, []string{"--max-processes", "9"}, "limit_hit container_failed runner_exit", `"processes"`, "processes"},
		{"cpu cap", contain.ProcessGroup, []string{"--cpu-quota", "0.5"}, "limit_hit container_failed runner_exit", `"cpu"`, "cpu"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, s := do(t, 102, func(r *invocation) {
				r.env = append(r.env, contain.EnvMechanism+"="+tt.mechanism)
			}, append(tt.args, "--", "child", "pidfile", "pid", "exit", "0")...)
			if got := strings.Join(s.names(), " "); got != tt.events {
				t.Errorf("events = %s, want %s", got, tt.events)
			}
			check(t, s.one(t, "container_failed"), "phase", `"create"`, "code", "102")
			check(t, s.one(t, "runner_exit"), "code", "102", "source", `"container_error"`, "child_code", "null")
			if tt.limit != "" {
				check(t, s.one(t, "limit_hit"), "limit", tt.limit)
			}
			if got := r.err.String(); !strings.Contains(got, tt.stderr) || strings.Count(got, "\n") != 1 {
				t.Errorf("stderr = %q, want one line with %s", got, tt.stderr)
			}
			if _, err := os.Stat(r.path("pid")); err == nil {
				t.Error("the program was started")
			}
			r.gone()
		})
	}
}

// A tree that keeps forking while it is stopped is stopped all the same.
func TestForkingWhileStopped(t *testing.T) {
	type row struct{ name, script string }
	const most = 1500 // against a test that fails
	loop := func(body string) string {
		return fmt.Sprintf(`trap "" TERM; i=0; while [ $i -lt %d ]; do %s
i=$((i+1)); done; wait`, most, body)
	}
	tests := []row{
		{"in its group", loop("sleep 600 &")},
		{"into new sessions", loop("(setsid sleep 600 &)")},
		// Each process lives just long enough to start the next.
		{"hand to hand", `next() { i=$((i+1)); [ $i -gt 1500 ] || (next) & }; trap "" TERM; i=0; next; next; sleep 600`},
	}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		r, s := do(t, 106, use, "--no-echo", "--timeout", "300ms", "--grace", "100ms", "--", "sh", "-c", tt.script)
		s.clean(t)
		r.gone()
	})
}
