package group

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/proc"
)

// lead starts a shell that leads a group and holds it, by number only if
// inexact.
func lead(t *testing.T, script string, inexact bool) (*Group, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) })
	if _, err := out.Read(make([]byte, 64)); err != nil { // until it says that it is ready
		t.Fatal(err)
	}
	g, err := Open(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	g.ref.inexact = inexact
	if !inexact && g.ref.group() == unknown {
		t.Skip("needs Linux 6.9, to signal a group by pidfd")
	}
	return g, cmd
}

func eachRef(t *testing.T, f func(t *testing.T, inexact bool)) {
	for name, inexact := range map[string]bool{"pidfd": false, "number": true} {
		t.Run(name, func(t *testing.T) { f(t, inexact) })
	}
}

// TestEnd: the leader goes on SIGTERM and is waited for, a member does not go;
// the group is still known to be the same.
func TestEnd(t *testing.T) {
	eachRef(t, func(t *testing.T, inexact bool) {
		g, cmd := lead(t, `sh -c 'trap "" TERM; echo; while :; do sleep 600; done' & wait`, inexact)
		if err := g.Led(); err != nil {
			t.Fatal(err)
		}
		if err := g.Terminate(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if err := g.Led(); err != ErrEnded {
			t.Errorf("Led without a leader = %v, want ErrEnded", err)
		}
		if left, err := g.members(); err != nil || len(left) == 0 {
			t.Errorf("members = %v, %v, want some", left, err)
		}
		if left, err := g.End(50 * time.Millisecond); err != nil || len(left) > 0 {
			t.Errorf("End = %v, %v, want nobody", left, err)
		}
	})
}

func TestDispose(t *testing.T) {
	eachRef(t, func(t *testing.T, inexact bool) {
		g, cmd := lead(t, `sleep 600 & echo; exec sleep 600`, inexact)
		began := time.Now()
		if left, err := g.Dispose(); err != nil || len(left) > 0 {
			t.Errorf("Dispose = %v, %v, want nobody", left, err)
		}
		if took := time.Since(began); took > Grace {
			t.Errorf("Dispose took %v of who ends at once", took)
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "terminated") {
			t.Errorf("the leader: %v, want SIGTERM", err)
		}
	})
}

// TestStrangers: a group whose members are all unknown may be another one. The
// number proves nothing then, and gets no signal; a pidfd still does.
func TestStrangers(t *testing.T) {
	eachRef(t, func(t *testing.T, inexact bool) {
		g, cmd := lead(t, `echo; exec sleep 600`, inexact)
		g.seen = []proc.Info{{PID: os.Getpid(), Start: 1}}
		left, err := g.kill(func() ([]proc.Info, error) { return g.await(Grace, everyone) })
		if inexact {
			if !errors.Is(err, ErrStrangers) {
				t.Errorf("kill = %v, %v, want ErrStrangers", left, err)
			}
			if p, err := proc.Read(cmd.Process.Pid); err != nil || p.Dead {
				t.Errorf("the stranger is dead: %+v, %v", p, err)
			}
			return
		}
		if err != nil || len(left) > 0 {
			t.Errorf("kill = %v, %v, want nobody", left, err)
		}
		_ = cmd.Wait()
	})
}

// TestWithoutLeader: the other members prove the group while the leader is
// gone, listing by listing.
func TestWithoutLeader(t *testing.T) {
	g, cmd := lead(t, `sh -c 'sleep 0.2; sleep 600 & sleep 0.2' & echo; exit`, true)
	_ = cmd.Wait()
	heir := func(p proc.Info) bool { return p.Name == "sh" }
	if left, err := g.await(10*time.Second, heir); err != nil || len(left) > 0 {
		t.Fatalf("await = %v, %v, want that the shell has ended", left, err)
	}
	left, err := g.End(0)
	if err != nil || len(left) > 0 {
		t.Errorf("End = %v, %v, want nobody", left, err)
	}
}

func TestOpen(t *testing.T) {
	if _, err := Open(1 << 30); err != ErrEnded {
		t.Errorf("Open of no process = %v, want ErrEnded", err)
	}
	cmd := exec.Command("sleep", "600") // in our group: it leads none
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if _, err := Open(cmd.Process.Pid); err != ErrEnded {
		t.Errorf("Open of one who leads no group = %v, want ErrEnded", err)
	}
	all, err := Members(unix.Getpgrp())
	if err != nil || !slices.ContainsFunc(all, func(p proc.Info) bool { return p.PID == cmd.Process.Pid }) {
		t.Errorf("Members of our group = %v, %v, want the child among them", all, err)
	}
}
