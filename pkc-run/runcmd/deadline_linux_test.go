package runcmd_test

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestDeadlines(t *testing.T) {
	type row struct {
		name   string
		args   []string
		reason string // of a timeout; empty for a natural end
		ms     int
		stderr string
	}
	tests := []row{
		{"overall, whole tree", []string{"--timeout", "3s", "--", "child", "tree", "2", "2", "heartbeat", "beat", "5ms"}, "overall", 3000, "timed out after 3s"},
		{"overall, escapees", []string{"--timeout", "3s", "--", "child", "daemonize", "--stay", "spawn", "1", "heartbeat", "beat", "5ms"}, "overall", 3000, "timed out"},
		{"idle from the start", []string{"--idle-timeout", "300ms", "--", "child", "hang"}, "idle", 300, "idle timeout: no output for 300ms"},
		{"idle after output", []string{"--idle-timeout", "1s", "--", "child", "do", "drip", "x", "100ms", "12", "+", "hang"}, "idle", 1000, "idle"},
		{"idle under no-echo", []string{"--no-echo", "--idle-timeout", "2s", "--", "child", "drip", "x", "100ms", "25"}, "", 0, ""},
		{"unterminated output counts", []string{"--idle-timeout", "2s", "--", "child", "drip", "x", "100ms", "25"}, "", 0, ""},
		{"output of a descendant counts", []string{"--idle-timeout", "2s", "--", "child", "spawn", "1", "drip", "x", "100ms", "25"}, "", 0, ""},
		{"idle expires first", []string{"--timeout", "20s", "--idle-timeout", "300ms", "--", "child", "hang"}, "idle", 300, "idle"},
		{"overall expires first", []string{"--timeout", "300ms", "--idle-timeout", "20s", "--", "child", "hang"}, "overall", 300, "timed out"},
		{"chatty until the overall", []string{"--timeout", "1500ms", "--idle-timeout", "1s", "--", "child", "drip", "x", "20ms", "9999"}, "overall", 1500, "timed out"},
	}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		if tt.reason == "" {
			r, s := do(t, 0, use, tt.args...)
			s.one(t, "root_exited")
			r.gone()
			return
		}
		r, s := do(t, 106, use, tt.args...)
		e := s.one(t, "timeout")
		check(t, e, "reason", `"`+tt.reason+`"`, "timeout_ms", fmt.Sprint(tt.ms), "grace_ms", "null")
		check(t, s.one(t, "runner_exit"), "code", "106", "source", `"timeout"`, "child_code", "null")
		s.clean(t)
		r.gone()
		if took := since(s.one(t, "run_started"), e); took < time.Duration(tt.ms)*time.Millisecond {
			t.Errorf("ended after %v, want %d ms at least", took, tt.ms)
		}
		if got := r.err.String(); !strings.Contains(got, tt.stderr) || !strings.Contains(got, "SIGTERM") {
			t.Errorf("stderr = %q, want %q and what was sent", got, tt.stderr)
		}
		if strings.Contains(tt.name, "idle after") && r.out.String() != "xxxxxxxxxxxx" {
			t.Errorf("stdout = %q, want 12 x", r.out.String())
		}
		if strings.Contains(strings.Join(tt.args, " "), "heartbeat") {
			if b, err := os.ReadFile(r.path("beat")); err != nil || len(b) == 0 {
				t.Errorf("the tree never came up: %v", err)
			}
		}
	})
}

func TestGrace(t *testing.T) {
	const long = 20 * time.Second
	type row struct {
		name      string
		grace     string // empty for no flag
		child     []string
		escalated bool
		atLeast   time.Duration
		stdout    string
	}
	tests := []row{
		{"obedient", "20s", []string{"obey-term", "--code", "3"}, false, 0, "ready\n"},
		{"slow and obedient", "20s", []string{"obey-term", "--delay", "300ms", "--say", "bye"}, false, 300 * time.Millisecond, "ready\nbye\n"},
		{"stopped", "20s", []string{"obey-term", "--stop", "--say", "bye"}, false, 0, "ready\nbye\n"},
		{"stopped member", "20s", []string{"spawn", "1", "obey-term", "--stop", "--say", "bye"}, false, 0, "ready\nbye\n"},
		{"stopped escapee", "20s", []string{"daemonize", "--stay", "obey-term", "--stop", "--say", "bye"}, false, 0, "ready\nbye\n"},
		{"ignorant", "700ms", []string{"ignore-term"}, true, 700 * time.Millisecond, "ready\n"},
		{"ignorant and stopped", "700ms", []string{"ignore-term", "stop-self", "hang"}, true, 700 * time.Millisecond, "ready\n"},
		{"leader obeys, member does not", "700ms", []string{"spawn", "1", "ignore-term", "hang"}, true, 700 * time.Millisecond, "ready\n"},
		{"escapee does not", "700ms", []string{"daemonize", "--stay", "ignore-term", "hang"}, true, 700 * time.Millisecond, "ready\n"},
		{"none", "", []string{"ignore-term"}, true, 0, "ready\n"},
		{"zero", "0ms", []string{"ignore-term"}, true, 0, "ready\n"},
	}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		graceMs, args := "null", []string{"--capture-dir", "cap"}
		if tt.grace != "" {
			args = append(args, "--grace", tt.grace)
			d, _ := time.ParseDuration(tt.grace)
			graceMs = fmt.Sprint(d.Milliseconds())
		}
		r := start(t, use, append(append(args, "--", "child"), tt.child...)...)
		r.says("ready")
		if strings.Contains(tt.name, "stopped") {
			waitFor(t, "stop", func() bool {
				return slices.ContainsFunc(working(r.dir), func(pid int) bool { return stateOf(pid) == 'T' })
			})
		}
		r.signal(syscall.SIGTERM)
		s := r.ended(107)
		check(t, s.one(t, "cancelled"), "grace_ms", graceMs)
		s.clean(t)
		r.gone()
		after := "0"
		if tt.escalated {
			after = "1"
		}
		f := s.one(t, "cleanup_finished")
		check(t, f, "soft_terminate", `"signalled"`, "shutdown.soft_stop_scope", `"whole_tree"`,
			"shutdown.soft_signal", `"sent"`, "shutdown.members_before", s.one(t, "cleanup_started").Get("members_before").Raw)
		// Without a grace a member that obeys may or may not be gone by then.
		if tt.name != "none" && tt.name != "zero" {
			check(t, f, "shutdown.escalated", fmt.Sprint(tt.escalated),
				"shutdown.drained_within_grace", fmt.Sprint(!tt.escalated), "shutdown.members_after", after)
		}
		took := time.Duration(f.Get("shutdown.elapsed_ms").Int()) * time.Millisecond
		if took < tt.atLeast || took > tt.atLeast+long/4 {
			t.Errorf("the stop took %v, want %v or a little more", took, tt.atLeast)
		}
		captured, _ := os.ReadFile(r.path("cap", "stdout.log"))
		if r.out.String() != tt.stdout || string(captured) != tt.stdout {
			t.Errorf("echoed %q, captured %q, want %q", r.out.String(), captured, tt.stdout)
		}
	})
}

// What a member starts to clean up is no target of the same stop. Start times
// are too coarse to tell it from the rest, so this is tried often.
func TestCleanUpWithinGrace(t *testing.T) {
	const script = `trap "sleep 0.2 && echo clean; exit 0" TERM; echo ready; while :; do sleep 0.05; done`
	tries := []int{1, 2, 3, 4, 5, 6}
	together(t, tries, strconv.Itoa, func(t *testing.T, _ int, use func(*invocation)) {
		r := start(t, use, "--capture-dir", "cap", "--grace", "20s", "--", "sh", "-c", script)
		r.says("ready")
		r.signal(syscall.SIGTERM)
		check(t, r.ended(107).one(t, "cleanup_finished"), "shutdown.drained_within_grace", "true")
		if got := r.out.String(); got != "ready\nclean\n" {
			t.Errorf("stdout = %q, want ready and clean", got)
		}
		r.gone()
	})
}

func TestManyIgnorantMembers(t *testing.T) {
	const n = 300
	script := fmt.Sprintf(`trap "" TERM; i=0; while [ $i -lt %d ]; do sleep 600 & i=$((i+1)); echo; done; wait`, n)
	t.Parallel()
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		t.Parallel()
		// Idle, so that a slow host gets to start them all.
		r, s := do(t, 106, use, "--no-echo", "--idle-timeout", "1s", "--grace", "3s", "--", "sh", "-c", script)
		s.clean(t)
		r.gone()
		check(t, s.one(t, "cleanup_started"), "members_before", fmt.Sprint(n+1))
		f := s.one(t, "cleanup_finished")
		check(t, f, "shutdown.escalated", "true", "shutdown.members_after", fmt.Sprint(n+1))
		if ms := f.Get("shutdown.elapsed_ms").Int(); ms < 3000 {
			t.Errorf("the stop took %d ms, want 3000 at least", ms)
		}
	})
}

// A program that has ended keeps its code, also while a slow reader takes
// what it wrote and a deadline passes meanwhile.
func TestDeadlineWhileDraining(t *testing.T) {
	const size = 100_000 // more than the reader's pipe holds, less than two pipes do
	t.Parallel()
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		t.Parallel()
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		r := start(t, func(r *invocation) {
			use(r)
			r.cmd.Stdout = writer
		}, "--timeout", "1s", "--", "child", "bytes", "--stdout", fmt.Sprint(size))
		writer.Close()
		waitFor(t, "root_exited", func() bool { return strings.Contains(r.raw(), "root_exited") })
		time.Sleep(1200 * time.Millisecond) // past the deadline
		got, err := io.ReadAll(reader)
		if err != nil || len(got) != size {
			t.Errorf("read %d bytes, %v, want %d", len(got), err, size)
		}
		if code := r.wait(); code != 0 {
			t.Errorf("code = %d, want 0; stderr: %s", code, r.err.String())
		}
		r.stream().one(t, "root_exited")
	})
}

// A stop signal ends the wait for a reader that never comes. The program has
// ended before, so its code stays.
func TestSignalWhileDraining(t *testing.T) {
	const size = 100_000 // as above
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	r := start(t, func(r *invocation) { r.cmd.Stdout = writer }, "--", "child", "bytes", "--stdout", fmt.Sprint(size))
	writer.Close()
	r.began("cleanup_finished")
	time.Sleep(700 * time.Millisecond) // longer than a pipe may be silent
	r.signal(syscall.SIGTERM)
	r.ended(0).one(t, "root_exited")
	if got := r.err.String(); !strings.Contains(got, "stopped waiting for output") {
		t.Errorf("stderr = %q, want a warning", got)
	}
}
