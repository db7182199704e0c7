package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"processkit-cli/fixtures/need"
)

// made is a release of all targets, as make dist leaves it and has it checked.
func made(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PKC_RELEASE")
	if dir == "" {
		t.Skip("needs PKC_RELEASE, a directory that make dist filled")
	}
	return dir
}

func packagesIn(t *testing.T, dir, ending string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"+ending))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Skipf("needs a %s in the release: there is none", ending)
	}
	return found
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	return string(out)
}

func TestMadeSums(t *testing.T) {
	dir := made(t)
	want, err := os.ReadFile(filepath.Join(dir, sumsName))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if e.IsDir() || e.Name() == sumsName {
			continue
		}
		n++
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if line := (checksums{sumOf(e.Name(), b)}).String(); !strings.Contains(string(want), line) {
			t.Errorf("%s lacks %q", sumsName, line)
		}
	}
	if lines := strings.Count(string(want), "\n"); lines != n {
		t.Errorf("%s has %d lines, want %d", sumsName, lines, n)
	}
}

// mustHave are places that every package fills.
var mustHave = []string{
	"usr/bin/processkit-cli", "usr/bin/pkc-run", "usr/share/man/man1/pkc-run.1.gz",
	"usr/share/bash-completion/completions/processkit-cli", "usr/share/fish/vendor_completions.d/processkit-cli.fish",
}

// sane judges lines of "MODE OWNER PATH [-> TARGET]".
func sane(t *testing.T, name string, lines []string) {
	t.Helper()
	var paths []string
	for _, line := range lines {
		f := strings.Fields(line)
		if len(f) < 3 {
			t.Fatalf("%s: cannot read %q", name, line)
		}
		mode, owner, path := f[0], f[1], strings.Trim(strings.TrimPrefix(f[2], "."), "/")
		paths = append(paths, path)
		link := strings.HasPrefix(mode, "l")
		if owner != "root/root" || !link && (mode[5] == 'w' || mode[8] == 'w' || strings.ContainsAny(mode, "sStT")) {
			t.Errorf("%s: %s", name, line)
		}
		if strings.HasPrefix(path, "usr/bin/pkc-") && (!link || f[len(f)-1] != suiteName) {
			t.Errorf("%s: %s is no link to %s", name, path, suiteName)
		}
	}
	for _, want := range mustHave {
		if !slices.Contains(paths, want) {
			t.Errorf("%s has no %s", name, want)
		}
	}
}

func TestMadeDeb(t *testing.T) {
	dir := made(t)
	dpkg := need.Program(t, "dpkg-deb")
	for _, deb := range packagesIn(t, dir, ".deb") {
		var lines []string
		for line := range strings.Lines(output(t, dpkg, "-c", deb)) {
			// MODE OWNER SIZE DATE TIME PATH [-> TARGET]
			if f := strings.Fields(line); len(f) >= 6 {
				line = strings.Join(slices.Concat(f[:2], f[5:]), " ")
			}
			lines = append(lines, line)
		}
		sane(t, filepath.Base(deb), lines)
		control := output(t, dpkg, "-f", deb)
		for _, field := range []string{"Package: processkit-cli\n", "Priority: optional\n", "Section: utils\n", "Maintainer: "} {
			if !strings.Contains(control, field) {
				t.Errorf("%s: control has no %q:\n%s", filepath.Base(deb), field, control)
			}
		}
		if strings.Contains(control, "Depends:") {
			t.Errorf("%s depends on something:\n%s", filepath.Base(deb), control)
		}
	}
}

func TestMadeRPM(t *testing.T) {
	dir := made(t)
	rpm := need.Program(t, "rpm")
	for _, p := range packagesIn(t, dir, ".rpm") {
		list := output(t, rpm, "-qp", "--qf", `[%{FILEMODES:perms} %{FILEUSERNAME}/%{FILEGROUPNAME} %{FILENAMES} %{FILELINKTOS}\n]`, p)
		sane(t, filepath.Base(p), strings.Split(strings.TrimSpace(list), "\n"))
		if got := output(t, rpm, "-qp", "--qf", "%{NAME} %{LICENSE} %{BUILDHOST}", p); got != "processkit-cli MIT localhost" {
			t.Errorf("%s is %q", filepath.Base(p), got)
		}
	}
}

// TestMadeAPK: an apk is tar archives in gzip, one after the other.
func TestMadeAPK(t *testing.T) {
	for _, apk := range packagesIn(t, made(t), ".apk") {
		b, err := os.ReadFile(apk)
		if err != nil {
			t.Fatal(err)
		}
		zr, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for tr := tar.NewReader(zr); ; {
			h, err := tr.Next()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if h.Name == ".PKGINFO" {
				continue
			}
			owner := h.Uname + "/" + h.Gname
			if h.Uid == 0 && h.Gid == 0 && owner == "/" {
				owner = "root/root"
			}
			// fs.FileMode writes L for a link where ls writes l.
			mode := strings.ToLower(h.FileInfo().Mode().String()[:1]) + h.FileInfo().Mode().String()[1:]
			lines = append(lines, strings.TrimSpace(strings.Join([]string{mode, owner, h.Name, h.Linkname}, " ")))
		}
		sane(t, filepath.Base(apk), lines)
	}
}
