package applet

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"processkit-cli/pkcshared/exit"
)

const fakeHelp = "usage: one [FLAG...] -- PROGRAM\n\nFirst.\n\nAll options\n\n  --name NAME\n"

// fake is a tool that prints its operands, or fails as its flags say.
func fake(name string) *Applet {
	fset := flag.NewFlagSet(name, flag.ContinueOnError)
	fset.String("name", "", "")
	fset.String("run-id", "", "")
	fset.Bool("json", false, "")
	fset.Var(new(List), "label", "")
	fail := fset.String("fail", "", "")
	return &Applet{
		Name: name, Help: fakeHelp, Flags: fset, Operands: true,
		Exec: func(_ context.Context, c *Call) error {
			switch *fail {
			case "":
				fmt.Fprintf(c.Out, "%s %s %q\n", c.Prog, name, c.Operands)
				return nil
			case "usage":
				return exit.Errorf(exit.Usage, "--name: bad")
			case "setup":
				return exit.Errorf(exit.Setup, "--name: %w", &fs.PathError{Op: "open", Path: "a\n<b>\x1b[2J", Err: fs.ErrNotExist})
			case "unprobed":
				return exit.As(exit.Control, exit.KindUnprobed, "cannot tell")
			case "silent":
				return exit.Silent(7)
			case "warn":
				c.Warn("a\nb %d", 1)
				return exit.Silent(0)
			}
			return errors.New(*fail)
		},
	}
}

// calledAs is a help text for who called the command by those words.
func calledAs(words, help string) string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(help, "usage: "), " ")
	return "usage: " + words + " " + rest
}

// call gives a tool files for its streams and returns what it wrote.
func call(t *testing.T, f func(*Call) exit.Code) (code exit.Code, out, errs string) {
	t.Helper()
	c := &Call{Prog: "pkc-one", In: os.Stdin, alone: true}
	var written [2]string
	for i, to := range []**os.File{&c.Out, &c.Err} {
		written[i] = filepath.Join(t.TempDir(), "stream")
		file, err := os.Create(written[i])
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		*to = file
	}
	code = f(c)
	for i := range written {
		b, err := os.ReadFile(written[i])
		if err != nil {
			t.Fatal(err)
		}
		written[i] = string(b)
	}
	return code, written[0], written[1]
}

func TestScan(t *testing.T) {
	tests := []struct {
		in       string // cut at spaces
		args     string
		operands []string
		err      string
	}{
		{in: ""},
		{in: "--name a", args: "--name=a"},
		{in: "--name=a", args: "--name=a"},
		{in: "--name=", args: "--name="},
		{in: "--name=-a=b", args: "--name=-a=b"},
		{in: "--json --name a --label x --label=y", args: "--json --name=a --label=x --label=y"},
		{in: "--json -- --json -h -- x", args: "--json", operands: []string{"--json", "-h", "--", "x"}},
		{in: "--", operands: []string{}},
		{in: "--error-format json", args: "--error-format=json"},

		{in: "-name a", err: "unknown flag -name: flags are long, as in --name"},
		{in: "-j", err: "unknown flag -j"},
		{in: "-name=SECRET", err: "unknown flag -name:"},
		{in: "--nam a", err: "unknown flag --nam, did you mean --name?"},
		{in: "--nothing-like=SECRET", err: "unknown flag --nothing-like"},
		{in: "---name a", err: "unknown flag ---name, did you mean --name?"},
		{in: "--=x", err: "unknown flag --"},
		{in: "SECRET", err: "unexpected argument before --"},
		{in: "-", err: "unexpected argument before --"},
		{in: "--name", err: "--name needs a value"},
		{in: "--name -a", err: "--name needs a value (one that starts with - is written --name=VALUE)"},
		{in: "--name -- x", err: "--name needs a value"},
		{in: "--name a --name=b", err: "--name is given twice"},
		{in: "--json --json", err: "--json is given twice"},
		{in: "--json=true", err: "--json takes no value"},
		{in: "--json=", err: "--json takes no value"},
	}
	for _, tt := range tests {
		a := fake("one")
		a.Flags.String("error-format", "human", "")
		got, err := scan(a, strings.Fields(tt.in))
		if tt.err != "" {
			if exit.CodeOf(err) != exit.Usage || !strings.HasPrefix(err.Error(), tt.err) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("scan(%q) = %v, want %q", tt.in, err, tt.err)
			}
			continue
		}
		if err != nil || strings.Join(got.args, " ") != tt.args || !slices.Equal(got.operands, tt.operands) {
			t.Errorf("scan(%q) = %q, %q, %v, want %q, %q", tt.in, got.args, got.operands, err, tt.args, tt.operands)
		}
	}
}

func TestScanWithoutOperands(t *testing.T) {
	a := fake("one")
	a.Operands = false
	for _, in := range []string{"--", "x", "--json -- x"} {
		if _, err := scan(a, strings.Fields(in)); err == nil || err.Error() != "unexpected argument: this command takes flags only, as in --run-id=..." {
			t.Errorf("scan(%q) = %v, want an unexpected argument", in, err)
		}
	}
}

func TestSuggest(t *testing.T) {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	for _, name := range []string{"timeout", "idle-timeout", "env", "env-file", "json"} {
		set.Bool(name, false, "")
	}
	tests := []struct{ in, want string }{
		{"timout", "timeout"},
		{"tiemout", "timeout"},
		{"time-out", "timeout"},
		{"TIMEOUT", ""},
		{"idletimeout", "idle-timeout"},
		{"envfile", "env-file"},
		{"jsonl", "json"},
		{"something", ""},
		{"e", ""},
		{strings.Repeat("x", 1000), ""},
	}
	for _, tt := range tests {
		want := ""
		if tt.want != "" {
			want = ", did you mean --" + tt.want + "?"
		}
		if got := suggest(set, tt.in); got != want {
			t.Errorf("suggest(%q) = %q, want %q", tt.in, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"abc", "", 3},
		{"", "abc", 3},
		{"abc", "abc", 0},
		{"abc", "abd", 1},
		{"abc", "acb", 2},
		{"kitten", "sitting", 3},
	}
	for _, tt := range tests {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestRun(t *testing.T) {
	const envelope = `{"error_version":1,"code":%d,"kind":%q,"operation":"one","run_id":%s,"retryable":%v,"message":%s}` + "\n"
	tests := []struct {
		name, args string
		code       exit.Code
		out, err   string
	}{
		{"works", "--name x -- a b", 0, "pkc-one one [\"a\" \"b\"]\n", ""},
		{"silent", "--fail silent", 7, "", ""},
		{"silent for machines", "--fail silent --error-format json", 7, "", ""},
		{"short help", "--name x -h --nonsense", 0, "usage: pkc-one [FLAG...] -- PROGRAM\n\nFirst.\n\nMore: pkc-one --help\n", ""},
		{"long help", "--help", 0, calledAs("pkc-one", fakeHelp), ""},
		{"parse error", "--nonsense", 100, "", "pkc-one: unknown flag --nonsense; see pkc-one --help\n"},
		{"parse error for machines", "--error-format json --nonsense", 100, "", "pkc-one: unknown flag --nonsense; see pkc-one --help\n"},
		{"bad value", "--fail usage --error-format json", 100, "", "pkc-one: --name: bad; see pkc-one --help\n"},
		{"bad format", "--error-format xml", 100, "", "pkc-one: --error-format: want human or json; see pkc-one --help\n"},
		{"one line", "--fail setup", 111, "", "pkc-one: --name: open a <b> [2J: file does not exist\n"},
		{"one object", "--fail setup --error-format json", 111, "", fmt.Sprintf(envelope, 111, "setup", "null", false, `"--name: open a\n<b>\u001b[2J: file does not exist"`)},
		{"named run", "--fail unprobed --error-format=json --run-id r", 103, "", fmt.Sprintf(envelope, 103, "unprobed", `"r"`, true, `"cannot tell"`)},
		{"no code", "--fail oops", 104, "", "pkc-one: oops\n"},
		{"no code for machines", "--fail oops --error-format json", 104, "", fmt.Sprintf(envelope, 104, "internal", "null", false, `"oops"`)},
		{"warning", "--fail warn --error-format json", 0, "", "pkc-one: warning: a b 1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := call(t, func(c *Call) exit.Code { return run(fake("one"), c, strings.Fields(tt.args), "") })
			if code != tt.code || out != tt.out || errs != tt.err {
				t.Errorf("run(%q) = %d, %q, %q, want %d, %q, %q", tt.args, code, out, errs, tt.code, tt.out, tt.err)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	if got, want := strings.Join(Flags(fake("one").Flags), " "), "fail json label name run-id"; got != want {
		t.Errorf("Flags = %q, want %q", got, want)
	}
}
