package runcmd_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/fixtures/child/childcmd"
	"processkit-cli/pkcshared/registry"
)

// noiseSum is the digest of what "child bytes" writes to a descriptor.
func noiseSum(fd int, size int64) string {
	h := sha256.New()
	_, _ = io.CopyN(h, childcmd.NewNoise(0, fd), size)
	return hex.EncodeToString(h.Sum(nil))
}

func sumOf(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}

func fileSum(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum, err := sumOf(f)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// pipeTo gives the run a pipe of the test's own as descriptor 1 or 2, and
// returns both ends: ours, and theirs to close once the run has started.
func (r *invocation) pipeTo(fd int) (from, to *os.File) {
	r.t.Helper()
	from, to, err := os.Pipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if fd == 1 {
		r.cmd.Stdout = to
	} else {
		r.cmd.Stderr = to
	}
	r.t.Cleanup(func() { from.Close(); to.Close() })
	return from, to
}

func TestEchoIsExact(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	inputs := map[string]string{
		"nothing":          "",
		"one byte":         "x",
		"no final newline": "a\nb",
		"CRLF and CR":      "a\r\nb\rc\r\n",
		"every byte":       string(all),
		"broken UTF-8":     "\xff\xfe é \xe2\x82",
		"escapes":          "\x1b[31mred\x1b[0m\a\x00\n\n\n",
	}
	for name, in := range inputs {
		t.Run(name, func(t *testing.T) {
			r, _ := do(t, 0, func(r *invocation) { r.cmd.Stdin = strings.NewReader(in) }, "--inherit-stdin", "--", "child", "cat")
			if r.out.String() != in || r.err.Len() > 0 {
				t.Errorf("stdout = %q, stderr = %q, want %q and nothing", r.out.String(), r.err.String(), in)
			}
		})
	}
	r, _ := do(t, 0, nil, "--", "child", "do", "echo", "-n", "to", "out", "+", "echo", "-n", "--stderr", "to", "err")
	if r.out.String() != "to out" || r.err.String() != "to err" {
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
		{"at its end under --no-echo and --capture-dir", []string{"--no-echo", "--capture-dir", "logs"}, ""},
		{"--inherit-stdin", []string{"--inherit-stdin"}, "from the caller"},
		{"--inherit-stdio", []string{"--inherit-stdio"}, "from the caller"},
		{"--stdin-file", []string{"--stdin-file", "in"}, "from a file\r\n\xff"},
		{"--stdin-file, empty", []string{"--stdin-file", "/dev/null"}, ""},
		{"--stdin-file against our directory, not the child's", []string{"--stdin-file", "in", "--cwd", "/"}, "from a file\r\n\xff"},
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
}

// The child reads a FIFO to its end, in blocking mode, whatever opening it
// took here.
func TestStdinFIFO(t *testing.T) {
	r := start(t, func(r *invocation) { r.write(map[string]string{"fifo|": ""}) },
		"--stdin-file", "fifo", "--", "child", "do", "print-nonblock", "+", "cat")
	w, err := os.OpenFile(r.path("fifo"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.WriteString("late")
	_ = w.Close()
	if got := r.wait(); got != 0 || r.out.String() != "0 blocking\n1 blocking\n2 blocking\nlate" {
		t.Errorf("pkc-run = %d, stdout %q", got, r.out.String())
	}
}

func TestNoEcho(t *testing.T) {
	r, s := do(t, 0, nil, "--no-echo", "--capture-dir", "logs", "--", "child", "bytes", "--stdout", "3000000", "--stderr", "1000000")
	if r.out.Len() > 0 || r.err.Len() > 0 {
		t.Errorf("stdout has %d bytes, stderr %q, want nothing", r.out.Len(), r.err.String())
	}
	check(t, s.one(t, "output_captured"),
		"stdout.sha256", `"`+noiseSum(1, 3000000)+`"`, "stderr.sha256", `"`+noiseSum(2, 1000000)+`"`)
	r, _ = do(t, 0, nil, "--no-echo", "--", "child", "bytes", "--stdout", "3000000", "--stderr", "3000000")
	if r.out.Len() > 0 || r.err.Len() > 0 {
		t.Errorf("stdout has %d bytes, stderr %q, want nothing", r.out.Len(), r.err.String())
	}
}

func TestInheritStdio(t *testing.T) {
	r, s := do(t, 7, func(r *invocation) { r.cmd.Stdin = strings.NewReader("in") },
		"--inherit-stdio", "--", "child", "do", "cat", "+", "echo", "-n", "--stderr", "err", "+", "exit", "7")
	if r.out.String() != "in" || r.err.String() != "err" {
		t.Errorf("stdout = %q, stderr = %q", r.out.String(), r.err.String())
	}
	s.clean(t)
}

// A partial line must not wait for its end.
func TestEchoIsPrompt(t *testing.T) {
	for _, args := range [][]string{nil, {"--capture-dir", "logs"}} {
		var out *os.File
		r := start(t, func(r *invocation) { out, _ = r.pipeTo(1) },
			append(args, "--", "child", "do", "echo", "-n", "sure?", "+", "hang")...)
		buf := make([]byte, 64)
		_ = out.SetReadDeadline(time.Now().Add(limit))
		n, err := out.Read(buf)
		if string(buf[:n]) != "sure?" {
			t.Errorf("read %q, %v while the child runs", buf[:n], err)
		}
		_ = r.cmd.Process.Signal(syscall.SIGTERM)
		if got := r.wait(); got != 107 {
			t.Errorf("pkc-run = %d, want 107", got)
		}
	}
}

// slowly reads in small sips, with pauses at first.
func slowly(f *os.File) (string, error) {
	h := sha256.New()
	buf := make([]byte, 50_000)
	for i := 0; ; i++ {
		n, err := f.Read(buf)
		h.Write(buf[:n])
		if err == io.EOF {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
		if i < 20 {
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// A slow reader, of a pipe in whichever mode the parent left it, gets it all.
func TestSlowReader(t *testing.T) {
	const size = 10 << 20
	for _, args := range [][]string{nil, {"--capture-dir", "logs", "--capture-max-bytes", "5m"}} {
		for _, mode := range []string{"blocking", "nonblocking", "nonblocking later"} {
			t.Run(fmt.Sprint(mode, args), func(t *testing.T) {
				var out, theirs *os.File
				r := start(t, func(r *invocation) {
					out, theirs = r.pipeTo(1)
					if mode == "nonblocking" {
						setNonblock(t, theirs)
					}
				}, append(args, "--", "child", "do", "echo", "ready", "+", "bytes", "--stdout", fmt.Sprint(size))...)
				first := make([]byte, len("ready\n"))
				if _, err := io.ReadFull(out, first); err != nil {
					t.Fatal(err)
				}
				if mode == "nonblocking later" {
					setNonblock(t, theirs)
				}
				_ = theirs.Close()
				got, err := slowly(out)
				if err != nil || got != noiseSum(1, size) {
					t.Errorf("output = %s, %v, want %s", got, err, noiseSum(1, size))
				}
				if code := r.wait(); code != 0 || r.err.Len() > 0 {
					t.Errorf("pkc-run = %d, stderr %q", code, r.err.String())
				}
			})
		}
	}
}

func setNonblock(t *testing.T, f *os.File) {
	t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	_ = raw.Control(func(fd uintptr) { err = unix.SetNonblock(int(fd), true) })
	if err != nil {
		t.Fatal(err)
	}
}

// A reader that leaves ends the echo of that stream and nothing else.
func TestClosedStdout(t *testing.T) {
	for _, args := range [][]string{nil, {"--capture-dir", "logs", "--capture-max-bytes", "64m"}, {"--capture-dir", "logs", "--capture-max-bytes", "1m"}} {
		for _, when := range []string{"before", "meanwhile"} {
			t.Run(fmt.Sprint(when, args), func(t *testing.T) {
				var out, theirs *os.File
				r := start(t, func(r *invocation) {
					out, theirs = r.pipeTo(1)
					if when == "before" {
						_ = out.Close()
					}
				}, append(args, "--", "child", "do", "bytes", "--stdout", "4000000", "--stderr", "300000", "+", "exit", "5")...)
				_ = theirs.Close()
				if when == "meanwhile" {
					if _, err := io.ReadFull(out, make([]byte, 100_000)); err != nil {
						t.Fatal(err)
					}
					_ = out.Close()
				}
				if got := r.wait(); got != 5 {
					t.Errorf("pkc-run = %d, want 5", got)
				}
				if sum, _ := sumOf(&r.err); sum != noiseSum(2, 300000) {
					t.Errorf("stderr was changed")
				}
				s := r.stream()
				check(t, s.one(t, "runner_exit"), "code", "5", "source", `"child_exit"`)
				if len(args) > 0 {
					check(t, s.one(t, "output_captured"), "stdout.bytes", "4000000", "stderr.sha256", `"`+noiseSum(2, 300000)+`"`)
				}
			})
		}
	}
}

func TestFullDiskForTheEcho(t *testing.T) {
	r, s := do(t, 5, func(r *invocation) {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { full.Close() })
		r.cmd.Stdout = full
	}, "--capture-dir", "logs", "--", "child", "do", "bytes", "--stdout", "500000", "+", "exit", "5")
	if got := r.err.String(); !strings.Contains(got, "no space left") || strings.Count(got, "\n") != 1 {
		t.Errorf("stderr = %q, want one warning", got)
	}
	check(t, s.one(t, "output_captured"), "stdout.sha256", `"`+noiseSum(1, 500000)+`"`)
}

// Nobody reads the runner's stderr, and it has something to say from the start.
func TestStderrNobodyReads(t *testing.T) {
	t.Parallel()
	r := start(t, func(r *invocation) {
		fill(t, r)
		r.env = append(r.env, registry.DirEnv+"=/dev/null")
	}, "--timeout", "500ms", "--", "child", "hang")
	if got := r.wait(); got != 106 {
		t.Errorf("pkc-run = %d, want 106", got)
	}
	s := r.stream()
	s.clean(t)
	if took := since(s.one(t, "run_started"), s.one(t, "timeout")); took > 5*time.Second {
		t.Errorf("the deadline of 500ms came after %v", took)
	}
}

// fill gives r a stderr that takes nothing more.
func fill(t *testing.T, r *invocation) {
	t.Helper()
	_, w := r.pipeTo(2)
	_ = w.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	if _, err := w.Write(make([]byte, 2<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("filling a pipe: %v", err)
	}
}

// sink is where a test sends the run's two streams. got tells the digests
// once the run has started.
type sink func(*invocation) (got func() [2]string)

func pipes(r *invocation) func() [2]string {
	var from, to [2]*os.File
	for i := range from {
		from[i], to[i] = r.pipeTo(i + 1)
	}
	return func() (got [2]string) {
		done := make(chan struct{})
		for i := range from {
			_ = to[i].Close()
			go func() {
				got[i], _ = sumOf(from[i])
				done <- struct{}{}
			}()
		}
		<-done
		<-done
		return got
	}
}

func files(flag int) sink {
	return func(r *invocation) func() [2]string {
		for i, w := range []*io.Writer{&r.cmd.Stdout, &r.cmd.Stderr} {
			*w = r.create(fmt.Sprint("to", i+1), flag)
		}
		return func() [2]string {
			<-r.done
			return [2]string{fileSum(r.t, r.path("to1")), fileSum(r.t, r.path("to2"))}
		}
	}
}

func (r *invocation) create(name string, flag int) *os.File {
	r.t.Helper()
	f, err := os.OpenFile(r.path(name), os.O_CREATE|os.O_WRONLY|flag, 0o600)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { f.Close() })
	return f
}

// 64 MiB on each stream at once arrive whole wherever they go. The sizes are
// no multiple of anything.
func TestMuchOutput(t *testing.T) {
	sizes := [2]int64{64<<20 + 4321, 64<<20 - 1234}
	want := [2]string{noiseSum(1, sizes[0]), noiseSum(2, sizes[1])}
	tests := []struct {
		name string
		args []string
		to   sink
	}{
		{"pipes", nil, pipes},
		{"pipes and captures", []string{"--capture-dir", "logs", "--capture-max-bytes", "1g"}, pipes},
		{"pipes and captures that fill", []string{"--capture-dir", "logs", "--capture-max-bytes", "10m"}, pipes},
		{"files", nil, files(os.O_TRUNC)},
		{"files to append to", nil, files(os.O_APPEND)},
		{"captures alone", []string{"--no-echo", "--capture-dir", "logs", "--capture-max-bytes", "1g"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := func() [2]string { return want }
			r := start(t, func(r *invocation) {
				if tt.to != nil {
					got = tt.to(r)
				}
			}, append(tt.args, "--", "child", "bytes", "--stdout", fmt.Sprint(sizes[0]), "--stderr", fmt.Sprint(sizes[1]))...)
			if sums := got(); sums != want {
				t.Errorf("digests = %v, want %v", sums, want)
			}
			if code := r.wait(); code != 0 {
				t.Errorf("pkc-run = %d; stderr: %.300s", code, r.err.String())
			}
			if len(tt.args) == 0 {
				return
			}
			e := r.stream().one(t, "output_captured")
			check(t, e, "stdout.bytes", fmt.Sprint(sizes[0]), "stderr.bytes", fmt.Sprint(sizes[1]))
			if !e.Get("stdout.truncated").Bool() {
				check(t, e, "stdout.sha256", `"`+want[0]+`"`, "stderr.sha256", `"`+want[1]+`"`)
			}
		})
	}
}

// Where both streams share one file and its offset, as after 2>&1, neither
// overwrites the other.
func TestSharedFile(t *testing.T) {
	const size = 16<<20 + 7
	for _, flag := range []int{os.O_TRUNC, os.O_APPEND} {
		r, _ := do(t, 0, func(r *invocation) {
			r.cmd.Stdout = r.create("both", flag)
			r.cmd.Stderr = r.cmd.Stdout
		}, "--", "child", "bytes", "--stdout", fmt.Sprint(size), "--stderr", fmt.Sprint(size))
		both, err := os.Open(r.path("both"))
		if err != nil {
			t.Fatal(err)
		}
		defer both.Close()
		want := io.MultiReader(io.LimitReader(childcmd.NewNoise(0, 1), size), io.LimitReader(childcmd.NewNoise(0, 2), size))
		if histogram(t, both) != histogram(t, want) {
			t.Errorf("flag %#x: the file does not hold both streams", flag)
		}
	}
}

// histogram counts bytes: which stream comes first is up to the scheduler.
func histogram(t *testing.T, r io.Reader) (h [256]int) {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b {
		h[c]++
	}
	return h
}
