package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestScratch: an image of pkc-run and the command alone is enough. There is no
// /proc, no /dev, no /tmp, no user database and no environment.
func TestScratch(t *testing.T) {
	stem := host.stem("pkc-run", distVersion)
	dir, _ := unpack(t, stem+".tar.gz")
	root := filepath.Join(dir, stem)
	if err := os.Rename(child(t), filepath.Join(root, "child")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		flags  []string
		argv   []string
		code   int
		out    string
		errs   string // somewhere in it
		events []string
	}{
		{
			"a stdin of the caller",
			[]string{"--inherit-stdin", "--capture-dir", "logs"},
			[]string{"/child", "echo", "out"},
			0, "out\n", "",
			[]string{
				"run_started", "members_snapshot", "root_exited", "resource_summary", "cleanup_started", "cleanup_finished",
				"output_captured", "runner_exit",
			},
		},
		{
			"a failing command",
			[]string{"--inherit-stdin"},
			[]string{"/child", "exit", "42"},
			42, "", "",
			[]string{
				"run_started", "members_snapshot", "root_exited", "resource_summary", "cleanup_started", "cleanup_finished",
				"runner_exit",
			},
		},
		{
			"an empty stdin", nil,
			[]string{"/child", "exit", "0"},
			111, "", "/dev/null",
			[]string{"runner_exit"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stream := filepath.Join(root, "a.jsonl")
			_ = os.Remove(stream)
			cmd := exec.Command("/pkc-run")
			cmd.Args = slices.Concat([]string{"pkc-run", "--jsonl", "/a.jsonl"}, tt.flags, []string{"--"}, tt.argv)
			cmd.Dir, cmd.Env = "/", []string{}
			cmd.SysProcAttr = inRoot(root)
			var out, errs strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &errs
			err := cmd.Run()
			switch {
			case errors.Is(err, fs.ErrNotExist):
				t.Fatal(err)
			case cmd.ProcessState == nil:
				t.Skipf("needs chroot or a user namespace: %v", err)
			}
			if code := cmd.ProcessState.ExitCode(); code != tt.code || out.String() != tt.out || !strings.Contains(errs.String(), tt.errs) {
				t.Errorf("%q = %d, %q, %q, want %d, %q, %q", cmd.Args, code, &out, &errs, tt.code, tt.out, tt.errs)
			}
			if got := eventsIn(t, stream); !slices.Equal(got, tt.events) {
				t.Errorf("events = %q, want %q", got, tt.events)
			}
		})
	}
	if b, err := os.ReadFile(filepath.Join(root, "logs", "stdout.log")); err != nil || string(b) != "out\n" {
		t.Errorf("captured %q, %v, want %q", b, err, "out\n")
	}
}

// inRoot starts a process in that root: as root by chroot alone, otherwise in a
// user namespace where it may.
func inRoot(root string) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Chroot: root}
	if os.Getuid() != 0 {
		attr.Cloneflags = syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return attr
}

func eventsIn(t *testing.T, stream string) []string {
	t.Helper()
	b, err := os.ReadFile(stream)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(b)) {
		var e struct{ Event string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		names = append(names, e.Event)
	}
	return names
}
