package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"processkit-cli/fixtures/need"
	"processkit-cli/multicall/gen"
	"processkit-cli/pkcshared/applet"
)

// TestGenerated compares the man pages and completions with what the tools'
// flags and help texts make of them.
func TestGenerated(t *testing.T) {
	help, _ := invoke(t, 0, "processkit-cli", "--help")
	files, err := gen.Files(suite(), help)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"man", "completions"} {
		below := map[string]string{}
		for path, text := range files {
			if name, ok := strings.CutPrefix(path, dir+"/"); ok {
				below[name] = text
			}
		}
		golden(t, "../docs/"+dir, below)
	}
}

// TestFlagsInDocs finds each flag in the man page of its tool and in the
// completions of every shell, and no other.
func TestFlagsInDocs(t *testing.T) {
	all := []string{"install", "version"}
	for _, e := range suite().Tools {
		real := slices.Clone(everywhere)
		for _, c := range e.New().Commands() {
			real = append(real, applet.Flags(c.Flags)...)
		}
		all = append(all, real...)
		page := strings.ReplaceAll(read(t, "man/"+applet.LinkPrefix+e.Name+".1"), `\-`, "-")
		var terms strings.Builder
		for _, m := range regexp.MustCompile(`(?m)^\.TP\n(.*)$`).FindAllStringSubmatch(page, -1) {
			terms.WriteString(m[1] + "\n")
		}
		sameFlags(t, e.Name+" man page", terms.String(), `--([a-z][a-z-]*)`, real)
	}
	for path, flag := range map[string]string{
		"bash/processkit-cli":           `--([a-z][a-z-]*)`,
		"zsh/_processkit-cli":           `--([a-z][a-z-]*)`,
		"fish/processkit-cli.fish":      `(?m)^complete .* -l ([a-z-]+)`,
		"powershell/processkit-cli.ps1": `--([a-z][a-z-]*)`,
		"elvish/processkit-cli.elv":     `--([a-z][a-z-]*)`,
	} {
		sameFlags(t, path, read(t, "completions/"+path), flag, all)
	}
}

// sameFlags compares the flags that a text mentions, comments left aside.
func sameFlags(t *testing.T, what, text, mention string, want []string) {
	t.Helper()
	text = regexp.MustCompile(`(?m)^\s*#.*$`).ReplaceAllString(text, "")
	told := map[string]bool{}
	for _, m := range regexp.MustCompile(mention).FindAllStringSubmatch(text, -1) {
		if told[m[1]] = true; !slices.Contains(want, m[1]) {
			t.Errorf("%s tells of --%s, which is not there", what, m[1])
		}
	}
	for _, name := range want {
		if !told[name] {
			t.Errorf("%s does not tell of --%s", what, name)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "docs", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestManPages: two formatters have nothing to say about them.
func TestManPages(t *testing.T) {
	for name, flags := range map[string][]string{
		"mandoc": {"-Tlint", "-Wall"},
		"groff":  {"-man", "-Tutf8", "-ww", "-z"},
	} {
		t.Run(name, func(t *testing.T) {
			formatter := need.Program(t, name)
			pages, err := filepath.Glob("../docs/man/*.1")
			if want := len(suite().Tools) + 1; err != nil || len(pages) != want {
				t.Errorf("%d pages, %v, want %d", len(pages), err, want)
			}
			if out, err := exec.Command(formatter, append(flags, pages...)...).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		})
	}
}
