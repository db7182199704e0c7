package runcmd_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A runner of the Windows build that is killed from outside, where nothing of
// Windows can help it, takes its whole tree along. PKC_WINE is the command
// that runs a Windows program.
func TestWineRunnerKilled(t *testing.T) {
	wine := strings.Fields(os.Getenv("PKC_WINE"))
	if len(wine) == 0 {
		t.Skip("needs Wine: PKC_WINE is not set (make wine)")
	}
	dir := t.TempDir()
	for name, pkg := range map[string]string{"pkc-run.exe": "processkit-cli/pkc-run", "child.exe": "processkit-cli/fixtures/child"} {
		build := exec.Command("go", "build", "-o", filepath.Join(dir, name), pkg)
		build.Env = append(os.Environ(), "GOOS=windows", "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for range 20 {
		cmd := exec.Command(wine[0], append(wine[1:], filepath.Join(dir, "pkc-run.exe"), "--jsonl", "events.jsonl", "--",
			filepath.Join(dir, "child.exe"), "do", "daemonize", "hang", "+", "tree", "2", "2", "hang")...)
		cmd.Dir = dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = cmd.Wait()
		}()
		waitFor(t, "whole tree", func() bool { return len(called(dir, "child.exe")) == 8 })
		runners := called(dir, "pkc-run.exe")
		if len(runners) != 1 {
			t.Fatalf("runners = %v, want one", runners)
		}
		if err := syscall.Kill(runners[0], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for died := time.Now(); len(called(dir, "child.exe")) > 0; time.Sleep(time.Millisecond) {
			if time.Since(died) > 2*time.Second {
				t.Fatalf("alive 2 s after the runner: %v", called(dir, "child.exe"))
			}
		}
		<-ended
	}
}

// called lists the living processes that were started by the name of a file in
// dir, as Wine shows them: with the slashes of either system.
func called(dir, file string) []int {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var pids []int
	for _, line := range lines {
		b, _ := os.ReadFile(line)
		name, _, _ := bytes.Cut(b, []byte{0})
		path := strings.ReplaceAll(string(name), `\`, "/")
		pid, _ := strconv.Atoi(strings.Split(line, "/")[2])
		if strings.HasSuffix(path, filepath.Join(dir, file)) && alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
