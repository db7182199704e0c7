package runcmd_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/windows"

	"processkit-cli/fixtures/wine"
	"processkit-cli/pkcshared/control"
	"processkit-cli/pkcshared/registry"
)

func TestWholeTreeEnds(t *testing.T) {
	tree := []string{"child", "tree", "2", "2", "heartbeat", "beat", "5ms"}
	tests := []struct {
		name string
		args []string
		want int
	}{
		{"overall", append([]string{"--timeout", "1s", "--"}, tree...), 106},
		{"idle", append([]string{"--idle-timeout", "1s", "--"}, tree...), 106},
		{"own console group, detached", []string{"--timeout", "1s", "--", "child", "daemonize", "--stay", "spawn", "2", "heartbeat", "beat", "5ms"}, 106},
		{"natural end", []string{"--", "child", "orphan", "--code", "5", "spawn", "2", "heartbeat", "beat", "5ms"}, 5},
		{"natural end, detached", []string{"--", "child", "daemonize", "heartbeat", "beat", "5ms"}, 0},
		{"overflow", []string{"--capture-dir", "cap", "--capture-max-bytes", "9", "--capture-overflow", "cancel", "--", "child", "do", "orphan", "heartbeat", "beat", "5ms", "+", "lines", "9", "+", "hang"}, 113},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, s := do(t, tt.want, nil, tt.args...)
			r.gone()
			s.clean(t)
			if b, err := os.ReadFile(r.path("beat")); err != nil || len(b) == 0 {
				t.Errorf("the tree never came up: %v", err)
			}
		})
	}
}

// A descendant that holds the output does not hold up the run.
func TestHeldOutput(t *testing.T) {
	r, s := do(t, 4, nil, "--capture-dir", "cap", "--", "child", "do", "echo", "early", "+", "orphan", "--code", "4", "hang")
	check(t, s.one(t, "output_captured"), "stdout.bytes", "6", "stdout.truncated", "false")
	if r.out.String() != "early\n" {
		t.Errorf("stdout = %q", r.out.String())
	}
	r.gone()
}

func TestControlCommands(t *testing.T) {
	for verb, want := range map[control.Verb]int{control.Cancel: 108, control.Kill: 109} {
		t.Run(string(verb), func(t *testing.T) {
			id := "control-" + string(verb)
			r := start(t, nil, "--run-id", id, "--grace", "100ms", "--", "child", "tree", "2", "2", "heartbeat", "beat", "5ms")
			waitForFile(t, r.path("beat"))
			waitFor(t, "whole tree", func() bool { return len(living(t, "child")) == 7 })
			if _, err := control.Send(os.Getenv(registry.DirEnv), id, verb); err != nil {
				t.Fatal(err)
			}
			r.ended(want).clean(t)
			r.gone()
		})
	}
}

// When the runner is killed, the system closes its handle of the job.
func TestRunnerDies(t *testing.T) {
	for range 20 {
		r := start(t, nil, "--", "child", "do", "daemonize", "hang", "+", "tree", "2", "2", "heartbeat", "beat", "5ms")
		r.killed = true
		waitFor(t, "whole tree", func() bool { return len(living(t, "child")) == 8 })
		if err := r.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		died := time.Now()
		for len(living(t, "child")) > 0 {
			if time.Since(died) > 2*time.Second {
				t.Fatalf("alive 2 s after the runner: %v", living(t, "child"))
			}
		}
		<-r.done
		if strings.Contains(r.raw(), "runner_exit") {
			t.Error("a killed runner has written its end")
		}
	}
}

func TestNestedRuns(t *testing.T) {
	inner := []string{"pkc-run", "--jsonl", "inner.jsonl", "--timeout", "1s", "--", "child", "tree", "1", "3", "hang"}
	t.Run("the inner ends", func(t *testing.T) {
		r, s := do(t, 106, nil, append([]string{"--"}, inner...)...)
		s.clean(t)
		check(t, s.one(t, "runner_exit"), "source", `"child_exit"`, "child_code", "106")
		b, _ := os.ReadFile(r.path("inner.jsonl"))
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		check(t, gjson.Parse(lines[len(lines)-1]), "event", `"runner_exit"`, "source", `"timeout"`)
		r.gone()
	})
	t.Run("the outer ends", func(t *testing.T) {
		inner := slices.Clone(inner)
		inner[4] = "100s"
		r, s := do(t, 106, nil, append([]string{"--idle-timeout", "2s", "--snapshot-interval", "500ms", "--"}, inner...)...)
		s.clean(t)
		check(t, s.one(t, "cleanup_started"), "members_before", "5") // of both runs
		r.gone()
	})
}

func TestRunsLeaveEachOtherAlone(t *testing.T) {
	r := start(t, nil, "--run-id", "bystander", "--", "child", "spawn", "2", "hang")
	waitFor(t, "whole tree", func() bool { return len(living(t, "child")) == 3 })
	var others []*invocation
	for range 4 {
		others = append(others, start(t, nil, "--timeout", "1s", "--", "other", "tree", "1", "2", "hang"))
	}
	for _, o := range others {
		o.ended(106).clean(t)
	}
	if n := len(living(t, "child")); n != 3 {
		t.Errorf("%d of the bystander's tree live, want 3", n)
	}
	if n := len(living(t, "other")); n != 0 {
		t.Errorf("%d of the others' trees live", n)
	}
	if _, err := control.Send(os.Getenv(registry.DirEnv), "bystander", control.Kill); err != nil {
		t.Fatal(err)
	}
	r.ended(109).clean(t)
	r.gone()
}

func TestNoBreakaway(t *testing.T) {
	r, s := do(t, 1, nil, "--", "child", "breakaway", "hang")
	s.clean(t)
	r.gone()
}

func TestMembers(t *testing.T) {
	r := start(t, nil, "--snapshot-interval", "20ms", "--", "child", "spawn", "2", "hang")
	var lines []string
	var members []gjson.Result
	waitFor(t, "snapshot of three", func() bool {
		lines = strings.Split(r.raw(), "\n")
		last := lines[max(0, len(lines)-2)]
		members = gjson.Get(last, "members").Array()
		// A process that is being made has no name and no time yet under Wine.
		told := 0
		for _, m := range members {
			if m.Get("name").String() == "child.exe" && len(m.Get("start_time").String()) == 18 {
				told++
			}
		}
		return told == 3
	})
	root := gjson.Get(lines[0], "root_pid").Int()
	for _, m := range members {
		parent := root
		if m.Get("pid").Int() == root {
			parent = int64(r.cmd.Process.Pid)
		}
		if m.Get("ppid").Int() != parent {
			t.Errorf("member = %s, want the parent %d", m, parent)
		}
	}
}

// A handle that the runner has inherited goes no further.
func TestHandles(t *testing.T) {
	t.Run("of the child", func(t *testing.T) {
		var from *os.File
		r := start(t, func(r *invocation) {
			var to *os.File
			from, to = r.passHandle()
			r.cmd.Args = append(r.cmd.Args, "--", "child", "print-handle", fmt.Sprint(uintptr(to.Fd())))
		})
		if got := r.wait(); got != 0 || strings.TrimSpace(r.out.String()) == "pipe" {
			t.Errorf("code %d, the handle is %s for the child", got, r.out.String())
		}
		from.Close()
	})
	t.Run("of a detached runner", func(t *testing.T) {
		var from, to *os.File
		r := start(t, func(r *invocation) { from, to = r.passHandle() }, "--detach", "--timeout", "100s", "--", "child", "hang")
		r.detached = true
		to.Close()
		r.ended0(t)
		within(t, "end of the pipe", func() { _, _ = io.Copy(io.Discard, from) })
		if n := len(living(t, "child")); n != 1 {
			t.Errorf("%d children live, want one", n)
		}
		endAll(t)
	})
}

// ended0 expects a launcher that succeeded.
func (r *invocation) ended0(t *testing.T) {
	t.Helper()
	if got := r.wait(); got != 0 {
		t.Fatalf("code = %d, want 0; stderr: %s", got, r.err.String())
	}
}

// endAll kills detached runners that a test has started; their trees follow.
func endAll(t *testing.T) {
	t.Helper()
	for _, pid := range living(t, "pkc-run") {
		h, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(pid))
		if err != nil {
			continue
		}
		_ = windows.TerminateProcess(h, 1)
		_ = windows.CloseHandle(h)
	}
	waitFor(t, "end of all children", func() bool { return len(living(t, "child")) == 0 })
}

// Caps are in force or refused; there is nothing between.
func TestCaps(t *testing.T) {
	tests := []struct {
		name string
		args []string
		axis string
		code int // where the cap is kept
	}{
		{"memory", []string{"--max-memory", "128m", "--", "child", "eat", "512"}, "memory", 2},
		{"processes", []string{"--max-processes", "3", "--", "child", "forkloop", "9"}, "processes", 1},
		{"cpu", []string{"--cpu-quota", "0.5", "--", "child", "exit", "0"}, "cpu", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if wine.Is() { // takes caps and forgets them
				_, s := do(t, 102, nil, tt.args...)
				check(t, s.one(t, "limit_hit"), "limit", `"`+tt.axis+`"`)
				check(t, s.one(t, "container_failed"), "phase", `"create"`, "code", "102")
				return
			}
			_, s := do(t, tt.code, nil, tt.args...)
			e := s.one(t, "limit_evidence")
			for _, axis := range []string{"memory", "processes", "cpu"} {
				want := `"not_tripped"`
				if axis == tt.axis {
					want = `"unknown"`
				}
				check(t, e, axis, want)
			}
		})
	}
	t.Run("too little cpu", func(t *testing.T) {
		_, s := do(t, 102, nil, "--cpu-quota", "0.00001", "--", "child", "exit", "0")
		check(t, s.one(t, "limit_hit"), "limit", `"cpu"`)
	})
}

func TestResourceSummary(t *testing.T) {
	wine.Skip(t, "accounts for no job")
	_, s := do(t, 0, nil, "--", "child", "do", "eat", "64", "+", "spin", "300ms")
	e := s.one(t, "resource_summary")
	check(t, e, "read_error", "false", "peak_process_count", "null")
	if e.Get("peak_memory_bytes").Int() < 64<<20 || e.Get("total_cpu_ms").Int() < 200 {
		t.Errorf("summary = %s", e)
	}
}

func TestMechanismByEnvironment(t *testing.T) {
	for value, want := range map[string]int{"": 0, "job_object": 0, "process_group": 102, "cgroup_v2": 102} {
		do(t, want, func(r *invocation) {
			r.env = append(r.env, "PROCESSKIT_CLI_MECHANISM="+value)
		}, "--", "child", "exit", "0")
	}
}

// needsWindow skips where no window can be opened, and keeps one open: Wine has
// a process for the desktop, which the first window starts and the last ends,
// and which is not to be a member of the run.
func needsWindow(t *testing.T) {
	t.Helper()
	cmd := exec.Command("other", "window")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if said, _ := io.ReadAll(io.LimitReader(out, 5)); string(said) != "ready" {
		t.Skip("needs a desktop: no window can be opened here")
	}
}

func TestSoftStop(t *testing.T) {
	tests := []struct {
		name  string
		child []string
		grace string
		scope string // of the soft stop; its signal and outcome follow
		drain bool
		says  string
	}{
		{"window", []string{"window", "--say", "bye"}, "20s", "opt_in_members", true, "ready\nbye\n"},
		{"window of a descendant", []string{"spawn", "1", "window", "--say", "bye"}, "20s", "opt_in_members", true, "ready\nbye\n"},
		{"deaf window", []string{"window", "--say", "bye", "--deaf"}, "500ms", "opt_in_members", false, "ready\nbye\n"},
		{"window, no grace", []string{"window", "--deaf"}, "", "opt_in_members", false, "ready\n"},
		{"no window", []string{"do", "eat", "1", "+", "hang"}, "500ms", "none", false, "ready\n"},
		{"no window, ends by itself", []string{"do", "eat", "1", "+", "hang", "2s"}, "20s", "none", true, "ready\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := []string{"--timeout", "1s", "--capture-dir", "cap"}
			if slices.Contains(tt.child, "window") {
				needsWindow(t)
			}
			if tt.grace != "" {
				args = append(args, "--grace", tt.grace)
			}
			r, s := do(t, 106, nil, append(append(args, "--", "child"), tt.child...)...)
			s.clean(t)
			r.gone()
			outcome, signal, by := `"signalled"`, `"sent"`, "sent WM_CLOSE"
			if tt.scope == "none" {
				outcome, signal, by = `"unsupported"`, `"unsupported"`, "asked no member"
			}
			f := s.one(t, "cleanup_finished")
			check(t, f, "soft_terminate", outcome, "shutdown.soft_stop_scope", `"`+tt.scope+`"`, "shutdown.soft_signal", signal)
			if tt.grace != "" {
				check(t, f, "shutdown.drained_within_grace", fmt.Sprint(tt.drain), "shutdown.escalated", fmt.Sprint(!tt.drain))
			}
			if ms := f.Get("shutdown.elapsed_ms").Int(); !tt.drain && tt.grace != "" && ms < 500 {
				t.Errorf("the stop took %d ms, want 500 at least", ms)
			}
			if got := r.err.String(); !strings.Contains(got, by) || strings.Contains(got, "SIGTERM") {
				t.Errorf("stderr = %q, want %q", got, by)
			}
			if r.out.String() != tt.says {
				t.Errorf("stdout = %q, want %q", r.out.String(), tt.says)
			}
		})
	}
}
