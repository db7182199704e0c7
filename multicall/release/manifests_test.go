package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"processkit-cli/fixtures/need"
)

// manifests are the files that a package manager reads, by their paths.
func manifests(t *testing.T) map[string]string {
	t.Helper()
	p := fakePlan(t, all...)
	if err := p.publish(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(p.out, "manifests")
	found := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.ToSlash(name)] = string(b)
	}
	// Every hash in them is one of SHA256SUMS.
	sums, err := os.ReadFile(filepath.Join(p.out, sumsName))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range found {
		for _, hash := range regexp.MustCompile(`[0-9a-fA-F]{64}`).FindAllString(text, -1) {
			if !strings.Contains(string(sums), strings.ToLower(hash)+"  ") {
				t.Errorf("%s: %s is not in %s", name, hash, sumsName)
			}
		}
	}
	return found
}

func TestManifests(t *testing.T) {
	found := manifests(t)
	want := []string{
		"homebrew/processkit-cli.rb", "scoop/processkit-cli.json", "winget/processkit-cli.processkit-cli.installer.yaml",
		"winget/processkit-cli.processkit-cli.locale.en-US.yaml", "winget/processkit-cli.processkit-cli.yaml",
	}
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, want) {
		t.Errorf("manifests = %q, want %q", got, want)
	}
	hash := regexp.MustCompile(`[0-9a-fA-F]{64}`) // of fakes, compressed by whatever Go there is
	for name, text := range found {
		golden(t, "manifests/"+name, hash.ReplaceAllString(text, "HASH"))
	}
}

// TestManifestsNeedAll: a manifest never names what was not built.
func TestManifestsNeedAll(t *testing.T) {
	for i, missing := range all {
		p := fakePlan(t, slices.Delete(slices.Clone(all), i, i+1)...)
		err := p.publish(t.Context(), nil)
		if want := missing.os + "/" + missing.arch; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("publish without %s = %v, want it named", want, err)
		}
	}
}

func TestScoop(t *testing.T) {
	var m map[string]any
	if err := json.Unmarshal([]byte(manifests(t)["scoop/processkit-cli.json"]), &m); err != nil {
		t.Fatal(err)
	}
	arch, _ := m["architecture"].(map[string]any)
	if got, want := slices.Sorted(maps.Keys(arch)), []string{"64bit", "arm64"}; !slices.Equal(got, want) {
		t.Errorf("architectures = %q, want %q", got, want)
	}
	for name, a := range arch {
		if keys := slices.Sorted(maps.Keys(a.(map[string]any))); !slices.Equal(keys, []string{"extract_dir", "hash", "url"}) {
			t.Errorf("%s has %q", name, keys)
		}
	}
}

// TestWinget reads the three files as YAML and asks for what the schemas
// require of each.
func TestWinget(t *testing.T) {
	found := manifests(t)
	for kind, required := range map[string][]string{
		"version":       {"DefaultLocale"},
		"installer":     {"InstallerType", "NestedInstallerType", "Installers"},
		"defaultLocale": {"PackageLocale", "Publisher", "PackageName", "License", "ShortDescription"},
	} {
		seen := 0
		for name, text := range found {
			if !strings.HasPrefix(name, "winget/") {
				continue
			}
			var m map[string]any
			if err := yaml.Unmarshal([]byte(text), &m); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if m["ManifestType"] != kind {
				continue
			}
			seen++
			for _, key := range append(required, "PackageIdentifier", "PackageVersion", "ManifestVersion") {
				if m[key] == nil {
					t.Errorf("%s has no %s", name, key)
				}
			}
			if installers, _ := m["Installers"].([]any); kind == "installer" && len(installers) != 2 {
				t.Errorf("%s has %d installers, want 2", name, len(installers))
			}
		}
		if seen != 1 {
			t.Errorf("%d files of type %s, want 1", seen, kind)
		}
	}
}

func TestFormula(t *testing.T) {
	ruby := need.Program(t, "ruby")
	cmd := exec.Command(ruby, "-c")
	cmd.Stdin = strings.NewReader(manifests(t)["homebrew/processkit-cli.rb"])
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("ruby -c: %v\n%s", err, out)
	}
}
