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

// processGroup contains a tree by its group: what leaves the group by setsid
// leaves the container. Where the system has something that holds more, look
// and send go by that.
//
// The root child stays a zombie as long as the group may be signalled: until
// it is reaped nobody else can get its number, which is the group's.
type processGroup struct {
	child     *Child
	mechanism string
	look      func() ([]proc.Info, error) // lists the members, zombies among them
	send      func(unix.Signal) error     // reaches them all
	hold      chan struct{}               // closed by release
	once      sync.Once

	mu   sync.Mutex
	over bool // nobody is left, and the number may be another's by now
	used *syscall.Rusage
}

func newProcessGroup() *processGroup {
	g := &processGroup{mechanism: ProcessGroup, hold: make(chan struct{})}
	g.look = func() ([]proc.Info, error) { return proc.Group(g.child.PID) }
	g.send = func(sig unix.Signal) error { return unix.Kill(-g.child.PID, sig) }
	return g
}

func (g *processGroup) Mechanism() string { return g.mechanism }

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

// wait reports the end of the root child. A child that leaves nobody behind is
// reaped before that, for then what it used is known; else by release.
func (g *processGroup) wait(exited chan<- Status) {
	ws, err := peek(g.child.PID)
	if err != nil {
		// It has ended already, or cannot be watched: reaping tells too.
		exited <- g.reap()
		return
	}
	if g.alone() {
		exited <- g.reap()
		return
	}
	exited <- statusOf(ws)
	<-g.hold
	g.reap()
}

// alone reports that no member but zombies is left. The listing is not made in
// an instant, and a process that was being made can be missing from it once.
func (g *processGroup) alone() bool {
	for range 2 {
		if ms, err := g.Members(); err != nil || len(ms) > 0 {
			return false
		}
	}
	return true
}

func (g *processGroup) reap() Status {
	var ws syscall.WaitStatus
	var ru syscall.Rusage
	// Whoever is left in the group keeps its number taken.
	left := !g.alone()
	for {
		_, err := syscall.Wait4(g.child.PID, &ws, 0, &ru)
		if err == syscall.EINTR {
			continue
		}
		g.mu.Lock()
		g.used, g.over = &ru, !left
		g.mu.Unlock()
		if err != nil {
			return Status{Err: err}
		}
		return statusOf(ws)
	}
}

func statusOf(ws syscall.WaitStatus) Status {
	if ws.Signaled() {
		return Status{Signal: int(ws.Signal())}
	}
	return Status{Code: ws.ExitStatus()}
}

// release lets the root child be reaped when it has ended.
func (g *processGroup) release() { g.once.Do(func() { close(g.hold) }) }

func (g *processGroup) Members() ([]proc.Info, error) {
	g.mu.Lock()
	over := g.over
	g.mu.Unlock()
	if over {
		return nil, nil
	}
	members, err := g.look()
	if err != nil {
		return nil, err
	}
	members = slices.DeleteFunc(members, func(p proc.Info) bool { return p.Dead })
	slices.SortFunc(members, func(a, b proc.Info) int { return a.PID - b.PID })
	return members, nil
}

func (g *processGroup) SoftStop() error {
	if err := g.signal(unix.SIGTERM); err != nil {
		return err
	}
	return g.signal(unix.SIGCONT)
}

// signal reaches all members. macOS answers EPERM for a group of zombies
// only, which is a group that has ended.
func (g *processGroup) signal(sig unix.Signal) error {
	members, err := g.Members()
	if err != nil || len(members) == 0 {
		return err
	}
	err = g.send(sig)
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

// WaitEmpty is woken by each member's end. One that leaves the group says
// nothing, so the members are listed again now and then.
func (g *processGroup) WaitEmpty(d time.Duration) bool {
	const atMost = 250 * time.Millisecond
	deadline := time.Now().Add(d)
	for wait := time.Millisecond; ; wait = min(2*wait, atMost) {
		if g.alone() {
			return true
		}
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		members, err := g.Members()
		pids := make([]int, len(members))
		for i, m := range members {
			pids[i] = m.PID
		}
		if err != nil || awaitOne(pids, min(atMost, left)) != nil {
			time.Sleep(min(wait, left))
		}
	}
}

func (g *processGroup) Kill(d time.Duration) error {
	defer g.release()
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

func (g *processGroup) Close() error {
	g.release()
	return nil
}
