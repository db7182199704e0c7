package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestExamplePairs: an example for PowerShell, which few of our hosts can run,
// uses the same commands and flags as its twin for sh, which is executed. Both
// are short enough to be read before they are copied.
func TestExamplePairs(t *testing.T) {
	const most = 60 // lines
	scripts, err := filepath.Glob(top + "docs/examples/*.ps1")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d PowerShell examples, %v", len(scripts), err)
	}
	for _, ps1 := range scripts {
		sh := strings.TrimSuffix(ps1, "ps1") + "sh"
		want, got := usedBy(t, sh, most), usedBy(t, ps1, most)
		if !slices.Equal(got, want) {
			t.Errorf("%s uses\n%q, its twin\n%q", ps1, got, want)
		}
	}
}

// usedBy lists the commands and flags of the suite that a script uses.
func usedBy(t *testing.T, path string, most int) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(b), "\r\n", "\n")
	if n := strings.Count(text, "\n"); n > most {
		t.Errorf("%s has %d lines, more than %d", path, n, most)
	}
	text = regexp.MustCompile(`(?m)(^|\s)#.*$`).ReplaceAllString(text, "")
	used := map[string]bool{}
	for _, c := range callsIn(text) {
		used[c.command] = true
		for _, f := range c.flags {
			used[c.command+" --"+f] = true
		}
	}
	return slices.Sorted(maps.Keys(used))
}
