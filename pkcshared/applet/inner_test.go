package applet

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"processkit-cli/pkcshared/exit"
)

const roofHelp = "usage: roof one|open\n\nFirst.\n\nAll options\n\n  -h, --help\n"

// roof has two commands; open takes an argument among its flags.
func roof() *Applet {
	set := flag.NewFlagSet("open", flag.ContinueOnError)
	mode := set.String("mode", "", "")
	open := &Applet{
		Name: "open", Help: "usage: roof open\n", Flags: set, Args: []string{"FILE"},
		Exec: func(_ context.Context, c *Call) error {
			if *mode == "fail" {
				return exit.Errorf(exit.Setup, "no %s", c.Args[0])
			}
			fmt.Fprintf(c.Out, "%q %q\n", c.Args, *mode)
			return nil
		},
	}
	return &Applet{Name: "roof", Help: roofHelp, Inner: []*Applet{fake("one"), open}}
}

func TestInner(t *testing.T) {
	refusal := func(s string) string { return "pkc-one: " + s + "; see pkc-one --help\n" }
	inner := func(s string) string { return "pkc-one: " + s + "; see pkc-one open --help\n" }
	const object = `{"error_version":1,"code":111,"kind":"setup","operation":"roof open","run_id":null,"retryable":false,"message":"no a"}` + "\n"
	tests := []struct {
		args     string
		code     exit.Code
		out, err string
	}{
		{"one --name x -- a --b", 0, "pkc-one one [\"a\" \"--b\"]\n", ""},
		{"open a", 0, "[\"a\"] \"\"\n", ""},
		{"open a --mode m", 0, "[\"a\"] \"m\"\n", ""},
		{"open --mode m a", 0, "[\"a\"] \"m\"\n", ""},
		{"open --mode=fail a --error-format json", 111, "", object},
		{"--error-format json open --mode=fail a", 111, "", object},
		{"--error-format=human open --mode=fail a", 111, "", "pkc-one: no a\n"},

		{"", 100, "", calledAs("pkc-one", roofHelp)},
		{"--error-format json", 100, "", calledAs("pkc-one", roofHelp)},
		{"-h", 0, "usage: pkc-one one|open\n\nFirst.\n\nMore: pkc-one --help\n", ""},
		{"--help", 0, calledAs("pkc-one", roofHelp), ""},
		{"open --help", 0, "usage: pkc-one open\n", ""},
		{"one -h", 0, "usage: one [FLAG...] -- PROGRAM\n\nFirst.\n\nMore: pkc-one one --help\n", ""},
		{"open", 100, "", inner("FILE is required")},
		{"open --mode m", 100, "", inner("FILE is required")},
		{"open a b", 100, "", inner("unexpected argument: besides flags, this command takes FILE only")},
		{"open -- a", 100, "", inner("unexpected argument: besides flags, this command takes FILE only")},
		{"open -", 100, "", inner("unexpected argument: besides flags, this command takes FILE only")},
		{"open -a", 100, "", inner("unknown flag -a: flags are long, as in --name")},
		{"open a --mod m", 100, "", inner("unknown flag --mod, did you mean --mode?")},
		{"three", 100, "", refusal("unknown command roof three")},
		{"--mode m open a", 100, "", refusal("unknown command roof --mode")},
		{"--error-format json open a --error-format json", 100, "", inner("--error-format is given twice")},
		{"--error-format xml open a", 100, "", refusal("--error-format: want human or json")},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			code, out, errs := call(t, func(c *Call) exit.Code { return run(roof(), c, strings.Fields(tt.args), "") })
			if code != tt.code || out != tt.out || errs != tt.err {
				t.Errorf("run(%q) = %d, %q, %q, want %d, %q, %q", tt.args, code, out, errs, tt.code, tt.out, tt.err)
			}
		})
	}
	if code, _, errs := call(t, func(c *Call) exit.Code { return run(roof(), c, []string{"--error-format=json", "open", "a"}, "json") }); code != exit.Usage {
		t.Errorf("a format here and further ahead = %d, %q, want a refusal", code, errs)
	}
}

func TestInnerHelp(t *testing.T) {
	m := &Multicall{Name: "suite", Tools: []Entry{{"roof", "has two", roof}}}
	tests := []struct {
		args string
		code exit.Code
		out  string
	}{
		{"help roof", 0, calledAs("suite roof", roofHelp)},
		{"help roof open", 0, "usage: suite roof open\n"},
		{"roof open --help", 0, "usage: suite roof open\n"},
		{"help roof three", 100, ""},
		{"help roof open more", 100, ""},
	}
	for _, tt := range tests {
		code, out, errs := call(t, func(c *Call) exit.Code { return m.run(c, strings.Fields(tt.args)) })
		if code != tt.code || out != tt.out {
			t.Errorf("run(%q) = %d, %q, %q, want %d, %q", tt.args, code, out, errs, tt.code, tt.out)
		}
	}
}

func TestCommands(t *testing.T) {
	for _, tt := range []struct {
		of   *Applet
		want string
	}{{fake("one"), "one"}, {roof(), "roof one, roof open"}} {
		var names []string
		for _, a := range tt.of.Commands() {
			names = append(names, a.Name)
		}
		if got := strings.Join(names, ", "); got != tt.want {
			t.Errorf("Commands of %s = %q, want %q", tt.of.Name, got, tt.want)
		}
	}
}
