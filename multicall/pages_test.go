package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"processkit-cli/fixtures/markdown"
	"processkit-cli/pkcshared/applet"
)

const (
	top   = "../"
	index = "docs/README.md"
)

// pages are all that is written for people, two files at the top and those
// below docs, by their names from the top.
func pages(t *testing.T) map[string]markdown.Page {
	t.Helper()
	os.Getenv("PKC_PAGES") // a change of it makes cached results of this package void; see Makefile
	paths := []string{top + "README.md", top + "CHANGELOG.md"}
	if err := filepath.WalkDir(top+"docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			paths = append(paths, filepath.ToSlash(path))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	all := map[string]markdown.Page{}
	for _, path := range paths {
		all[strings.TrimPrefix(path, top)] = parse(t, path)
	}
	return all
}

func parse(t *testing.T, path string) markdown.Page {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := markdown.Parse(string(b))
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return p
}

// TestLinks follows every relative link and every anchor, and finds each page
// of docs in their index.
func TestLinks(t *testing.T) {
	all := pages(t)
	var indexed []string
	for name, p := range all {
		for _, l := range p.Links {
			if strings.Contains(l.Target, ":") {
				continue // to elsewhere
			}
			file, anchor, anchored := strings.Cut(l.Target, "#")
			to := filepath.ToSlash(filepath.Join(filepath.Dir(name), file))
			if file == "" {
				to = name
			}
			if name == index {
				indexed = append(indexed, to)
			}
			if _, err := os.Stat(top + to); err != nil || strings.HasPrefix(to, "../") {
				t.Errorf("%s:%d: the link %s leads nowhere", name, l.Line, l.Target)
				continue
			}
			if !anchored {
				continue
			}
			page, ok := all[to]
			if !ok { // beside the sources that it describes
				page = parse(t, top+to)
			}
			if !slices.Contains(page.Slugs, anchor) {
				t.Errorf("%s:%d: the link %s names no heading; there are %q", name, l.Line, l.Target, page.Slugs)
			}
		}
	}
	for name := range all {
		if filepath.Dir(name) == "docs" && name != index && !slices.Contains(indexed, name) {
			t.Errorf("%s has no link to %s", index, name)
		}
	}
}

// TestBlocks: a block of sh is executed (see TestPages). A shell block that is
// not meant for that is a console transcript; no other name can hide it.
func TestBlocks(t *testing.T) {
	languages := []string{
		"", "c", "console", "dockerfile", "go", "ini", "javascript", "json", "markdown", "output", "powershell",
		"python", "sh", "text", "yaml",
	}
	for name, p := range pages(t) {
		for i, b := range p.Blocks {
			if !slices.Contains(languages, b.Language) {
				t.Errorf("%s:%d: a block of %q; known are %q", name, b.Line, b.Language, languages)
			}
			if b.Language == "output" && (!b.Follows || p.Blocks[i-1].Language != "sh") {
				t.Errorf("%s:%d: this output is not right after a block of sh", name, b.Line)
			}
			if name == "docs/cookbook.md" && b.Language != "sh" && b.Language != "output" {
				t.Errorf("%s:%d: a block of %q; recipes are sh, so that they are executed", name, b.Line, b.Language)
			}
		}
	}
}

// foreign are the flags of other programs that the pages mention.
var foreign = []string{
	"allow-untrusted", "cgroupns", "cpus", "epochs", "from", "ignore-missing", "init", "memory", "pids-limit",
	"privileged", "repo", "rm", "same-dir", "scope", "security-opt", "stop-timeout", "strip-components", "tmpfs",
	"user", "volume",
}

// installer are the options of docs/install/install.sh.
var installer = []string{"base-url", "dir", "uninstall"}

// TestNames: commands and flags that pages mention in code exist, and those of
// a call belong to its command.
func TestNames(t *testing.T) {
	ours := map[string][]string{"help": everywhere}
	known := slices.Concat([]string{"version", "install"}, foreign, installer)
	for _, e := range suite().Tools {
		ours[e.Name] = slices.Clone(everywhere)
		for _, c := range e.New().Commands() {
			ours[e.Name] = append(ours[e.Name], applet.Flags(c.Flags)...)
		}
		known = append(known, ours[e.Name]...)
	}
	for name, p := range pages(t) {
		for _, s := range p.Code {
			for _, f := range flagsIn(s.Text) {
				if !has(known, f) {
					t.Errorf("%s:%d: there is no --%s", name, s.Line, f)
				}
			}
			for _, c := range callsIn(s.Text) {
				flags, ok := ours[c.command]
				if !ok {
					t.Errorf("%s:%d: there is no command %s; there are %q", name, s.Line, c.command, slices.Sorted(maps.Keys(ours)))
					continue
				}
				for _, f := range c.flags {
					if !has(flags, f) {
						t.Errorf("%s:%d: %s has no --%s", name, s.Line, c.command, f)
					}
				}
			}
		}
	}
}

// has also takes a family of flags, as --require-*.
func has(flags []string, name string) bool {
	prefix, family := strings.CutSuffix(name, "*")
	return slices.ContainsFunc(flags, func(f string) bool {
		return f == name || family && strings.HasPrefix(f, prefix)
	})
}

// flagsIn finds flags, but not tokens of probe such as run:--detach.
func flagsIn(code string) []string {
	var names []string
	for _, m := range regexp.MustCompile(`(?:^|[^:\w-])--([a-z][a-z0-9-]*\*?)`).FindAllStringSubmatch(code, -1) {
		names = append(names, m[1])
	}
	return names
}

// call is a call of a tool in a text.
type call struct {
	command string
	flags   []string
}

// callsIn finds the calls of tools in a shell's text, each up to where the
// program of a run begins, or the shell's own words.
func callsIn(code string) []call {
	code = regexp.MustCompile("(?:\\\\|`)\n\\s*").ReplaceAllString(code, " ")
	tool := regexp.MustCompile(`\b(?:processkit-cli(?:\.exe)?(?: --error-format[ =]\w+)? |pkc-)([a-z][a-z-]*)\b`)
	end := regexp.MustCompile(" --(?:\\s|$)|[\n|;&<>()`]")
	var calls []call
	for _, at := range tool.FindAllStringSubmatchIndex(code, -1) {
		rest := code[at[1]:]
		if e := end.FindStringIndex(rest); e != nil {
			rest = rest[:e[0]]
		}
		calls = append(calls, call{code[at[2]:at[3]], flagsIn(rest)})
	}
	return calls
}
