package installed

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"processkit-cli/fixtures"
	"processkit-cli/fixtures/wine"
)

// tools are the commands that have at least one token.
func tools(tokens []string) string {
	var names []string
	for _, t := range tokens {
		name, _, _ := strings.Cut(t, ":")
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}

// build makes binaries as they are released. Where none can be built, PKC_BUILT
// is a directory that has them.
func build(t *testing.T) (dir, version string) {
	t.Helper()
	if dir := os.Getenv("PKC_BUILT"); dir != "" {
		out, err := exec.Command(filepath.Join(dir, "pkc-probe"+ext), "--version").Output()
		if err != nil {
			t.Fatal(err)
		}
		return dir, strings.TrimSpace(strings.TrimPrefix(string(out), "pkc-probe "))
	}
	version = "1.2.3-rc.4+m5"
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("this host has no make")
	}
	dir = t.TempDir()
	cmd := exec.Command("make", "-s", "-C", "../../..", "build", "BIN="+dir, "VERSION="+version, "TOOLS=pkc-probe pkc-list")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make build: %v: %s", err, out)
	}
	return dir, version
}

// install copies a program into a directory, under a name.
func install(t *testing.T, dir, name, from string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+ext), b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSurface(t *testing.T) {
	release, version := build(t)
	at := func(name string) string { return filepath.Join(release, name+ext) }
	whole := tools(strings.Fields(fixtures.Surface))
	tests := []struct {
		name    string
		version string
		lay     func(t *testing.T, beside, path string)
		want    string
	}{
		{"alone", version, func(*testing.T, string, string) {}, "probe"},
		{"beside", version, func(t *testing.T, beside, _ string) { install(t, beside, "pkc-list", at("pkc-list")) }, "list probe"},
		{"on PATH", version, func(t *testing.T, _, path string) { install(t, path, "pkc-list", at("pkc-list")) }, "list probe"},
		{"another version", "1.2.3-none", func(t *testing.T, beside, _ string) { install(t, beside, "pkc-list", at("pkc-list")) }, "probe"},
		{"another program", version, func(t *testing.T, beside, _ string) { install(t, beside, "pkc-wait", at("pkc-list")) }, "probe"},
		{"no program", version, func(t *testing.T, beside, path string) {
			for _, dir := range []string{beside, path} {
				if err := os.WriteFile(filepath.Join(dir, "pkc-wait"), []byte("#!/bin/sh\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}, "probe"},
		{"a directory", version, func(t *testing.T, beside, _ string) {
			if err := os.Mkdir(filepath.Join(beside, "pkc-wait"+ext), 0o755); err != nil {
				t.Fatal(err)
			}
		}, "probe"},
		{"a copy of the suite", version, func(t *testing.T, _, path string) { install(t, path, "pkc-wait", at("processkit-cli")) }, "probe wait"},
		{"a link to the suite", version, func(t *testing.T, _, path string) {
			wine.Skip(t, "says that it makes symbolic links, and makes none")
			if err := os.Symlink(at("processkit-cli"), filepath.Join(path, "pkc-wait"+ext)); err != nil {
				t.Skipf("needs symbolic links: %v", err)
			}
		}, "probe wait"},
		{"the suite beside", version, func(t *testing.T, beside, _ string) { install(t, beside, "processkit-cli", at("processkit-cli")) }, whole},
		{"the suite on PATH", version, func(t *testing.T, _, path string) { install(t, path, "processkit-cli", at("processkit-cli")) }, whole},
		{"a tool that calls itself the suite", version, func(t *testing.T, beside, _ string) { install(t, beside, "processkit-cli", at("pkc-list")) }, "probe"},
		{"a suite of another version", "0.0.0-other", func(t *testing.T, beside, _ string) { install(t, beside, "processkit-cli", at("processkit-cli")) }, "probe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			beside, path := t.TempDir(), t.TempDir()
			t.Setenv("PATH", path)
			tt.lay(t, beside, path)
			if got := tools(finder{beside, tt.version}.surface()); got != tt.want {
				t.Errorf("tools = %q, want %q", got, tt.want)
			}
		})
	}

	// The real thing, in a directory with the other two and without.
	for _, tt := range []struct{ name, dir, want string }{{"all", release, whole}, {"moved away", t.TempDir(), "probe"}} {
		bin := filepath.Join(tt.dir, "pkc-probe"+ext)
		if tt.dir != release {
			install(t, tt.dir, "pkc-probe", at("pkc-probe"))
		}
		cmd := exec.Command(bin, "--json")
		cmd.Env = append(os.Environ(), "PATH="+tt.dir)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Version string
			Surface []string
		}
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatal(err)
		}
		if got := tools(r.Surface); got != tt.want || r.Version != version {
			t.Errorf("%s: version %s has tools %q, want %s with %q", tt.name, r.Version, got, version, tt.want)
		}
	}
}
