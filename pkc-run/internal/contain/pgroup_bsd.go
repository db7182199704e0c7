//go:build darwin || freebsd

package contain

import (
	"errors"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/proc"
)

// processGroup contains a tree by its group alone: what leaves the group by
// setsid leaves the container. These systems have no subreaper.
type processGroup struct {
	child *Child

	mu   sync.Mutex
	used *syscall.Rusage
}

func newProcessGroup() (Group, error) {
	return &processGroup{}, nil
}

func (g *processGroup) Mechanism() string { return ProcessGroup }

func (g *processGroup) Spawn(c Command) (*Child, error) {
	pid, err := syscall.ForkExec(c.Path, c.Argv, &syscall.ProcAttr{
		Dir:   c.Dir,
		Env:   c.Env,
		Files: c.Stdio[:],
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return nil, err
	}
	if c.Terminal >= 0 {
		// The child may have been stopped by reading before it had the terminal.
		_ = unix.IoctlSetPointerInt(c.Terminal, unix.TIOCSPGRP, pid)
		_ = unix.Kill(-pid, unix.SIGCONT)
	}
	exited := make(chan Status, 1)
	g.child = &Child{PID: pid, Exited: exited}
	go g.wait(exited)
	return g.child, nil
}

// wait reports the end of the root child when it is reaped. Nothing can peek
// portably here, so the group is signalled only while the child is unreaped
// or a member still holds the group's number.
func (g *processGroup) wait(exited chan<- Status) {
	var ws syscall.WaitStatus
	var ru syscall.Rusage
	for {
		_, err := syscall.Wait4(g.child.PID, &ws, 0, &ru)
		if err == syscall.EINTR {
			continue
		}
		g.mu.Lock()
		g.used = &ru
		g.mu.Unlock()
		switch {
		case err != nil:
			exited <- Status{Err: err}
		case ws.Signaled():
			exited <- Status{Signal: int(ws.Signal())}
		default:
			exited <- Status{Code: ws.ExitStatus()}
		}
		return
	}
}

func (g *processGroup) Members() ([]proc.Info, error) {
	all, err := proc.All()
	if err != nil {
		return nil, err
	}
	members := slices.DeleteFunc(all, func(p proc.Info) bool {
		return p.Dead || p.PGID != g.child.PID
	})
	slices.SortFunc(members, func(a, b proc.Info) int { return a.PID - b.PID })
	return members, nil
}

func (g *processGroup) SoftStop() error {
	if err := g.signal(unix.SIGTERM); err != nil {
		return err
	}
	return g.signal(unix.SIGCONT)
}

// signal reaches the whole group. macOS answers EPERM for a group of zombies
// only, which is a group that has ended.
func (g *processGroup) signal(sig unix.Signal) error {
	members, err := g.Members()
	if err != nil || len(members) == 0 {
		return err
	}
	err = unix.Kill(-g.child.PID, sig)
	if err == unix.ESRCH {
		return nil
	}
	if err == unix.EPERM {
		if left, lerr := g.Members(); lerr == nil && len(left) == 0 {
			return nil
		}
	}
	return err
}

func (g *processGroup) WaitEmpty(d time.Duration) bool {
	deadline := time.Now().Add(d)
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		members, err := g.Members()
		if err == nil && len(members) == 0 {
			return true
		}
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		time.Sleep(min(wait, left))
	}
}

func (g *processGroup) Kill(d time.Duration) error {
	err := g.signal(unix.SIGKILL)
	if !g.WaitEmpty(d) {
		return errors.Join(errSurvivors, err)
	}
	return nil
}

func (g *processGroup) Usage([]proc.Info) Usage {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.used == nil {
		return Usage{}
	}
	ms := uint64(g.used.Utime.Nano()+g.used.Stime.Nano()) / 1e6
	return Usage{CPUMillis: &ms}
}

func (g *processGroup) Evidence() Evidence {
	return Evidence{event.NotTripped, event.NotTripped, event.NotTripped}
}

func (g *processGroup) Close() error { return nil }
