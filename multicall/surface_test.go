package main

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"processkit-cli/fixtures"
	"processkit-cli/pkcshared/applet"
)

var update = flag.Bool("update", false, "rewrite the generated files that these tests compare")

// capabilities are no flags: a promise of each that the tools' tests keep.
var capabilities = []string{"run:resource-summary"}

// surfaceOf has a line for every command, flag and capability. A command
// inside another has a name of two parts, as in procctl:stop:--timeout; the
// first is that of the tool.
func surfaceOf(m *applet.Multicall) string {
	tokens := slices.Clone(capabilities)
	for _, e := range m.Tools {
		tokens = append(tokens, e.Name, e.Name+":--error-format")
		for _, a := range e.New().Commands() {
			command := strings.ReplaceAll(a.Name, " ", ":")
			tokens = append(tokens, command, command+":--error-format")
			for _, name := range applet.Flags(a.Flags) {
				tokens = append(tokens, command+":--"+name)
			}
		}
	}
	slices.Sort(tokens)
	return strings.Join(slices.Compact(tokens), "\n") + "\n"
}

func TestSurface(t *testing.T) {
	got := surfaceOf(suite())
	if *update {
		if err := os.WriteFile("../fixtures/surface.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := fixtures.Surface
	for line := range strings.Lines(got) {
		if !strings.Contains("\n"+want, "\n"+line) {
			t.Errorf("fixtures/surface.txt lacks %s", strings.TrimSpace(line))
		}
	}
	for line := range strings.Lines(want) {
		if !strings.Contains("\n"+got, "\n"+line) {
			t.Errorf("fixtures/surface.txt claims %s, which is not there", strings.TrimSpace(line))
		}
	}
	if got != want {
		t.Error("fixtures/surface.txt differs; go test ./multicall -run TestSurface -update")
	}
}
