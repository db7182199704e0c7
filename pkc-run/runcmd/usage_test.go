package runcmd_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// refused expects one line on stderr and no trace of anything else.
func (r *invocation) refused(code int, want string) {
	r.t.Helper()
	if got := r.wait(); got != code {
		r.t.Errorf("pkc-run %q = %d, want %d; stderr: %s", r.cmd.Args[1:], got, code, r.err.String())
	}
	line := r.err.String()
	if !strings.HasPrefix(line, "pkc-run: ") || strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
		r.t.Errorf("pkc-run %q: stderr = %q, want one line", r.cmd.Args[1:], line)
	}
	if !strings.Contains(line, want) || strings.Contains(line, "SECRET") {
		r.t.Errorf("pkc-run %q: stderr = %q, want %q and no value", r.cmd.Args[1:], line, want)
	}
	if r.out.Len() > 0 {
		r.t.Errorf("pkc-run %q: stdout = %q, want nothing", r.cmd.Args[1:], r.out.String())
	}
}

func TestUsage(t *testing.T) {
	const program = "-- child echo started"
	tests := []struct {
		args, want string // args are cut at spaces, _ stands for one
	}{
		{program, "--jsonl FILE is required"},
		{"--jsonl= " + program, "--jsonl"},
		{"--jsonl", "--jsonl needs a value"},
		{"--jsonl " + program, "--jsonl needs a value"},
		{"--jsonl e --jsonl f " + program, "--jsonl is given twice"},
		{"--jsonl e", "a program is required"},
		{"--jsonl e --", "a program is required"},
		{"--jsonl e child echo started", "unexpected argument"},
		{"--jsonl e SECRET " + program, "unexpected argument"},
		{"--jsonl e - " + program, "unexpected argument"},

		{"--jsonl e --nonsense " + program, "unknown flag --nonsense"},
		{"--jsonl e --nonsense=SECRET " + program, "unknown flag --nonsense"},
		{"--jsonl e --time-out 5s " + program, "did you mean --timeout?"},
		{"--jsonl e --time 5s " + program, "unknown flag --time"},
		{"--jsonl e -timeout 5s " + program, "unknown flag -timeout"},
		{"--jsonl e -env=SECRET " + program, "unknown flag -env"},
		{"-jsonl e " + program, "unknown flag -jsonl"},
		{"--jsonl e --Timeout 5s " + program, "unknown flag --Timeout"},
		{"--jsonl e --= " + program, "unknown flag --"},
		{"--jsonl e --no\x1b[2J " + program, "unknown flag --no [2J"},
		{"--jsonl e --version " + program, "unknown flag --version"},

		{"--jsonl e --timeout -5s " + program, "--timeout needs a value"},
		{"--jsonl e --env -SECRET " + program, "--env needs a value"},
		{"--jsonl e --label --no-echo " + program, "--label needs a value"},
		{"--jsonl e --cwd", "--cwd needs a value"},

		{"--jsonl e --no-echo=true " + program, "--no-echo takes no value"},
		{"--jsonl e --inherit-stdin= " + program, "--inherit-stdin takes no value"},
		{"--jsonl e --env-clear=false " + program, "--env-clear takes no value"},
		{"--jsonl e --no-echo --no-echo " + program, "--no-echo is given twice"},
		{"--jsonl e --argv-raw --argv-raw " + program, "--argv-raw is given twice"},
		{"--jsonl e --run-id a --run-id=a " + program, "--run-id is given twice"},
		{"--jsonl e --grace 1 --timeout 1 --grace 1 " + program, "--grace is given twice"},
		{"--jsonl e --error-format json --error-format json " + program, "--error-format is given twice"},
		{"--jsonl e --error-format xml " + program, "--error-format"},

		{"--jsonl e --timeout 0 " + program, "--timeout: "},
		{"--jsonl e --idle-timeout 1d " + program, "--idle-timeout: "},
		{"--jsonl e --snapshot-interval 0ms " + program, "--snapshot-interval: "},
		{"--jsonl e --grace +1 " + program, "--grace: "},
		{"--jsonl e --max-memory 0 " + program, "--max-memory: "},
		{"--jsonl e --max-processes 4294967296 " + program, "--max-processes: "},
		{"--jsonl e --cpu-quota nan " + program, "--cpu-quota: "},
		{"--jsonl e --capture-dir c --capture-max-bytes 1t " + program, "--capture-max-bytes: "},
		{"--jsonl e --capture-dir c --capture-overflow drop " + program, "--capture-overflow: "},
		{"--jsonl e --run-id a\nb " + program, "--run-id: "},
		{"--jsonl e --label nokey " + program, "--label: "},

		{"--jsonl e --env SECRET " + program, "--env: "},
		{"--jsonl e --env bad_key=SECRET " + program, `"bad key"`},
		{"--jsonl e --env new\nline=SECRET " + program, `"new\nline"`},
		{"--jsonl e --env =SECRET " + program, "--env: "},
		{"--jsonl e --env-remove a=SECRET " + program, "--env-remove: "},
		{"--jsonl e --run-id-env a=SECRET " + program, "--run-id-env: "},
		{"--jsonl e --run-id-env K --env A=1 --env K=SECRET " + program, `--run-id-env and --env both set "K"`},

		{"--jsonl e --capture-max-bytes 1 " + program, "--capture-max-bytes needs --capture-dir"},
		{"--jsonl e --capture-overflow cancel " + program, "--capture-overflow needs --capture-dir"},
		{"--jsonl e --inherit-stdio --capture-max-bytes 1 " + program, "--capture-max-bytes needs --capture-dir"},
		{"--jsonl e --capture-dir c --inherit-stdio " + program, "--inherit-stdio and --capture-dir"},
		{"--jsonl e --inherit-stdio --idle-timeout 1 " + program, "--inherit-stdio and --idle-timeout"},
		{"--jsonl e --inherit-stdio --inherit-stdin " + program, "--inherit-stdio and --inherit-stdin"},
		{"--jsonl e --inherit-stdio --stdin-file f " + program, "--inherit-stdio and --stdin-file"},
		{"--jsonl e --inherit-stdio --no-echo " + program, "--inherit-stdio and --no-echo"},
		{"--jsonl e --inherit-stdio --create-no-window " + program, "--inherit-stdio and --create-no-window"},
		{"--jsonl e --inherit-stdin --stdin-file f " + program, "--inherit-stdin and --stdin-file"},
		{"--jsonl e --detach --inherit-stdio " + program, "--detach and --inherit-stdio"},
		{"--jsonl e --inherit-stdin --detach " + program, "--detach and --inherit-stdin"},
		{"--jsonl e --detach --windows-graceful-ctrl-break " + program, "--detach and --windows-graceful-ctrl-break"},
		{"--jsonl e --detach --detach " + program, "--detach is given twice"},
		{"--jsonl e --detach --timeout 0 " + program, "--timeout: "},
		{"--jsonl e --create-no-window --windows-graceful-ctrl-break " + program, "--create-no-window and --windows-graceful-ctrl-break"},

		// What is wrong with the command line comes before the environment.
		{"--jsonl nowhere/e --cwd nowhere --env-file nowhere --timeout 0 " + program, "--timeout: "},
		{"--error-format json --jsonl e --timeout 0 " + program, "--timeout: "},
	}
	for _, tt := range tests {
		r := start(t, func(r *invocation) {
			args := strings.Split(tt.args, " ")
			for i, a := range args {
				args[i] = strings.ReplaceAll(a, "_", " ")
			}
			r.cmd.Args = append(r.cmd.Args[:1], args...)
		})
		r.refused(100, tt.want)
		r.untouched()
	}
}

// untouched expects the directory that the command ran in to be empty.
func (r *invocation) untouched() {
	r.t.Helper()
	entries, err := os.ReadDir(r.dir)
	if err != nil || len(entries) > 0 {
		r.t.Errorf("pkc-run %q left %v, %v", r.cmd.Args[1:], entries, err)
	}
}

// A line of an --env-file is data, not usage: it is read only once the stream
// is open. What it says is kept as quiet.
func TestBadEnvFileLine(t *testing.T) {
	tests := []struct{ content, want string }{
		{"A=1\n\n# note\nSECRET\n", `"env": line 4: want KEY=VALUE`},
		{"A=1\r\n B=SECRET\r\n", `"env": line 2: key " B"`},
		{"=SECRET", `"env": line 1: `},
		{"A=1\nB=SECRET\xff\n", `"env": line 2: want UTF-8`},
		{"A=SECRET\x00", `"env": line 1: the value of "A" holds a NUL byte`},
		{"new\x1bline=SECRET", `line 1: key "new\x1bline"`},
	}
	for _, tt := range tests {
		r, s := do(t, 111, func(r *invocation) {
			if err := os.WriteFile(r.path("env"), []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "--env-file", "env", "--", "child", "echo", "started")
		r.refused(111, tt.want)
		s.setupOnly(t)
		if strings.Contains(r.raw(), "SECRET") {
			t.Errorf("stream has a value: %s", r.raw())
		}
	}
}

// setupOnly expects the lone event of a run that could not be prepared.
func (s stream) setupOnly(t *testing.T) {
	t.Helper()
	if len(s) != 1 {
		t.Fatalf("events = %v, want runner_exit alone", s.names())
	}
	check(t, s.one(t, "runner_exit"), "code", "111", "source", `"setup"`, "child_code", "null")
}

func TestHelp(t *testing.T) {
	for _, arg := range []string{"-h", "--help"} {
		r := start(t, nil, arg, "--nonsense")
		if got := r.wait(); got != 0 || !strings.HasPrefix(r.out.String(), "usage: ") || r.err.Len() > 0 {
			t.Errorf("pkc-run %s = %d, stdout %q, stderr %q", arg, got, r.out.String(), r.err.String())
		}
		r.untouched()
	}
	// Behind -- it is the program's.
	r, _ := do(t, 0, nil, "--", "child", "echo", "x", "--help", "--jsonl", "-h")
	if got := r.out.String(); got != "x --help --jsonl -h\n" {
		t.Errorf("stdout = %q", got)
	}
}

func TestErrorsForMachines(t *testing.T) {
	r := start(t, nil, "--error-format", "json", "--run-id", "a", "--stdin-file", "none", "--", "child", "exit", "0")
	if got := r.wait(); got != 111 || strings.Count(r.err.String(), "\n") != 1 {
		t.Fatalf("pkc-run = %d, stderr %q, want one line", got, r.err.String())
	}
	check(t, gjson.Parse(r.err.String()), "error_version", "1", "code", "111", "kind", `"setup"`,
		"operation", `"run"`, "run_id", `"a"`, "retryable", "false")
}
