package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"processkit-cli/pkcshared/applet"
)

// everywhere are flags that no command declares, because all have them.
var everywhere = []string{"error-format", "help"}

const screen = 24 // lines

// commands are all that can be executed, also inside others.
func commands() []*applet.Applet {
	var all []*applet.Applet
	for _, e := range suite().Tools {
		all = append(all, e.New().Commands()...)
	}
	return all
}

// TestHelpFlags finds each flag in the help, and no other.
func TestHelpFlags(t *testing.T) {
	mention := regexp.MustCompile(`(?:^|[^:\w-])--([a-z][a-z0-9-]*)`) // run:--detach is a token of probe
	for _, a := range commands() {
		real := append(applet.Flags(a.Flags), everywhere...)
		told := map[string]bool{}
		for _, m := range mention.FindAllStringSubmatch(ownText(a.Help, a.Name), -1) {
			told[m[1]] = true
			if !slices.Contains(real, m[1]) {
				t.Errorf("%s: the help tells of --%s, which is not there", a.Name, m[1])
			}
		}
		for _, name := range real {
			if !told[name] {
				t.Errorf("%s: the help does not tell of --%s", a.Name, name)
			}
		}
	}
}

// ownText leaves out the flags of other commands: what follows a pipe sign in
// an example, and a command by name as in "wait --run-id ID".
func ownText(help, name string) string {
	var b strings.Builder
	for line := range strings.Lines(help) {
		line, _, _ = strings.Cut(line, "| jq ")
		for _, e := range suite().Tools {
			if before, _, found := strings.Cut(line, " "+e.Name+" --"); found && e.Name != name {
				line = before
			}
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func TestHelpShape(t *testing.T) {
	code := regexp.MustCompile(`(?m)^  (0|any|\d+) +\S`)
	all := commands()
	for _, e := range suite().Tools {
		if a := e.New(); len(a.Inner) > 0 {
			all = append(all, a)
		}
	}
	for _, a := range all {
		help := a.Help
		if want := "usage: " + a.Name + " "; !strings.HasPrefix(help, want) {
			t.Errorf("%s: the help does not start with %q", a.Name, want)
		}
		_, codes, ok := strings.Cut(help, "\nExit codes:\n")
		if !ok || !code.MatchString(codes) || strings.Contains(codes, "\n\n") || !strings.HasSuffix(codes, "\n") {
			t.Errorf("%s: the help does not end with its exit codes", a.Name)
		}
		first, _, ok := strings.Cut(help, "\nAll options\n")
		if !ok {
			t.Errorf("%s: the help has no part \"All options\"", a.Name)
		}
		if !strings.Contains(first, "\nExample:\n  "+a.Name+" ") {
			t.Errorf("%s: the first part has no example", a.Name)
		}
		if n := strings.Count(first, "\n") + 2; n > screen { // and where to find more
			t.Errorf("%s: -h prints %d lines, more than a screen of %d", a.Name, n, screen)
		}
		for i, line := range strings.Split(help, "\n") {
			if len(line) > 80 || strings.TrimRight(line, " \t") != line || strings.Contains(line, "\t") {
				t.Errorf("%s: line %d of the help is too long or has odd space: %q", a.Name, i+1, line)
			}
		}
	}
}
