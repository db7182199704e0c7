package main

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// file is one file of an archive or a package.
type file struct {
	name string // where it goes below the prefix, with slashes
	src  string
	mode fs.FileMode
}

const (
	program = 0o755
	text    = 0o644
)

// shelves say which files of the source tree go where. The places are those in
// which shells and man look below a prefix such as /usr/local or ~/.local, so an
// archive that is unpacked there is installed.
var shelves = [...]struct{ glob, dir string }{
	{"docs/man/*.1", "share/man/man1"},
	{"docs/completions/bash/*", "share/bash-completion/completions"},
	{"docs/completions/zsh/*", "share/zsh/site-functions"},
	{"docs/completions/fish/*", "share/fish/vendor_completions.d"},
	{"docs/completions/elvish/*", "share/elvish/lib"},
	{"docs/completions/powershell/*", "share/processkit-cli"},
	{"fixtures/schema/v1/schema.json", "share/processkit-cli/schema/v1"},
	{"LICENSE", docDir},
	{"README.md", docDir},
	{"CHANGELOG.md", docDir},
	{"docs/*.md", docDir + "/docs"},
	{"docs/adr/*.md", docDir + "/docs/adr"},
	{"docs/examples/*", docDir + "/docs/examples"},
	{"docs/install/*", docDir + "/docs/install"},
	{"docs/skills/processkit-cli/*", docDir + "/docs/skills/processkit-cli"},
}

const docDir = "share/doc/" + suiteName

const suiteName = "processkit-cli"

// tools are the single tools of the source tree.
func (p *plan) tools() ([]string, error) {
	mains, err := match(p.root, "pkc-*/main.go")
	for i, m := range mains {
		mains[i] = filepath.Base(filepath.Dir(m))
	}
	return mains, err
}

// programs are where `make` left them for t.
func (p *plan) programs(t target, names ...string) []file {
	var files []file
	for _, n := range names {
		files = append(files, file{"bin/" + n + t.exe(), filepath.Join(p.bin, t.os, t.arch, n), program})
	}
	return files
}

// shared is what is the same for every target.
func (p *plan) shared() ([]file, error) {
	var files []file
	for _, s := range shelves {
		found, err := match(p.root, s.glob)
		if err != nil {
			return nil, err
		}
		for _, src := range found {
			files = append(files, file{path.Join(s.dir, filepath.Base(src)), src, text})
		}
	}
	return files, nil
}

// suite is all there is for t.
func (p *plan) suite(t target) ([]file, error) {
	tools, err := p.tools()
	if err != nil {
		return nil, err
	}
	files, err := p.shared()
	return append(files, p.programs(t, append(tools, suiteName)...)...), err
}

// runner is pkc-run alone, flat: for images that hold nothing else.
func (p *plan) runner(t target) []file {
	f := p.programs(t, runnerName)[0]
	f.name = path.Base(f.name)
	return []file{f, {"LICENSE", filepath.Join(p.root, "LICENSE"), text}}
}

const runnerName = "pkc-run"

// match is Glob that must find something.
func match(root, glob string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(glob)))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: no such file", filepath.Join(root, glob))
	}
	return found, err
}

// below puts files into a directory, sorted by name.
func below(dir string, files []file) []file {
	files = slices.Clone(files)
	for i := range files {
		files[i].name = path.Join(dir, files[i].name)
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files
}
