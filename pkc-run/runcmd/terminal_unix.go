//go:build unix

package runcmd

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminal is the caller's terminal while the child has it.
type terminal struct {
	fd    int
	group int // ours
	modes *unix.Termios
	child int
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
	t.child = child
	signal.Ignore(syscall.SIGTTOU, syscall.SIGTTIN)
}

// restore takes the terminal back, with the modes it had.
func (t *terminal) restore() {
	if t == nil || t.child == 0 {
		return
	}
	_ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, t.group)
	_ = unix.IoctlSetTermios(t.fd, setTermios, t.modes)
}

// suspend follows the child into a stop, so that the shell sees the whole job
// stopped. When somebody continues us, the child gets the terminal back with
// the modes that it had set, if we are in the foreground, and goes on.
func (t *terminal) suspend() {
	modes, err := unix.IoctlGetTermios(t.fd, getTermios)
	t.restore()
	_ = unix.Kill(0, unix.SIGTSTP)
	if t.owner() == t.group {
		if err == nil {
			_ = unix.IoctlSetTermios(t.fd, setTermios, modes)
		}
		_ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, t.child)
	}
	_ = unix.Kill(-t.child, unix.SIGCONT)
}
