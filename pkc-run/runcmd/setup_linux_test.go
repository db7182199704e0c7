package runcmd_test

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/fixtures/need"
	"processkit-cli/fixtures/oracle"
)

// write makes files in the run's directory: a name that ends in / is a
// directory, in | a FIFO, and "a -> b" a link.
func (r *invocation) write(files map[string]string) {
	r.t.Helper()
	for name, content := range files {
		link, target, isLink := strings.Cut(name, " -> ")
		path := r.path(strings.TrimRight(link, "/|"))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case err != nil:
		case isLink:
			err = os.Symlink(target, path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		case strings.HasSuffix(name, "|"):
			err = unix.Mkfifo(path, 0o600)
		default:
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// tree lists the run's directory: paths with the content of regular files.
func (r *invocation) tree() map[string]string {
	r.t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == r.dir {
			return err
		}
		content := d.Type().String()
		if d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(b)
		}
		rel, err := filepath.Rel(r.dir, path)
		found[rel] = content
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

func toStream(path string) func(*invocation) {
	return func(r *invocation) { r.cmd.Args[2] = path }
}

func TestStreamCannotBeOpened(t *testing.T) {
	tests := []struct{ name, path, want string }{
		{"missing parent", "nowhere/e", "no such file"},
		{"a directory", ".", "is a directory"},
		{"parent is a file", "file/e", "not a directory"},
		{"not writable", "closed/e", "permission denied"},
		{"two lines", "no\nwhere/e", "--jsonl: open no where/e: no such file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "not writable" {
				need.Fact(t, "ordinary_user", os.Geteuid() != 0, "root may write anywhere")
			}
			var before map[string]string
			r := start(t, func(r *invocation) {
				toStream(tt.path)(r)
				r.write(map[string]string{"file": "kept", "closed/": ""})
				if err := os.Chmod(r.path("closed"), 0o500); err != nil {
					t.Fatal(err)
				}
				before = r.tree()
			}, "--capture-dir", "logs", "--", "child", "echo", "started")
			r.refused(111, tt.want)
			if got := fmt.Sprint(r.tree()); got != fmt.Sprint(before) {
				t.Errorf("files = %v, want %v", got, before)
			}
		})
	}
}

func TestSetupFaults(t *testing.T) {
	const long = 256 // more than a name may have
	kept := map[string]string{"logs/stdout.log": "old out", "logs/stderr.log": "old err"}
	tests := []struct {
		name  string
		files map[string]string
		args  []string
		want  string
	}{
		{"capture in a file", map[string]string{"logs": "kept"}, []string{"--capture-dir", "logs"}, "--capture-dir: open logs: not a directory"},
		{"capture below a file", map[string]string{"f": "kept"}, []string{"--capture-dir", "f/logs"}, "not a directory"},
		{"capture cannot be made whole", nil, []string{"--capture-dir", "a/b/" + strings.Repeat("x", long)}, "file name too long"},
		{"stdout.log is a directory", map[string]string{"logs/stdout.log/": "", "logs/stderr.log": "old err"}, []string{"--capture-dir", "logs"}, "is a directory"},
		{"stderr.log is a directory", map[string]string{"logs/stderr.log/": ""}, []string{"--capture-dir", "logs"}, "is a directory"},
		{"stderr.log is a directory, stdout.log is there", map[string]string{"logs/stderr.log/": "", "logs/stdout.log": "old out"}, []string{"--capture-dir", "logs/"}, "is a directory"},
		{"stdout.log is a FIFO", map[string]string{"logs/": "", "logs/stdout.log|": ""}, []string{"--capture-dir", "logs"}, "logs/stdout.log: no such device"},
		{"stderr.log is a device", map[string]string{"logs/stdout.log": "old out", "logs/stderr.log -> /dev/null": ""}, []string{"--capture-dir", "logs"}, "logs/stderr.log: not a regular file"},
		{"one link to the other", map[string]string{"logs/": "", "logs/stderr.log -> stdout.log": ""}, []string{"--capture-dir", "logs"}, "are one file"},
		{"one link to the other, with content", map[string]string{"logs/stdout.log": "old out", "logs/stderr.log -> stdout.log": ""}, []string{"--capture-dir", "logs"}, "are one file"},
		{"stdin missing", nil, []string{"--stdin-file", "in"}, "--stdin-file: open in: no such file"},
		{"stdin a directory", map[string]string{"in/": ""}, []string{"--stdin-file", "in"}, "--stdin-file: open in: is a directory"},
		{"env file missing", nil, []string{"--env-file", "env"}, "--env-file: open env: no such file"},
		{"env file a directory", map[string]string{"env/": ""}, []string{"--env-file", "env"}, "is a directory"},
		{"the second env file", map[string]string{"one": "A=1"}, []string{"--env-file", "one", "--env-file", "two"}, "open two: no such file"},
		{"capture before stdin", kept, []string{"--capture-dir", "logs/stdout.log", "--stdin-file", "in"}, "--capture-dir: "},
		{"stdin before env file", nil, []string{"--env-file", "env", "--stdin-file", "in"}, "--stdin-file: "},
		{"env file before the program", nil, []string{"--env-file", "env", "--max-memory", "1", "--cwd", "none"}, "--env-file: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var before map[string]string
			r, s := do(t, 111, func(r *invocation) {
				r.write(tt.files)
				before = r.tree()
			}, append(tt.args, "--", "child", "echo", "started")...)
			r.refused(111, tt.want)
			s.setupOnly(t)
			after := r.tree()
			delete(after, "events.jsonl")
			if fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("files = %v, want them as they were: %v", after, before)
			}
		})
	}
}

// A capture that failed can be repeated once the reason is gone, and then
// empties what is there.
func TestCaptureRetry(t *testing.T) {
	r, _ := do(t, 111, func(r *invocation) {
		r.write(map[string]string{"logs/stderr.log/": "", "logs/stdout.log": "old and longer than new"})
	}, "--capture-dir", "logs", "--", "child", "echo", "new")
	if err := os.Remove(r.path("logs", "stderr.log")); err != nil {
		t.Fatal(err)
	}
	again, s := do(t, 0, func(again *invocation) { again.dir = r.dir }, "--capture-dir", "logs", "--", "child", "echo", "new")
	files := again.tree()
	if files["logs/stdout.log"] != "new\n" || files["logs/stderr.log"] != "" {
		t.Errorf("files = %q", files)
	}
	check(t, s.one(t, "output_captured"), "stdout.bytes", "4", "stderr.bytes", "0")
}

func TestStreamInACaptureFile(t *testing.T) {
	for _, jsonl := range []string{"logs/stdout.log", "logs/stderr.log", "link"} {
		r := start(t, func(r *invocation) {
			r.write(map[string]string{"logs/stdout.log": "old out", "logs/stderr.log": "old err", "link -> logs/stderr.log": ""})
			toStream(jsonl)(r)
		}, "--capture-dir", "logs", "--", "child", "echo", "started")
		r.refused(111, "are one file")
		lines := 0
		for name, content := range r.tree() {
			if strings.HasPrefix(content, `{"schema_version":1,`) && strings.Contains(content, `"runner_exit","code":111,"source":"setup"`) {
				lines += strings.Count(content, "\n")
			} else if name == "logs/stdout.log" && content != "old out" || name == "logs/stderr.log" && content != "old err" {
				t.Errorf("--jsonl %s: %s = %q, want it as it was", jsonl, name, content)
			}
		}
		if lines != 1 {
			t.Errorf("--jsonl %s: %d events, want one; files %q", jsonl, lines, r.tree())
		}
	}
}

// The stream is not opened over what the run is to read.
func TestStreamIsAnInput(t *testing.T) {
	for _, args := range [][]string{
		{"--stdin-file", "in"},
		{"--env-file", "other", "--env-file", "in"},
		{"--detach", "--stdin-file", "in"},
	} {
		for _, jsonl := range []string{"in", "./link"} {
			r := start(t, func(r *invocation) {
				r.write(map[string]string{"in": "A=1\n", "other": "", "link -> in": ""})
				toStream(jsonl)(r)
			}, append(args, "--", "child", "echo", "started")...)
			r.refused(111, "--jsonl: ")
			if got := r.tree()["in"]; got != "A=1\n" {
				t.Errorf("--jsonl %s %q: the input is %q now", jsonl, args, got)
			}
		}
	}
}

// Somebody empties the stream of a live run, as log rotation does.
func TestStreamEmptiedMeanwhile(t *testing.T) {
	r := start(t, nil, "--", "sh", "-c", ": >events.jsonl; exit 3")
	if got := r.wait(); got != 3 {
		t.Errorf("pkc-run = %d, want 3", got)
	}
	for line := range strings.Lines(r.raw()) {
		if err := oracle.Line([]byte(line)); err != nil {
			t.Errorf("%.100q does not conform: %v", line, err)
		}
	}
	if !strings.HasPrefix(r.raw(), "{") {
		t.Errorf("stream = %.100q", r.raw())
	}
}

func TestFullDiskForTheStream(t *testing.T) {
	r := start(t, toStream("/dev/full"), "--", "child", "do", "echo", "out", "+", "exit", "3")
	if got := r.wait(); got != 3 || r.out.String() != "out\n" {
		t.Errorf("pkc-run = %d, stdout %q", got, r.out.String())
	}
	if got := r.err.String(); got != "pkc-run: warning: the event stream ends here: write /dev/full: no space left on device\n" {
		t.Errorf("stderr = %q, want one warning", got)
	}
}

func TestStreamToAFIFO(t *testing.T) {
	for _, reads := range []bool{true, false} {
		t.Run(fmt.Sprint("reads to the end: ", reads), func(t *testing.T) {
			r := start(t, func(r *invocation) {
				r.write(map[string]string{"fifo|": "", "in|": ""})
				toStream("fifo")(r)
			}, "--stdin-file", "in", "--", "child", "do", "cat", "+", "exit", "3")
			// The run waits for this reader, then its child for that writer.
			fifo, err := os.Open(r.path("fifo"))
			if err != nil {
				t.Fatal(err)
			}
			defer fifo.Close()
			in, err := os.OpenFile(r.path("in"), os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !reads {
				_ = fifo.Close()
				_ = in.Close()
				if got := r.wait(); got != 3 || !strings.HasPrefix(r.err.String(), "pkc-run: warning: the event stream ends here: ") || strings.Count(r.err.String(), "\n") != 1 {
					t.Errorf("pkc-run = %d, stderr %q, want one warning", got, r.err.String())
				}
				return
			}
			_ = in.Close()
			content, err := io.ReadAll(fifo)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.wait(); got != 3 || r.err.Len() > 0 {
				t.Errorf("pkc-run = %d, stderr %q", got, r.err.String())
			}
			r.write(map[string]string{"events.jsonl": string(content)})
			check(t, r.stream().one(t, "runner_exit"), "code", "3")
		})
	}
}

// A reader that sleeps costs events, not the run.
func TestStreamReaderSleeps(t *testing.T) {
	t.Parallel()
	r := start(t, func(r *invocation) {
		r.write(map[string]string{"fifo|": ""})
		toStream("fifo")(r)
	}, "--argv-raw", "--", "child", "echo", strings.Repeat("x", 100_000))
	fifo, err := os.Open(r.path("fifo"))
	if err != nil {
		t.Fatal(err)
	}
	defer fifo.Close()
	if got := r.wait(); got != 0 || r.out.Len() != 100_001 || strings.Count(r.err.String(), "\n") != 1 {
		t.Errorf("pkc-run = %d, %d bytes of output, stderr %q, want one warning", got, r.out.Len(), r.err.String())
	}
}

// inSyscall reports whether a thread of the process sleeps in a system call.
func inSyscall(pid, number int) bool {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	for _, f := range files {
		b, _ := os.ReadFile(f)
		if first, _, _ := strings.Cut(string(b), " "); first == strconv.Itoa(number) {
			return true
		}
	}
	return false
}

// See TestSignalBeforeTheChild for the FIFOs that are opened later.
func TestSignalWhileSettingUp(t *testing.T) {
	_, err := os.ReadFile("/proc/self/syscall")
	need.Fact(t, "proc_syscall", err == nil, errText(err))
	tests := []struct {
		name   string
		prep   func(*invocation)
		args   []string
		sleeps int
	}{
		{"open --jsonl", toStream("fifo"), nil, unix.SYS_OPENAT},
		{"read --env-file", nil, []string{"--env-file", "held"}, unix.SYS_EPOLL_PWAIT},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t, func(r *invocation) {
				r.write(map[string]string{"fifo|": "", "held|": ""})
				// Both ends, so that a reader finds a writer that keeps silent.
				held, err := os.OpenFile(r.path("held"), os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { held.Close() })
				if tt.prep != nil {
					tt.prep(r)
				}
			}, append(tt.args, "--", "child", "echo", "started")...)
			waitFor(t, "wait in "+tt.name, func() bool {
				return inSyscall(r.cmd.Process.Pid, tt.sleeps) && (tt.prep != nil || r.exists("events.jsonl"))
			})
			sent := time.Now()
			if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			r.refused(107, "run cancelled (SIGTERM)")
			if took := time.Since(sent); took > 5*time.Second {
				t.Errorf("ended %v after the signal", took)
			}
			if tt.prep == nil {
				check(t, r.stream().one(t, "runner_exit"), "code", "107", "source", `"cancelled"`, "child_code", "null")
			}
		})
	}
}

func (r *invocation) exists(name string) bool {
	_, err := os.Lstat(r.path(name))
	return err == nil
}
