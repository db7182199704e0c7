//go:build unix

package runcmd

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/pkc-run/internal/pump"
)

// terminal is the caller's terminal, where the child's stdin is that.
type terminal struct {
	fd    int
	group int           // ours
	modes *unix.Termios // as they were when the child got it
	child int
	lent  bool // the child's group is in the foreground, as far as we know
}

// findTerminal returns the controlling terminal, if the child will read from
// it. Otherwise nil.
func findTerminal(p *Plan, stdin *os.File) *terminal {
	if !p.InheritStdio && !p.InheritStdin {
		return nil
	}
	fd, err := pump.Descriptor(stdin)
	if err != nil {
		return nil
	}
	t := &terminal{fd: fd, group: unix.Getpgrp()}
	owner := t.owner()
	if owner < 0 {
		return nil
	}
	t.lent = owner == t.group && t.save()
	return t
}

// save notes the modes to restore.
func (t *terminal) save() bool {
	var err error
	t.modes, err = unix.IoctlGetTermios(t.fd, getTermios)
	return err == nil
}

func (t *terminal) owner() int {
	g, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	if err != nil {
		return -1
	}
	return g
}

// descriptor is the terminal that the child is to get before it executes, or
// -1. In the background it is not ours to give.
func (t *terminal) descriptor() int {
	if t == nil || !t.lent {
		return -1
	}
	return t.fd
}

// given notes that the child has started. In the background, where we are or
// may come to be, using the terminal would stop us; the child was started
// before this, so it does not inherit what we ignore.
func (t *terminal) given(child int) {
	if t == nil {
		return
	}
	t.child = child
	signal.Ignore(syscall.SIGTTOU, syscall.SIGTTIN)
}

// restore takes the terminal back, with the modes it had. Where a shell has
// put the whole job into the background, it is not ours to take.
func (t *terminal) restore() {
	if t == nil || !t.lent {
		return
	}
	t.lent = false
	t.own(t.group, t.modes)
}

// own brings a process group into the foreground and sets modes, if any.
func (t *terminal) own(group int, modes *unix.Termios) {
	_ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, group)
	if modes != nil {
		_ = unix.IoctlSetTermios(t.fd, setTermios, modes)
	}
}

// suspend follows the child into a stop, so that the shell sees the whole job
// stopped. When somebody continues us, the child gets the terminal back with
// the modes that it had set, if we are in the foreground, and goes on. It
// reports whether we were stopped.
func (t *terminal) suspend() bool {
	if t == nil {
		return false
	}
	var modes *unix.Termios // of the child
	if t.lent {
		modes, _ = unix.IoctlGetTermios(t.fd, getTermios)
		t.restore()
	}
	stopped := false
	// In the foreground already, the child stopped before it knew.
	if modes != nil || t.owner() != t.group {
		stopped = stopJob()
	}
	front := t.owner() == t.group
	if front && t.save() {
		t.own(t.child, modes)
		t.lent = true
	}
	// In the background of no shell, it would only stop again.
	if front || stopped {
		_ = unix.Kill(-t.child, unix.SIGCONT)
	}
	return stopped
}

// stopJob stops our process group until somebody continues it. It reports
// whether that happened: a group that no shell looks after is not stopped.
func stopJob() bool {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	_ = unix.Kill(0, unix.SIGTSTP)
	// Another thread may take the signal, so the stop can come a moment after
	// the call, the longer the busier the host is.
	const moment = time.Second
	select {
	case <-continued:
		return true
	case <-time.After(moment):
	}
	// The timer ran out during the stop as well.
	select {
	case <-continued:
		return true
	case <-time.After(time.Millisecond):
		return false
	}
}
