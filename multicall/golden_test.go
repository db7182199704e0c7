package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"processkit-cli/pkcshared/applet"
)

// golden compares generated files with those in a folder, below which no other
// may be, or with -update makes the folder so.
func golden(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	have := map[string]bool{}
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			have[strings.TrimPrefix(filepath.ToSlash(path), dir+"/")] = true
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		delete(have, name)
		path := filepath.Join(dir, name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want[name]), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		} else if got := strings.ReplaceAll(string(b), "\r\n", "\n"); got != want[name] {
			line, was, is := firstDifference(got, want[name])
			t.Errorf("%s:%d is stale, make docs renews it: %q is now %q", path, line, was, is)
		}
	}
	for name := range have {
		path := filepath.Join(dir, name)
		if !*update {
			t.Errorf("%s has no source any more, make docs removes it", path)
		} else if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

// firstDifference finds the first line that differs.
func firstDifference(got, want string) (line int, was, is string) {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for line < len(g)-1 && line < len(w)-1 && g[line] == w[line] {
		line++
	}
	return line + 1, g[line], w[line]
}

// TestHelpTexts compares what --help and -h print with fixtures/cli-help, so
// that no text changes unseen. A tool prints the same by either name.
func TestHelpTexts(t *testing.T) {
	text := map[string]string{}
	add := func(name string, args ...string) {
		help, _ := invoke(t, 0, append(args, "--help")...)
		text[name+".txt"] = help
		text[name+".short.txt"], _ = invoke(t, 0, append(args, "-h")...)
	}
	add("processkit-cli", "processkit-cli")
	for _, e := range suite().Tools {
		a := e.New()
		for _, c := range append([]*applet.Applet{a}, a.Inner...) {
			words := []string{e.Name}
			if c != a {
				words = append(words, c.Name)
			}
			add(strings.Join(words, "-"), append([]string{"processkit-cli"}, words...)...)
			alone := append([]string{applet.LinkPrefix + e.Name}, words[1:]...)
			for _, flag := range []string{"--help", "-h"} {
				one, _ := invoke(t, 0, append(alone, flag)...)
				both, _ := invoke(t, 0, append(append([]string{"processkit-cli"}, words...), flag)...)
				// Each says how it was called.
				if as := strings.ReplaceAll(both, "processkit-cli "+e.Name, alone[0]); one != as {
					t.Errorf("%q %s differs from the suite's", alone, flag)
				}
			}
			if help, _ := invoke(t, 0, append([]string{"processkit-cli", "help"}, words...)...); help != text[strings.Join(words, "-")+".txt"] {
				t.Errorf("help %s differs from its --help", words)
			}
		}
	}
	golden(t, "../fixtures/cli-help", text)
}
