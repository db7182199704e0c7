package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"processkit-cli/fixtures/need"
	"processkit-cli/pkcshared/applet"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with the file of that name below testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), program), os.WriteFile(file, []byte(got), text)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update rewrites it), got:\n%s", name, got)
	}
}

// write makes a file and the directories above it.
func write(t *testing.T, file, content string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), program), os.WriteFile(file, []byte(content), mode)); err != nil {
		t.Fatal(err)
	}
}

func TestPlan(t *testing.T) {
	good := options{
		version: "1.2.3", epoch: "1700000000", bin: "bin", out: "out", targets: applet.List{"linux/amd64"},
		nfpm: "go run x@v1", maintainer: "m", base: "https://host.example/o/r/releases/",
	}
	p, err := good.plan()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.url("f"), "https://host.example/o/r/releases/download/v1.2.3/f"; got != want {
		t.Errorf("url(f) = %s, want %s", got, want)
	}
	if got, want := p.homepage(), "https://host.example/o/r"; got != want {
		t.Errorf("homepage() = %s, want %s", got, want)
	}
	for _, tt := range []struct {
		want  string
		spoil func(o *options)
	}{
		{"--version:", func(o *options) { o.version = "v1.2.3" }},
		{"--version:", func(o *options) { o.version = "1.2.3-rc1" }},
		{"--epoch:", func(o *options) { o.epoch = "" }},
		{"--epoch:", func(o *options) { o.epoch = "0" }},
		{"--epoch:", func(o *options) { o.epoch = "4102444800" }},
		{"are required", func(o *options) { o.bin = "" }},
		{"are required", func(o *options) { o.out = "" }},
		{"are required", func(o *options) { o.targets = nil }},
		{"--target:", func(o *options) { o.targets = applet.List{"linux/amd64", "linux"} }},
		{"--target:", func(o *options) { o.targets = applet.List{"../x/y"} }},
		{"--maintainer:", func(o *options) { o.maintainer = "" }},
		{"--base-url:", func(o *options) { o.base = "http://host.example/r" }},
		{"--base-url:", func(o *options) { o.base = "https://user@host.example/r" }},
		{"--base-url:", func(o *options) { o.base = "https://host.example/r?x" }},
		{"--base-url:", func(o *options) { o.base = `https://host.example/"r` }},
		{"--base-url:", func(o *options) { o.base = "releases" }},
	} {
		o := good
		tt.spoil(&o)
		if _, err := o.plan(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("plan() of %+v = %v, want %s", o, err, tt.want)
		}
	}
}

// TestArchives: names in order, one mode for each kind, one time, owned by root,
// whatever the sources are like.
func TestArchives(t *testing.T) {
	mtime := time.Unix(1700000000, 0).UTC()
	want := "n/a/tool 755 binary\nn/b.txt 644 words\n"
	for _, tt := range []struct {
		target target
		list   func([]byte) (string, error)
	}{
		{target{"linux", "amd64"}, listTar},
		{target{"windows", "amd64"}, listZip},
	} {
		var previous []byte
		for i, mode := range []fs.FileMode{0o600, 0o777} {
			dir := t.TempDir()
			src := []string{filepath.Join(dir, "x"), filepath.Join(dir, "y")}
			write(t, src[0], "words", mode)
			write(t, src[1], "binary", mode)
			if err := os.Chtimes(src[i], mtime, mtime); err != nil {
				t.Fatal(err)
			}
			files := []file{{"b.txt", src[0], text}, {"a/tool", src[1], program}}
			if err := tt.target.archive(dir, "n", files, mtime); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(filepath.Join(dir, "n"+tt.target.ending()))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := tt.list(b); got != want || err != nil {
				t.Errorf("%s has\n%s%v, want\n%s", tt.target.os, got, err, want)
			}
			if previous != nil && !bytes.Equal(b, previous) {
				t.Errorf("%s: the same files gave other bytes", tt.target.os)
			}
			previous = b
			if err := tt.target.archive(dir, "n", files, mtime); !errors.Is(err, fs.ErrExist) {
				t.Errorf("a second archive of that name: %v, want %v", err, fs.ErrExist)
			}
		}
	}
}

func listTar(b []byte) (string, error) {
	zr, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return "", err
	}
	var list strings.Builder
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return list.String(), nil
		} else if err != nil {
			return "", err
		}
		content, err := io.ReadAll(tr)
		if err != nil {
			return "", err
		}
		if h.Typeflag != tar.TypeReg || h.Uid != 0 || h.Gid != 0 || h.Uname+h.Gname != "" || h.ModTime.Unix() != 1700000000 {
			return "", fmt.Errorf("odd header: %+v", h)
		}
		fmt.Fprintf(&list, "%s %o %s\n", h.Name, h.Mode, content)
	}
}

func listZip(b []byte) (string, error) {
	zr, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return "", err
	}
	var list strings.Builder
	for _, f := range zr.File {
		r, err := f.Open()
		if err != nil {
			return "", err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return "", err
		}
		if f.Modified.Unix() != 1700000000 {
			return "", fmt.Errorf("%s is of %v", f.Name, f.Modified)
		}
		fmt.Fprintf(&list, "%s %o %s\n", f.Name, f.Mode(), content)
	}
	return list.String(), nil
}

// fakePlan is a release of a tree that has one of everything.
func fakePlan(t *testing.T, targets ...target) *plan {
	t.Helper()
	root := t.TempDir()
	p := &plan{
		version: "1.2.3", time: time.Unix(1700000000, 0).UTC(), root: root,
		bin: filepath.Join(root, "bin"), out: filepath.Join(root, "out"), targets: targets,
		maintainer: "Some Body <some@body.example>", base: "https://host.example/owner/project/releases",
	}
	for _, name := range []string{
		"LICENSE", "README.md", "CHANGELOG.md", "fixtures/schema/v1/schema.json", "pkc-run/main.go", "pkc-list/main.go",
		"docs/man/pkc-run.1", "docs/completions/bash/pkc-run", "docs/completions/zsh/_x", "docs/completions/fish/x.fish",
		"docs/completions/elvish/x.elv", "docs/completions/powershell/x.ps1", "docs/install/install.sh",
		"docs/README.md", "docs/adr/1.md", "docs/examples/x.sh", "docs/skills/processkit-cli/SKILL.md",
	} {
		write(t, filepath.Join(root, name), name+"\n", text)
	}
	for _, tgt := range targets {
		for _, name := range []string{"processkit-cli", "pkc-run", "pkc-list"} {
			write(t, filepath.Join(p.bin, tgt.os, tgt.arch, name), name, program)
		}
	}
	return p
}

var all = []target{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
}

func TestPublishInto(t *testing.T) {
	p := fakePlan(t)
	write(t, filepath.Join(p.out, "mine"), "", text)
	if err := p.publish(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("publish = %v, want a refusal", err)
	}
}

// TestMissing: an archive is whole or there is none.
func TestMissing(t *testing.T) {
	p := fakePlan(t, all[0])
	if err := os.Remove(filepath.Join(p.bin, "linux", "amd64", "pkc-list")); err != nil {
		t.Fatal(err)
	}
	if err := p.publish(t.Context(), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("publish without a tool = %v, want %v", err, fs.ErrNotExist)
	}
	if err := os.RemoveAll(filepath.Join(p.root, "docs", "man")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.shared(); err == nil {
		t.Error("no man pages are no error")
	}
}

func TestRecipes(t *testing.T) {
	p := fakePlan(t, all[0])
	stage := t.TempDir()
	var b strings.Builder
	for _, format := range formats {
		contents, err := p.contents(all[0], format, stage)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range contents {
			src := strings.NewReplacer(filepath.ToSlash(p.root), "ROOT", filepath.ToSlash(stage), "STAGE").Replace(filepath.ToSlash(c.Src))
			fmt.Fprintf(&b, "%s %03o %s <- %s %s\n", format, c.Info.Mode, c.Dst, src, c.Type)
			if c.Info.Owner != "root" || c.Info.Group != "root" || !c.Info.MTime.Equal(p.time) {
				t.Errorf("%s: %s is %+v", format, c.Dst, c.Info)
			}
		}
	}
	golden(t, "recipes.txt", b.String())
}

// TestPackages: nfpm is asked for each format of each Linux target and for no
// other, at the release's time; what it says is heard when it fails.
func TestPackages(t *testing.T) {
	p := fakePlan(t, all...)
	script := filepath.Join(p.root, "nfpm")
	p.nfpm = []string{need.Program(t, "sh"), script}
	write(t, script, `[ "$1" = package ] && [ "$2" = -f ] && [ "$4" = -p ] && [ "$6" = -t ] || exit 2
arch=$(sed -n 's/.*"arch": "\(.*\)".*/\1/p' "$3")
echo "$SOURCE_DATE_EPOCH" >"$7/x_$arch.$5"
`, text)
	if err := p.publish(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x_amd64.deb", "x_amd64.rpm", "x_amd64.apk", "x_arm64.deb", "x_arm64.rpm", "x_arm64.apk"} {
		if b, err := os.ReadFile(filepath.Join(p.out, name)); err != nil || string(b) != "1700000000\n" {
			t.Errorf("%s = %q, %v", name, b, err)
		}
	}
	if found, err := filepath.Glob(filepath.Join(p.out, "x_*")); err != nil || len(found) != 6 {
		t.Errorf("packages = %q, %v, want 6", found, err)
	}

	write(t, script, "echo no such format; exit 3\n", text)
	said, err := os.Create(filepath.Join(p.root, "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	err = p.packages(t.Context(), &applet.Call{Err: said}, all[0])
	if b, e := os.ReadFile(said.Name()); err == nil || !strings.Contains(err.Error(), "deb for amd64") || e != nil || string(b) != "no such format\n" {
		t.Errorf("packages = %v and %q, want the format named and the words of nfpm", err, b)
	}
}
