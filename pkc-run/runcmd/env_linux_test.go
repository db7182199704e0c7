package runcmd_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"processkit-cli/pkcshared/event"
)

func TestEnvOrder(t *testing.T) {
	files := map[string]string{
		"one": "# comment\n\nT_A=one\r\nT_B=one\nT_D= spaced \n",
		"two": "T_A=two\nT_A=two again",
	}
	// The caller has T_A=in, T_B=in and T_C=in.
	tests := []struct{ args, want string }{
		{"", "T_A=in T_B=in T_C=in"},
		{"--env-clear", ""},
		{"--env-clear --env-clear", ""},
		{"--env-remove T_A", "T_B=in T_C=in"},
		{"--env-remove T_A --env-remove T_C --env-remove T_NONE", "T_B=in"},
		{"--env T_A=set", "T_A=set T_B=in T_C=in"},
		{"--env T_A=1 --env T_A=2", "T_A=2 T_B=in T_C=in"},
		{"--env T_A= --env T_B== --env T_C=a=b", "T_A= T_B== T_C=a=b"},
		{"--env-file one", "T_A=one T_B=one T_C=in T_D= spaced "},
		{"--env-file one --env-file two", "T_A=two again T_B=one T_C=in T_D= spaced "},
		{"--env-file two --env-file one", "T_A=one T_B=one T_C=in T_D= spaced "},
		{"--env-file /dev/null", "T_A=in T_B=in T_C=in"},

		// Whatever the order of the flags: clear, remove, files, set.
		{"--env T_A=set --env-file one --env-remove T_A --env-clear", "T_A=set T_B=one T_D= spaced "},
		{"--env-file one --env-remove T_B", "T_A=one T_B=one T_C=in T_D= spaced "},
		{"--env T_C=set --env-remove T_C", "T_A=in T_B=in T_C=set"},
		{"--env T_Z=set --env-clear", "T_Z=set"},

		// The run's name comes last.
		{"--run-id R --run-id-env T_ID", "T_A=in T_B=in T_C=in T_ID=R"},
		{"--run-id R --run-id-env T_A", "T_A=R T_B=in T_C=in"},
		{"--run-id R --run-id-env T_A --env-remove T_A", "T_A=R T_B=in T_C=in"},
		{"--run-id R --run-id-env T_A --env-file two --env-clear", "T_A=R"},
		{"--run-id R --run-id-env t_a --env T_A=set --env-clear", "T_A=set t_a=R"},
		{"--run-id R --env-clear", ""},
	}
	for _, tt := range tests {
		r, _ := do(t, 0, func(r *invocation) {
			r.write(files)
			r.env = []string{"T_A=in", "T_B=in", "T_C=in"}
		}, append(strings.Fields(tt.args), "--", childPath(t), "print-env")...)
		var got []string
		for line := range strings.Lines(r.out.String()) {
			if strings.HasPrefix(strings.ToUpper(line), "T_") {
				got = append(got, strings.TrimSuffix(line, "\n"))
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != tt.want {
			t.Errorf("pkc-run %s: environment %q, want %q", tt.args, got, tt.want)
		}
		if strings.Contains(tt.args, "--env-clear") && strings.Contains(r.out.String(), "PATH=") {
			t.Errorf("pkc-run %s: environment has more: %s", tt.args, r.out.String())
		}
	}
}

func TestGeneratedRunIDForTheChild(t *testing.T) {
	r, s := do(t, 0, nil, "--run-id-env", "MY_RUN", "--", "child", "print-env", "MY_RUN")
	id := s.one(t, "run_started").Get("run_id").String()
	if r.out.String() != id+"\n" || !strings.HasPrefix(id, fmt.Sprintf("run-%d-", r.cmd.Process.Pid)) {
		t.Errorf("MY_RUN = %q, run_started has %q", r.out.String(), id)
	}
}

// Without flags the child's environment and directory are those of a program
// that was started directly, in the same order.
func TestEnvUntouched(t *testing.T) {
	odd := []string{"NOEQUALS", "=HIDDEN=x", "EMPTY=", "TWO LINES=a\nb", "BYTES\xff=\xfe\x01"}
	r, _ := do(t, 0, func(r *invocation) { r.env = odd }, "--", "child", "print-env")
	direct := exec.Command("child", "print-env")
	direct.Env, direct.Dir = append(os.Environ(), odd...), r.dir
	want, err := direct.Output()
	if err != nil {
		t.Fatal(err)
	}
	if r.out.String() != string(want) {
		t.Errorf("environment = %q, want %q", r.out.String(), want)
	}
}

// No byte of an argument, a variable or a directory changes on its way.
func TestExactBytes(t *testing.T) {
	const odd = "\xff\xfe \x01\n\t\"'$(x)\\ é\x80"
	r := start(t, func(r *invocation) {
		r.write(map[string]string{odd + "/": "", "env": "F=\x01\t\"$X\\ \u2028é'\n"})
	}, "--argv-raw", "--cwd", odd, "--env", "E\xff="+odd, "--env-file", "env", "--", "child", "hang", odd, "", "é", "--", "a=\xe9")
	waitFor(t, "run_started", func() bool { return strings.Contains(r.raw(), `"members_snapshot"`) })
	started := gjson.Parse(r.raw()[:strings.Index(r.raw(), "\n")])
	proc := "/proc/" + started.Get("root_pid").String()
	argv, err := os.ReadFile(proc + "/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"child", "hang", odd, "", "é", "--", "a=\xe9"}
	if want := strings.Join(args, "\x00") + "\x00"; string(argv) != want {
		t.Errorf("argv = %q, want %q", argv, want)
	}
	env, err := os.ReadFile(proc + "/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"E\xff=" + odd, "F=\x01\t\"$X\\ \u2028é'"} {
		if !slices.Contains(strings.Split(string(env), "\x00"), want) {
			t.Errorf("environment = %q, want %q in it", env, want)
		}
	}
	if dir, err := os.Readlink(proc + "/cwd"); err != nil || dir != r.path(odd) {
		t.Errorf("cwd = %q, %v, want %q", dir, err, r.path(odd))
	}
	check(t, started.Get("command"), "redacted", "false",
		"argv.2", `"\u0000\\xff\\xfe \u0001\n\t\"'$(x)\\\\ é\\x80"`, "argv.3", `""`, "argv.4", `"é"`, "argv.6", `"\u0000a=\\xe9"`,
		"argv_sha256", `"`+event.NewCommand(args, false).ArgvSHA256+`"`)
	if cwd := started.Get("cwd").String(); !utf8.ValidString(started.Raw) || !strings.HasPrefix(cwd, r.dir+"/\ufffd") {
		t.Errorf("run_started.cwd = %q, want a lossy %q", cwd, r.path(odd))
	}
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	r.wait()
	r.stream()
}

func TestCommandInTheStream(t *testing.T) {
	msbuild := []string{"child", "exit", "0", "/x/MSBUILD.dll", "/nodemode:1", "/nodeReuse:TRUE"}
	for _, argv := range [][]string{{"child", "exit", "0"}, {"child", "echo", "--token=hunter2"}, msbuild} {
		var digests []string
		for _, raw := range []bool{false, true} {
			args := append([]string{"--"}, argv...)
			if raw {
				args = append([]string{"--argv-raw"}, args...)
			}
			r := start(t, nil, args...)
			r.wait()
			c := r.stream().one(t, "run_started").Get("command")
			digests = append(digests, c.Get("argv_sha256").String())
			check(t, c, "redacted", fmt.Sprint(!raw))
			if !raw && (c.Get("argv").Raw != "null" || strings.Contains(r.raw(), "hunter2")) {
				t.Errorf("command = %s, want nothing of %q", c, argv)
			}
			if raw && len(c.Get("argv").Array()) != len(argv) {
				t.Errorf("command = %s, want %q", c, argv)
			}
			want := "null"
			if len(argv) == len(msbuild) {
				want = `"msbuild_node_reuse"`
			}
			check(t, c, "hint", want)
		}
		if digests[0] != digests[1] {
			t.Errorf("digests of %q = %q, want one", argv, digests)
		}
	}
}

func TestEnvValuesStayPrivate(t *testing.T) {
	for _, program := range [][]string{{"child", "exit", "0"}, {"no-such-program"}, {"./env"}} {
		r := start(t, func(r *invocation) {
			r.write(map[string]string{"env": "A=hunter2"})
			r.env = []string{"B=hunter2"}
		}, append([]string{"--argv-raw", "--env", "C=hunter2", "--env-file", "env", "--capture-dir", "logs", "--"}, program...)...)
		r.wait()
		if strings.Contains(r.raw(), "hunter2") || strings.Contains(r.err.String(), "hunter2") {
			t.Errorf("%q: a value shows: %s%s", program, r.raw(), r.err.String())
		}
	}
}
