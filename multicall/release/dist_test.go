package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"processkit-cli/fixtures"
	"processkit-cli/fixtures/markdown"
	"processkit-cli/fixtures/need"
)

const (
	distVersion = "9.8.7"
	distEpoch   = "1700000000"
)

var host = target{runtime.GOOS, runtime.GOARCH}

// built is what many tests use; TestMain removes it.
var built struct {
	once sync.Once
	root string // of a copy of the tree
	dir  string // its dist
	err  error
	log  string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.root != "" {
		_ = os.RemoveAll(built.root)
	}
	os.Exit(code)
}

// dist is a release for this host, made by the Makefile in a copy of the tree.
func dist(t *testing.T) string {
	t.Helper()
	if host.windows() {
		t.Skip("needs make and a POSIX shell: this is Windows")
	}
	need.Program(t, "make")
	built.once.Do(func() {
		if built.root, built.err = os.MkdirTemp("", "pkc-dist"); built.err == nil {
			built.dir, built.log, built.err = makeDist(built.root, "022", "TZ=UTC")
		}
	})
	if built.err != nil {
		t.Fatalf("make dist: %v\n%s", built.err, built.log)
	}
	return built.dir
}

func makeDist(root, umask string, env ...string) (dir, log string, err error) {
	if err := copyTree(root); err != nil {
		return "", "", err
	}
	cmd := exec.Command("sh", "-c", `umask "$0" && exec make dist TARGETS="$1" VERSION="$2" NFPM=`,
		umask, host.os+"/"+host.arch, distVersion)
	cmd.Dir = root
	cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "MAKE") || strings.HasPrefix(e, "MFLAGS=") // of a make that runs us
	})
	cmd.Env = append(append(cmd.Env, "SOURCE_DATE_EPOCH="+distEpoch), env...)
	out, err := cmd.CombinedOutput()
	return filepath.Join(root, "dist"), string(out), err
}

// copyTree copies the project without what make and git put into it.
func copyTree(to string) error {
	top := filepath.Join("..", "..")
	return filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, path)
		switch {
		case err != nil:
			return err
		case rel == ".git" || rel == "bin" || rel == "dist":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), program)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, text)
	})
}

// TestReproducible: another directory, umask, time zone and settings of Go give
// the same release.
func TestReproducible(t *testing.T) {
	first := dist(t)
	second, log, err := makeDist(filepath.Join(t.TempDir(), "some", "other place"), "077", "TZ=Asia/Kolkata", "GOFLAGS=-buildmode=pie")
	if err != nil {
		t.Fatalf("make dist: %v\n%s", err, log)
	}
	a, err := sum(first)
	if err != nil {
		t.Fatal(err)
	}
	b, err := sum(second)
	if err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Errorf("first\n%ssecond\n%s", a, b)
	}
	names := []string{"install.ps1", "install.sh", host.stem("pkc-run", distVersion) + ".tar.gz", host.stem("processkit-cli", distVersion) + ".tar.gz"}
	if sums, err := os.ReadFile(filepath.Join(first, sumsName)); err != nil || string(sums) != b[1:].String() {
		t.Errorf("%s = %q, %v, want the sums of %q", sumsName, sums, err, names)
	}
	for i, name := range names {
		if b[i+1].name != name {
			t.Errorf("file %d is %s, want %s", i, b[i+1].name, name)
		}
	}
}

// unpack lays the archive's files below a new directory and returns their names
// with modes, sorted as they came.
func unpack(t *testing.T, name string) (dir string, listing []string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dist(t), name))
	if err != nil {
		t.Fatal(err)
	}
	zr, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return dir, listing
		} else if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, h.Name), string(content), h.FileInfo().Mode())
		listing = append(listing, h.FileInfo().Mode().String()+" "+h.Name)
	}
}

// TestSuiteArchive: all that belongs in it, and the programs work with nothing
// around them.
func TestSuiteArchive(t *testing.T) {
	stem := host.stem("processkit-cli", distVersion)
	dir, got := unpack(t, stem+".tar.gz")
	want := map[string]string{
		"bin/processkit-cli": "-rwxr-xr-x", "share/man/man1/processkit-cli.1": "",
		"share/bash-completion/completions/processkit-cli": "", "share/zsh/site-functions/_processkit-cli": "",
		"share/fish/vendor_completions.d/processkit-cli.fish": "", "share/elvish/lib/processkit-cli.elv": "",
		"share/processkit-cli/processkit-cli.ps1": "", "share/processkit-cli/schema/v1/schema.json": "",
		"share/doc/processkit-cli/LICENSE": "", "share/doc/processkit-cli/README.md": "",
		"share/doc/processkit-cli/CHANGELOG.md": "",
	}
	for command := range strings.Lines(fixtures.Surface) {
		if name, _, inner := strings.Cut(strings.TrimSpace(command), ":"); !inner {
			want["bin/pkc-"+name] = "-rwxr-xr-x"
			want["share/man/man1/pkc-"+name+".1"] = ""
			want["share/bash-completion/completions/pkc-"+name] = ""
			want["share/fish/vendor_completions.d/pkc-"+name+".fish"] = ""
		}
	}
	for _, pages := range []string{"*.md", "adr/*", "examples/*", "install/*", "skills/*/*"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "docs", pages))
		if err != nil || len(found) == 0 {
			t.Fatalf("docs/%s: %q, %v", pages, found, err)
		}
		for _, page := range found {
			want["share/doc/processkit-cli/"+strings.TrimPrefix(filepath.ToSlash(page), "../../")] = ""
		}
	}
	var lines []string
	for name, mode := range want {
		if mode == "" {
			mode = "-rw-r--r--"
		}
		lines = append(lines, mode+" "+stem+"/"+name)
	}
	slices.Sort(lines)
	slices.Sort(got)
	if !slices.Equal(got, lines) {
		t.Errorf("the archive has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
	bin := filepath.Join(dir, stem, "bin")
	if out := alone(t, 0, filepath.Join(bin, "processkit-cli"), "--version"); out != "processkit-cli "+distVersion+"\n" {
		t.Errorf("--version prints %q", out)
	}
	for _, tool := range []string{"processkit-cli probe", "pkc-probe"} {
		argv := strings.Fields(tool)
		argv[0] = filepath.Join(bin, argv[0])
		if out := alone(t, 0, append(argv, "--json", "--print-schema")...); out != fixtures.EventSchema {
			t.Errorf("%s prints %d bytes of schema, want %d", tool, len(out), len(fixtures.EventSchema))
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, stem, "share", "processkit-cli", "schema", "v1", "schema.json"))
	if err != nil || string(b) != fixtures.EventSchema {
		t.Errorf("the schema in the archive differs: %v", err)
	}
	follow(t, filepath.Join(dir, stem, "share", "doc", "processkit-cli"))
}

// follow finds what the pages below dir link to, but for sources and for what an
// archive has in places of its own.
func follow(t *testing.T, dir string) {
	t.Helper()
	elsewhere := []string{"docs/man", "docs/completions", "fixtures", "multicall"}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		page, err := markdown.Parse(string(text))
		for _, l := range page.Links {
			file, _, _ := strings.Cut(l.Target, "#")
			if strings.Contains(file, ":") {
				continue // to elsewhere
			}
			to, _ := filepath.Rel(dir, filepath.Join(filepath.Dir(path), file))
			if slices.ContainsFunc(elsewhere, func(e string) bool { return strings.HasPrefix(filepath.ToSlash(to)+"/", e+"/") }) {
				continue
			}
			if _, err := os.Stat(filepath.Join(dir, to)); err != nil {
				t.Errorf("%s:%d: the link %s leads nowhere in the archive", path, l.Line, l.Target)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestRunnerArchive runs a static child without an environment.
func TestRunnerArchive(t *testing.T) {
	stem := host.stem("pkc-run", distVersion)
	dir, got := unpack(t, stem+".tar.gz")
	want := []string{"-rw-r--r-- " + stem + "/LICENSE", "-rwxr-xr-x " + stem + "/pkc-run"}
	if !slices.Equal(got, want) {
		t.Errorf("the archive has %q, want %q", got, want)
	}
	run := filepath.Join(dir, stem, "pkc-run")
	if out := alone(t, 7, run, "--jsonl", "a.jsonl", "--", child(t), "exit", "7"); out != "" {
		t.Errorf("pkc-run prints %q", out)
	}
}

// alone runs argv in an empty directory with an empty environment.
func alone(t *testing.T, code int, argv ...string) string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = t.TempDir(), []string{}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%q: %v, want code %d\n%s", argv, err, code, &errs)
	}
	return string(out)
}

// child builds the misbehaving child, static.
func child(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "child")
	cmd := exec.Command("go", "build", "-o", path, "processkit-cli/fixtures/child")
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}
