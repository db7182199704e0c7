package runcmd_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const emptySum = `"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`

// quotedSum is a digest as JSON text.
func quotedSum(content string) string {
	sum := sha256.Sum256([]byte(content))
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

func TestCaptureCeiling(t *testing.T) {
	const text = "0123456789"
	tests := []struct {
		ceiling   string
		want      string
		truncated string
	}{
		{"11", text, "false"},
		{"10", text, "false"},
		{"10b", text, "false"},
		{"9", text[:9], "true"},
		{"1", text[:1], "true"},
		{"1k", text, "false"},
	}
	for _, tt := range tests {
		for _, echo := range []string{"", "--no-echo"} {
			t.Run(tt.ceiling+echo, func(t *testing.T) {
				args := []string{"--capture-dir", "./new/logs/", "--capture-max-bytes", tt.ceiling}
				if echo != "" {
					args = append(args, echo)
				}
				r, s := do(t, 0, nil, append(args, "--", "child", "do", "echo", "-n", text, "+", "echo", "-n", "--stderr", "e")...)
				e := s.one(t, "output_captured")
				check(t, e,
					"stdout.path", `"./new/logs/stdout.log"`, "stdout.bytes", "10", "stdout.sha256", quotedSum(tt.want),
					"stdout.truncated", tt.truncated, "stdout.write_error", "false",
					"stderr.path", `"./new/logs/stderr.log"`, "stderr.bytes", "1", "stderr.sha256", quotedSum("e"),
					"stderr.truncated", "false", "stderr.write_error", "false")
				files := r.tree()
				if files["new/logs/stdout.log"] != tt.want || files["new/logs/stderr.log"] != "e" {
					t.Errorf("files = %q", files)
				}
				if echo == "" && (r.out.String() != text || r.err.String() != "e") {
					t.Errorf("stdout = %q, stderr = %q", r.out.String(), r.err.String())
				}
			})
		}
	}
}

func TestCaptureOfNothing(t *testing.T) {
	r, s := do(t, 0, nil, "--capture-dir", "logs", "--capture-overflow", "cancel", "--capture-max-bytes", "1", "--", "child", "exit", "0")
	check(t, s.one(t, "output_captured"), "stdout.bytes", "0", "stdout.sha256", emptySum, "stderr.sha256", emptySum)
	for _, name := range []string{"stdout.log", "stderr.log"} {
		// Output can hold secrets.
		if info, err := os.Stat(r.path("logs", name)); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v, want mode 0600", name, info, err)
		}
	}
}

// A transcript that is there already keeps its mode and other names.
func TestCaptureIntoOldFiles(t *testing.T) {
	r, _ := do(t, 0, func(r *invocation) {
		r.write(map[string]string{"logs/stdout.log": "old and long", "elsewhere": "old", "logs/stderr.log -> ../elsewhere": ""})
	}, "--capture-dir", "logs", "--", "child", "do", "echo", "new", "+", "echo", "--stderr", "err")
	files := r.tree()
	if files["logs/stdout.log"] != "new\n" || files["elsewhere"] != "err\n" {
		t.Errorf("files = %q", files)
	}
	if info, err := os.Stat(r.path("logs", "stdout.log")); err != nil || info.Mode() != 0o644 {
		t.Errorf("stdout.log: %v, %v, want mode 0644", info, err)
	}
}

// A directory behind a link is found as the kernel finds it.
func TestCaptureDirAsGiven(t *testing.T) {
	r, s := do(t, 0, func(r *invocation) {
		r.write(map[string]string{"far/away/": "", "link -> far/away": ""})
	}, "--capture-dir", "link/../logs", "--", "child", "echo", "x")
	check(t, s.one(t, "output_captured"), "stdout.path", `"link/../logs/stdout.log"`)
	if files := r.tree(); files["far/logs/stdout.log"] != "x\n" {
		t.Errorf("files = %q", files)
	}
}

func TestOverflowUnderCancel(t *testing.T) {
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		for _, args := range [][]string{{"--grace", "10s"}, {"--no-echo", "--grace", "10s"}, {}} {
			for i, stream := range []string{"stdout", "stderr"} {
				// A grandchild writes; one byte is too much.
				r, s := do(t, 113, use, append(append([]string{"--capture-dir", "logs", "--capture-max-bytes", "100000", "--capture-overflow", "cancel"}, args...),
					"--", "child", "spawn", "1", "do", "bytes", "--"+stream, "100001", "+", "hang")...)
				grace := "null"
				if len(args) > 0 {
					grace = "10000"
				}
				check(t, s.one(t, "output_overflow"), "stream", `"`+stream+`"`, "max_bytes", "100000", "grace_ms", grace)
				e := s.one(t, "output_captured").Get(stream)
				check(t, e, "truncated", "true", "write_error", "false")
				if e.Get("bytes").Int() < 100_001 {
					t.Errorf("%s.bytes = %s, want 100001 at least", stream, e.Get("bytes"))
				}
				check(t, s.one(t, "runner_exit"), "code", "113", "source", `"output_overflow"`, "child_code", "null")
				check(t, s.one(t, "cleanup_finished"), "soft_terminate", `"signalled"`)
				s.clean(t)
				if info, err := os.Stat(r.path("logs", stream+".log")); err != nil || info.Size() != 100_000 {
					t.Errorf("%s.log: %v, %v, want 100000 bytes", stream, info, err)
				}
				lines := strings.Split(strings.TrimSpace(r.err.String()), "\n")
				last := lines[len(lines)-1]
				if i == 0 && len(lines) != 1 || !strings.Contains(last, stream+" passed the capture ceiling of 100000 bytes") {
					t.Errorf("stderr ends in %.300q", last)
				}
			}
		}
	})
}

// At the ceiling exactly nothing has overflowed.
func TestNoOverflowAtTheCeiling(t *testing.T) {
	_, s := do(t, 4, nil, "--no-echo", "--capture-dir", "logs", "--capture-max-bytes", "100000", "--capture-overflow", "cancel",
		"--", "child", "do", "bytes", "--stdout", "100000", "--stderr", "100000", "+", "exit", "4")
	check(t, s.one(t, "output_captured"), "stdout.truncated", "false", "stderr.truncated", "false")
}

// Output that no file takes any more still shows that the child lives.
func TestIdleClockPastTheCeiling(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--no-echo"}} {
		r, s := do(t, 0, nil, append(args, "--idle-timeout", "600ms", "--capture-dir", "logs", "--capture-max-bytes", "3",
			"--", "child", "drip", "xx", "100ms", "10")...)
		check(t, s.one(t, "output_captured"), "stdout.bytes", "20", "stdout.truncated", "true")
		if args == nil && r.out.String() != strings.Repeat("xx", 10) {
			t.Errorf("stdout = %q", r.out.String())
		}
	}
}

// A file that cannot grow costs the rest of that transcript, nothing else,
// and is told apart from a ceiling. The limit on file sizes, setrlimit(2),
// stands in for a full disk.
func TestCaptureWriteError(t *testing.T) {
	const most = 20_000 // the stream stays below
	for _, tt := range []struct{ size, truncated string }{{"60000", "true"}, {"40000", "false"}} {
		var feed *os.File
		r := start(t, func(r *invocation) {
			from, to, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { from.Close(); to.Close() })
			r.cmd.Stdin, feed = from, to
		}, "--inherit-stdin", "--capture-dir", "logs", "--capture-max-bytes", "50000",
			"--", "child", "do", "cat", "+", "bytes", "--stdout", tt.size, "--stderr", "10", "+", "exit", "6")
		waitForFile(t, r.path("events.jsonl"))
		limit := &unix.Rlimit{Cur: most, Max: most}
		if err := unix.Prlimit(r.cmd.Process.Pid, unix.RLIMIT_FSIZE, limit, nil); err != nil {
			t.Fatal(err)
		}
		_ = feed.Close()
		if got := r.wait(); got != 6 {
			t.Fatalf("pkc-run = %d, want 6; stderr: %.300s", got, r.err.String())
		}
		kept := r.tree()["logs/stdout.log"]
		if len(kept) != most || fmt.Sprint(r.out.Len()) != tt.size {
			t.Errorf("kept %d bytes of %d, want %d of %s", len(kept), r.out.Len(), most, tt.size)
		}
		check(t, r.stream().one(t, "output_captured"),
			"stdout.bytes", tt.size, "stdout.sha256", quotedSum(kept), "stdout.truncated", tt.truncated, "stdout.write_error", "true",
			"stderr.bytes", "10", "stderr.truncated", "false", "stderr.write_error", "false")
	}
}
