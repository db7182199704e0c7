package runcmd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// finished waits for the end of a detached run and returns its stream.
func (r *invocation) finished() stream {
	r.t.Helper()
	waitFor(r.t, "runner_exit", func() bool { return strings.Contains(r.raw(), `"event":"runner_exit"`) })
	waitFor(r.t, "end of the runner", func() bool { return len(living(r.t, "pkc-run")) == 0 })
	return r.stream()
}

func detached(t *testing.T, want int, prepare func(*invocation), args ...string) *invocation {
	t.Helper()
	t.Cleanup(func() { endAll(t) })
	r := start(t, prepare, append([]string{"--detach"}, args...)...)
	r.detached = true
	if got := r.wait(); got != want {
		t.Fatalf("--detach = %d, want %d; stderr: %s", got, want, r.err.String())
	}
	return r
}

func TestDetach(t *testing.T) {
	r := detached(t, 0, nil, "--timeout", "2s", "--capture-dir", "cap", "--", "child", "do", "echo", "hi", "+", "hang")
	if r.out.Len()+r.err.Len() > 0 {
		t.Errorf("the launcher printed %q and %q, want nothing", r.out.String(), r.err.String())
	}
	if n := len(living(t, "child")); n != 1 {
		t.Errorf("%d children live, want one", n)
	}
	s := r.finished()
	check(t, s.one(t, "runner_exit"), "code", "106", "source", `"timeout"`)
	check(t, s.one(t, "output_captured"), "stdout.bytes", "3")
	r.gone()
}

func TestDetachedStartFailures(t *testing.T) {
	tests := []struct {
		want int
		args []string
		says string
	}{
		{101, []string{"--", "no-such-program"}, `cannot start "no-such-program"`},
		{111, []string{"--stdin-file", "none", "--", "child", "hang"}, "--stdin-file: "},
		{102, []string{"--cpu-quota", "0.00001", "--", "child", "hang"}, "cap cannot be applied"},
	}
	for _, tt := range tests {
		r := detached(t, tt.want, nil, tt.args...)
		if got := r.err.String(); !strings.Contains(got, tt.says) || strings.Count(got, "\n") != 1 {
			t.Errorf("stderr = %q, want one line with %q", got, tt.says)
		}
		check(t, r.stream().one(t, "runner_exit"), "code", fmt.Sprint(tt.want))
	}
}

func TestDetachForwardsTheCommandLine(t *testing.T) {
	r := detached(t, 0, nil, "--argv-raw", "--env", "A=1", "--", "child", "print-argv", "--detach", "--", `a "b\`)
	s := r.finished()
	argv := s.one(t, "run_started").Get("command.argv").Array()
	if len(argv) != 5 || argv[2].Str != "--detach" || argv[3].Str != "--" || argv[4].Str != `a "b\` {
		t.Errorf("argv = %v", argv)
	}
	check(t, s.one(t, "runner_exit"), "code", "0", "child_code", "0")
}

// What an earlier run left in the stream is no proof for this one.
func TestDetachDoesNotBelieveAnOldStream(t *testing.T) {
	detached(t, 101, func(r *invocation) {
		old := `{"schema_version":1,"time":"2026-01-01T00:00:00.000Z","event":"run_started","run_id":"old"}` + "\n"
		if err := os.WriteFile(filepath.Join(r.dir, "events.jsonl"), []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
	}, "--run-id", "old", "--", "no-such-program")
}
