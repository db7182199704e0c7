//go:build unix

package eventscmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestFIFOIsRefused(t *testing.T) {
	p := newPlace(t, "")
	fifo := filepath.Join(filepath.Dir(p.stream), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"--json", "--validate", "--follow"} {
		if _, errs := p.call(111, "--file", fifo, mode); !strings.Contains(errs, "not a regular file") {
			t.Errorf("%s: stderr = %q", mode, errs)
		}
	}
	p.register("a", &fifo)
	p.call(111, "--run-id", "a")
}

func TestFullOutputIsAFailure(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	defer full.Close()
	p := newPlace(t, started)
	cmd := p.command("pkc-events", "--file", p.stream)
	cmd.Stdout = full
	_ = cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != 111 {
		t.Errorf("pkc-events = %v, want 111", cmd.ProcessState)
	}
}

func TestInterruptEndsFollowAsUsual(t *testing.T) {
	p := newPlace(t, started)
	p.register("a", &p.stream)
	f := p.follow("--file", p.stream)
	f.sees(startedProse)
	if err := f.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-f.done
	if ws, ok := f.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGINT {
		t.Errorf("pkc-events ended with %v, want death by SIGINT", f.cmd.ProcessState)
	}
}
