//go:build unix

package runcmd

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is the caller's terminal while the child has it.
type terminal struct {
	fd    int
	group int           // ours
	modes *unix.Termios // as they were before the child
	child int
	lent  bool // the child's group is in the foreground, as far as we know
}

// findTerminal returns the terminal to hand over: stdin, if the child will
// read from it and we are in the foreground. Otherwise nil.
func findTerminal(p *Plan, stdin *os.File) *terminal {
	if !p.InheritStdio && !p.InheritStdin {
		return nil
	}
	fd, err := childFD(stdin)
	if err != nil {
		return nil
	}
	t := &terminal{fd: int(fd), group: unix.Getpgrp()}
	if t.modes, err = unix.IoctlGetTermios(t.fd, getTermios); err != nil {
		return nil
	}
	if t.owner() != t.group {
		return nil
	}
	return t
}

func (t *terminal) owner() int {
	g, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	if err != nil {
		return -1
	}
	return g
}

// descriptor is what contain.Command wants to know.
func (t *terminal) descriptor() int {
	if t == nil {
		return -1
	}
	return t.fd
}

// given notes that the child has the terminal. We are in the background now,
// where writing to it or taking it back would stop us; the child was started
// before this, so it does not inherit what we ignore.
func (t *terminal) given(child int) {
	if t == nil {
		return
	}
	t.child, t.lent = child, true
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
// the modes that it had set, if we are in the foreground, and goes on.
func (t *terminal) suspend() {
	var modes *unix.Termios
	// A child that stopped for want of a terminal that we have by now only
	// needs to be given it.
	if t.lent || t.owner() != t.group {
		modes, _ = unix.IoctlGetTermios(t.fd, getTermios)
		t.restore()
		stopJob()
	}
	if t.owner() == t.group {
		t.own(t.child, modes)
		t.lent = true
	}
	_ = unix.Kill(-t.child, unix.SIGCONT)
}

// stopJob stops our process group until somebody continues it.
func stopJob() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	_ = unix.Kill(0, unix.SIGTSTP)
	// Another thread may take the signal, so the stop can come a moment after
	// the call. It never comes to a group that no shell looks after.
	const moment = 100 * time.Millisecond
	select {
	case <-continued:
	case <-time.After(moment):
	}
}
