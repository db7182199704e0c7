//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"processkit-cli/fixtures/markdown"
	"processkit-cli/pkcshared/control"
	"processkit-cli/pkcshared/registry"
)

// TestPages executes the pages: README.md and those of docs. The rules for who
// writes them:
//
//   - Blocks of sh on one page are one script for /bin/sh -eu, in their order:
//     variables, functions and files carry over. It starts in an empty
//     directory, with the suite first on PATH, a registry and a HOME of its own.
//   - A command that ends with another code than 0 fails the page, unless the
//     page handles it: code=0; processkit-cli run ... || code=$?
//   - A block of output right after one of sh is what a terminal would show of
//     it, stdout and stderr. "..." in a line stands for any text in that line,
//     a line of just "..." for any lines or none.
//   - No run may still live at the end. POSIX tools only, no network.
func TestPages(t *testing.T) {
	for name, p := range pages(t) {
		if slices.ContainsFunc(p.Blocks, executable) {
			t.Run(strings.TrimPrefix(name, "docs/"), func(t *testing.T) {
				t.Parallel()
				execute(t, name, p)
			})
		}
	}
}

func executable(b markdown.Block) bool { return b.Language == "sh" }

func execute(t *testing.T, name string, p markdown.Page) {
	out := t.TempDir()
	shown := func(b markdown.Block) string { return filepath.Join(out, fmt.Sprint(b.Line)) }
	// Line n of the script is line n of the page, so that complaints of the
	// shell fit. In the place of its fence, each block gets its own output.
	var lines []string
	for _, b := range p.Blocks {
		if executable(b) {
			lines = append(lines, make([]string, b.Line-1-len(lines))...)
			lines = append(lines, fmt.Sprintf("exec >>'%s' 2>&1", shown(b)))
			lines = append(lines, strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n")...)
		}
	}
	file := filepath.Join(out, filepath.Base(name))
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	outside, err := shell(t, "-eu", file)
	last := markdown.Block{}
	for i, b := range p.Blocks {
		text, unread := os.ReadFile(shown(b))
		if unread != nil {
			continue // not a block of sh, or not reached
		}
		last = b
		if i+1 < len(p.Blocks) && p.Blocks[i+1].Language == "output" {
			if want := p.Blocks[i+1]; !matches(want.Text, string(text)) {
				t.Errorf("%s:%d: the block shows\n%s\nand not\n%s", name, b.Line, text, want.Text)
			}
		}
	}
	if err != nil || outside != "" {
		text, _ := os.ReadFile(shown(last))
		t.Errorf("%s:%d: the block fails, %v:\n%s%s", name, last.Line, err, text, outside)
	}
}

// matches compares an output with what a page shows of it.
func matches(want, got string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(want) {
		if line == "...\n" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, `.*`))
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(got)
}

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		want, got string
		ok        bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\n", "a\nb\n", false},
		{"a.c\n", "abc\n", false},
		{"a...c\n", "abbc\n", true},
		{"a...c\n", "a\nc\n", false},
		{"a\n...\nc\n", "a\nc\n", true},
		{"a\n...\nc\n", "a\nb\nb\nc\n", true},
		{"a\n...\nc\n", "a\nb\n", false},
		{"...\n", "", true},
		{"", "a\n", false},
	} {
		if got := matches(tt.want, tt.got); got != tt.ok {
			t.Errorf("matches(%q, %q) = %v, want %v", tt.want, tt.got, got, tt.ok)
		}
	}
}

// shell runs /bin/sh in an empty directory, with a registry and a HOME of its
// own, until it and all of its process group are gone. No run may outlive it.
func shell(t *testing.T, args ...string) (string, error) {
	t.Helper()
	const limit = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	dir, home := t.TempDir(), t.TempDir()
	runs := filepath.Join(home, "runs")
	out, err := os.CreateTemp(home, "out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.CommandContext(ctx, "/bin/sh", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR=", "LC_ALL=C", registry.DirEnv+"="+runs)
	cmd.Stdout, cmd.Stderr = out, out // a file: what is left behind cannot hold us up
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err = cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("not over after %v", limit)
	}
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left in the background
	}
	left, unread := control.Targets(runs, nil)
	if len(left) > 0 {
		control.SendAll(left, control.Kill)
		err = errors.Join(err, fmt.Errorf("%d runs are left alive", len(left)))
	}
	text, unread2 := os.ReadFile(out.Name())
	if err := errors.Join(unread, unread2); err != nil {
		t.Error(err)
	}
	return string(text), err
}
