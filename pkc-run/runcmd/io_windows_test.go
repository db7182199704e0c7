package runcmd_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"processkit-cli/fixtures/child/childcmd"
)

// noiseSum is the digest of what "child bytes" writes to a descriptor.
func noiseSum(fd int, size int64) string {
	h := sha256.New()
	_, _ = io.CopyN(h, childcmd.NewNoise(0, fd), size)
	return hex.EncodeToString(h.Sum(nil))
}

func TestEchoIsExact(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, in := range []string{"", "x", "a\nb", "a\r\nb\rc\r\n", string(all), "\xff\xfe \u00e9 \xe2\x82", "\x1a after ctrl-z"} {
		r, _ := do(t, 0, func(r *invocation) { r.cmd.Stdin = strings.NewReader(in) }, "--inherit-stdin", "--", "child", "cat")
		if r.out.String() != in {
			t.Errorf("stdout = %q, want %q", r.out.String(), in)
		}
	}
	r, _ := do(t, 0, nil, "--", "child", "do", "echo", "-n", "to", "out", "+", "echo", "-n", "--stderr", "to", "err")
	if r.out.String() != "to out" || !strings.Contains(r.err.String(), "to err") {
		t.Errorf("stdout = %q, stderr = %q", r.out.String(), r.err.String())
	}
}

func TestStdin(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"at its end", nil, ""},
		{"--inherit-stdin", []string{"--inherit-stdin"}, "from the caller"},
		{"--inherit-stdio", []string{"--inherit-stdio"}, "from the caller"},
		{"--stdin-file", []string{"--stdin-file", "in"}, "from a file\r\n\xff"},
		{"--stdin-file, null", []string{"--stdin-file", "NUL"}, ""},
		{"--stdin-file against our directory, not the child's", []string{"--stdin-file", "in", "--cwd", `\`}, "from a file\r\n\xff"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := do(t, 0, func(r *invocation) {
				r.cmd.Stdin = strings.NewReader("from the caller")
				r.write(map[string]string{"in": "from a file\r\n\xff"})
			}, append(tt.args, "--", "child", "cat")...)
			if got := r.out.String(); got != tt.want {
				t.Errorf("stdout = %q, want %q", got, tt.want)
			}
		})
	}
	r := start(t, nil, "--stdin-file", "none", "--", "child", "cat")
	if got := r.wait(); got != 111 {
		t.Errorf("without the file: %d, want 111", got)
	}
}

// Large output on both streams at once, echoed and captured.
func TestLargeOutput(t *testing.T) {
	const size = 64 << 20
	var sums [2]chan string
	r := start(t, func(r *invocation) {
		for i := range sums {
			from, to, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { to.Close() })
			sums[i] = make(chan string, 1)
			go func() {
				h := sha256.New()
				_, _ = io.Copy(h, from)
				sums[i] <- hex.EncodeToString(h.Sum(nil))
			}()
			if i == 0 {
				r.cmd.Stdout = to
			} else {
				r.cmd.Stderr = to
			}
		}
	}, "--capture-dir", "cap", "--capture-max-bytes", "1g", "--", "child", "bytes", "--stdout", fmt.Sprint(size), "--stderr", fmt.Sprint(size))
	r.cmd.Stdout.(*os.File).Close()
	r.cmd.Stderr.(*os.File).Close()
	e := r.ended(0).one(t, "output_captured")
	for i, name := range []string{"stdout", "stderr"} {
		want := noiseSum(i+1, size)
		check(t, e, name+".bytes", fmt.Sprint(size), name+".sha256", `"`+want+`"`, name+".truncated", "false", name+".write_error", "false")
		if got := <-sums[i]; got != want && i == 0 {
			t.Errorf("%s has the digest %s, want %s", name, got, want)
		}
		f, err := os.Open(r.path("cap", name+".log"))
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		_, _ = io.Copy(h, f)
		f.Close()
		if got := hex.EncodeToString(h.Sum(nil)); got != want {
			t.Errorf("%s.log has the digest %s, want %s", name, got, want)
		}
	}
}

// A reader that leaves ends the echo and nothing else.
func TestClosedStdout(t *testing.T) {
	r := start(t, func(r *invocation) {
		from, to, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		from.Close()
		r.cmd.Stdout = to
	}, "--capture-dir", "cap", "--", "child", "do", "bytes", "--stdout", "3000000", "+", "exit", "9")
	r.cmd.Stdout.(*os.File).Close()
	s := r.ended(9)
	check(t, s.one(t, "output_captured"), "stdout.bytes", "3000000", "stdout.write_error", "false")
	if strings.Contains(r.err.String(), "not echoed") {
		t.Errorf("stderr = %q, want no warning", r.err.String())
	}
}

func TestNoEcho(t *testing.T) {
	r, s := do(t, 0, nil, "--no-echo", "--capture-dir", "cap", "--", "child", "do", "echo", "x", "+", "echo", "--stderr", "y")
	check(t, s.one(t, "output_captured"), "stdout.bytes", "2", "stderr.bytes", "2")
	if r.out.Len() > 0 {
		t.Errorf("stdout = %q", r.out.String())
	}
}

func TestIdle(t *testing.T) {
	_, s := do(t, 0, nil, "--idle-timeout", "2s", "--", "child", "spawn", "1", "drip", "x", "100ms", "25")
	s.one(t, "root_exited")
	_, s = do(t, 106, nil, "--idle-timeout", "1s", "--", "child", "do", "drip", "x", "100ms", "12", "+", "hang")
	check(t, s.one(t, "timeout"), "reason", `"idle"`, "timeout_ms", "1000")
}

func TestOverflow(t *testing.T) {
	_, s := do(t, 113, nil, "--capture-dir", "cap", "--capture-max-bytes", "10", "--capture-overflow", "cancel", "--", "child", "do", "lines", "3", "+", "hang")
	check(t, s.one(t, "output_overflow"), "stream", `"stdout"`, "max_bytes", "10")
	check(t, s.one(t, "output_captured"), "stdout.truncated", "true")
}

func TestPathsInTheStream(t *testing.T) {
	r, s := do(t, 0, func(r *invocation) { r.write(map[string]string{"sub/x": ""}) }, "--cwd", "./sub/../sub/", "--", "child", "print-cwd")
	cwd := s.one(t, "run_started").Get("cwd").String()
	if want, err := filepath.Abs(r.path("sub")); err != nil || cwd != want || strings.TrimSpace(r.out.String()) != want {
		t.Errorf("cwd = %q, the child says %q, want %q", cwd, r.out.String(), want)
	}
}

// Whoever empties the stream meanwhile finds no hole in what follows.
func TestEmptiedStream(t *testing.T) {
	r := start(t, nil, "--snapshot-interval", "20ms", "--", "child", "hang", "1s")
	waitFor(t, "snapshots", func() bool { return strings.Count(r.raw(), "members_snapshot") > 2 })
	if err := os.Truncate(r.path("events.jsonl"), 0); err != nil {
		t.Fatal(err)
	}
	if got := r.wait(); got != 0 {
		t.Errorf("code = %d, want 0", got)
	}
	if raw := r.raw(); !strings.HasPrefix(raw, "{") || !strings.Contains(raw, "runner_exit") {
		t.Errorf("stream = %.100q...", raw)
	}
}

func TestNoWindow(t *testing.T) {
	r, _ := do(t, 3, nil, "--create-no-window", "--", "child", "do", "echo", "x", "+", "exit", "3")
	if r.out.String() != "x\n" {
		t.Errorf("stdout = %q", r.out.String())
	}
}
