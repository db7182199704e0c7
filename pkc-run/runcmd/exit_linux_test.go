package runcmd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestChildCodes(t *testing.T) {
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		for _, code := range []int{0, 1, 2, 77, 100, 105, 113, 119, 126, 127, 128, 137, 255} {
			_, s := do(t, code, use, "--", "child", "exit", fmt.Sprint(code))
			n := fmt.Sprint(code)
			check(t, s.one(t, "root_exited"), "outcome", `"exited"`, "code", n, "signal", "null")
			check(t, s.one(t, "runner_exit"), "code", n, "source", `"child_exit"`, "child_code", n)
			s.clean(t)
		}
	})
}

func TestDeathBySignal(t *testing.T) {
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGKILL, syscall.SIGUSR1, syscall.SIGSEGV, syscall.SIGTERM} {
			n := int(sig)
			_, s := do(t, 128+n, use, "--", "child", "signal", fmt.Sprint(n))
			check(t, s.one(t, "root_exited"), "outcome", `"signalled"`, "code", "null", "signal", fmt.Sprint(n))
			code := fmt.Sprint(128 + n)
			check(t, s.one(t, "runner_exit"), "code", code, "source", `"child_exit"`, "child_code", code)
		}
	})
}

// A child whose end nobody saw has no code: it is a fault of the runner's.
func TestLostChild(t *testing.T) {
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		r, s := do(t, 104, func(r *invocation) {
			use(r)
			r.env = append(r.env, loseEnv+"=1")
		}, "--capture-dir", "logs", "--grace", "20s", "--", "child", "do", "echo", "x", "+", "exit", "5")
		if n := len(s.all("root_exited")); n > 0 {
			t.Errorf("%d events tell of an end that nobody saw", n)
		}
		check(t, s.one(t, "cleanup_finished"), "soft_terminate", "null", "shutdown", "null")
		check(t, s.one(t, "output_captured"), "stdout.bytes", "2")
		check(t, s.one(t, "runner_exit"), "code", "104", "source", `"internal"`, "child_code", "null")
		if got := r.err.String(); !strings.Contains(got, "lost sight of the child") || strings.Count(got, "\n") != 1 {
			t.Errorf("stderr = %q, want one line", got)
		}
		s.clean(t)
	})
}

func TestProgramsThatCannotStart(t *testing.T) {
	write := func(r *invocation, name, content string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name    string
		prepare func(*invocation)
		args    []string
		want    string // on stderr
	}{
		// A directory in PATH that this user may not search would say something else.
		{"missing, bare", func(r *invocation) { r.env = append(r.env, "PATH=/usr/bin:/bin") }, []string{"--", "no-such-program"}, `"no-such-program": not found in the child's PATH`},
		{"missing, by path", nil, []string{"--", "./no-such-program"}, `"./no-such-program": no such file`},
		{"a directory", nil, []string{"--", "/"}, "is a directory"},
		{"not executable", func(r *invocation) { write(r, "data", "x", 0o644) }, []string{"--", "./data"}, "permission denied"},
		{"a FIFO", func(r *invocation) {
			if err := unix.Mkfifo(r.path("fifo"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, []string{"--", "./fifo"}, "permission denied"},
		{"no interpreter line", func(r *invocation) { write(r, "script", "echo hi\n", 0o755) }, []string{"--", "./script"}, "needs a #! line"},
		{"missing interpreter", func(r *invocation) { write(r, "script", "#!/no/such/interp -x\n", 0o755) }, []string{"--", "./script"}, `interpreter "/no/such/interp"`},
		{"missing directory", nil, []string{"--cwd", "nowhere", "--", "child", "exit", "0"}, `--cwd "nowhere": no such file`},
		{"a file as directory", func(r *invocation) { write(r, "file", "", 0o644) }, []string{"--cwd", "file", "--", "child", "exit", "0"}, `--cwd "file": not a directory`},
		{"variable too long", func(r *invocation) { write(r, "env", "BIG="+strings.Repeat("x", 200_000), 0o644) }, []string{"--env-file", "env", "--", "child", "exit", "0"}, `environment variable "BIG" has 200004 bytes`},
		{"PATH of the child", nil, []string{"--env", "PATH=/nowhere", "--", "child", "exit", "0"}, "not found in the child's PATH"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mechanisms(t, func(t *testing.T, use func(*invocation)) {
				r, s := do(t, 101, func(r *invocation) {
					use(r)
					if tt.prepare != nil {
						tt.prepare(r)
					}
				}, tt.args...)
				if got := strings.Join(s.names(), " "); got != "spawn_failed runner_exit" {
					t.Errorf("events = %s", got)
				}
				check(t, s.one(t, "spawn_failed"), "code", "101")
				check(t, s.one(t, "runner_exit"), "code", "101", "source", `"spawn_error"`, "child_code", "null")
				one := r.err.String()
				if !strings.Contains(one, tt.want) || strings.Count(one, "\n") != 1 || !strings.HasPrefix(one, "pkc-run: ") {
					t.Errorf("stderr = %q, want one line with %q", one, tt.want)
				}
				if r.out.Len() > 0 {
					t.Errorf("stdout = %q, want nothing", r.out.String())
				}
			})
		})
	}
}
