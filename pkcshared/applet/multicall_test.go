package applet

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"processkit-cli/pkcshared/exit"
)

const playSuite = "APPLET_TEST_PLAYS_SUITE"

func TestMain(m *testing.M) {
	if os.Getenv(playSuite) != "" {
		suite().Main()
	}
	os.Exit(m.Run())
}

func suite() *Multicall {
	return &Multicall{Name: "suite", Summary: "Fakes.", Tools: []Entry{
		{"one", "does one thing", func() *Applet { return fake("one") }},
		{"two", "does another", func() *Applet { return fake("two") }},
	}}
}

func TestMulticall(t *testing.T) {
	help := suite().help()
	for _, want := range []string{"usage: suite COMMAND", "\n  one       does one thing\n  two       does another\n", "100 to 119"} {
		if !strings.Contains(help, want) {
			t.Errorf("help = %q, want %q in it", help, want)
		}
	}
	refusal := func(s string) string { return "suite: " + s + "; see suite --help\n" }
	refusalOfOne := func(s string) string { return "suite: " + s + "; see suite one --help\n" }
	const objectOne = `{"error_version":1,"code":103,"kind":"unprobed","operation":"one","run_id":null,"retryable":true,"message":"cannot tell"}` + "\n"
	tests := []struct {
		args     string
		code     exit.Code
		out, err string
	}{
		{"one -- x", 0, "suite one [\"x\"]\n", ""},
		{"two", 0, "suite two []\n", ""},
		{"--error-format json one --fail unprobed", 103, "", objectOne},
		{"--error-format=json one --fail unprobed", 103, "", objectOne},
		{"one --fail unprobed --error-format json", 103, "", objectOne},
		{"--error-format human one --fail unprobed", 103, "", "suite: cannot tell\n"},
		{"--error-format json one --error-format json", 100, "", refusalOfOne("--error-format is given twice")},
		{"--error-format json --error-format json one", 100, "", refusal("--error-format is given twice")},
		{"--error-format xml one", 100, "", refusal("--error-format: want human or json")},
		{"--error-format=", 100, "", refusal("--error-format: want human or json")},
		{"--error-format", 100, "", refusal("--error-format needs a value: human or json")},
		{"--error-format json three", 100, "", refusal("unknown command three")},

		{"", 100, "", help},
		{"--error-format json", 100, "", help},
		{"-h", 0, help, ""},
		{"--help", 0, help, ""},
		{"help", 0, help, ""},
		{"help one", 0, calledAs("suite one", fakeHelp), ""},
		{"help three", 100, "", refusal("help takes the name of one command")},
		{"help one two", 100, "", refusal("help takes the name of one command")},
		{"one --help", 0, calledAs("suite one", fakeHelp), ""},
		{"-V", 0, "suite " + Version + "\n", ""},
		{"--version", 0, "suite " + Version + "\n", ""},
		{"--version x", 100, "", refusal("--version stands alone")},
		{"one --version", 100, "", refusalOfOne("unknown flag --version")},
		{"three", 100, "", refusal("unknown command three")},
		{"pkc-one", 100, "", refusal("unknown command pkc-one")},
		{"thr\x1bee", 100, "", refusal("unknown command thr ee")},
		{"on", 100, "", refusal("unknown command on, did you mean one?")},
		{"--nonsense", 100, "", refusal("unknown flag --nonsense")},
		{"--nonsense=SECRET", 100, "", refusal("unknown flag --nonsense")},
		{"-x", 100, "", refusal("unknown flag -x")},
		{"--install", 100, "", refusal("--install needs one directory")},
		{"--install a b", 100, "", refusal("--install needs one directory")},
		{"--install= b", 100, "", refusal("--install needs one directory")},
		{"--install no/such", 111, "", "suite: --install: "},
		{"--install=no/such", 111, "", "suite: --install: "},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			code, out, errs := call(t, func(c *Call) exit.Code {
				return suite().run(c, strings.Fields(tt.args))
			})
			if code != tt.code || out != tt.out || errs != tt.err && !(code == exit.Setup && strings.HasPrefix(errs, tt.err)) {
				t.Errorf("run(%q) = %d, %q, %q, want %d, %q, %q", tt.args, code, out, errs, tt.code, tt.out, tt.err)
			}
		})
	}
}

// The name that the binary is called by chooses the tool.
func TestCalledBy(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		argv     string
		code     int
		out, err string
	}{
		{"/usr/bin/pkc-one -- x", 0, "pkc-one one [\"x\"]\n", ""},
		{"pkc-two.exe", 0, "pkc-two two []\n", ""},
		{"pkc-one --version", 0, "pkc-one " + Version + "\n", ""},
		{"pkc-one -V", 0, "pkc-one " + Version + "\n", ""},
		{"pkc-one --version x", 100, "", "pkc-one: unknown flag --version; see pkc-one --help\n"},
		{"pkc-one two", 100, "", "pkc-one: unexpected argument before --: the program and its arguments come after it; see pkc-one --help\n"},
		{"pkc-one --fail silent", 7, "", ""},
		{"pkc-three two", 0, "suite two []\n", ""},
		{"renamed two", 0, "suite two []\n", ""},
		{"one two", 0, "suite two []\n", ""},
	}
	for _, tt := range tests {
		var out, errs bytes.Buffer
		cmd := &exec.Cmd{Path: self, Args: strings.Fields(tt.argv), Stdout: &out, Stderr: &errs, Env: append(os.Environ(), playSuite+"=1")}
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != tt.code || out.String() != tt.out || errs.String() != tt.err {
			t.Errorf("%s = %d, %q, %q, want %d, %q, %q", tt.argv, code, out.String(), errs.String(), tt.code, tt.out, tt.err)
		}
	}
}
