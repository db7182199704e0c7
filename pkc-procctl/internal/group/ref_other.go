//go:build unix && !linux

package group

import "golang.org/x/sys/unix"

// ref: no system but Linux has a handle for a process that is not a child.
type ref struct{}

func openRef(int) (ref, error) { return ref{}, nil }

func (ref) close() {}

func (ref) ended() bool { return false }

func (ref) signal(unix.Signal) error { return errInexact }

func (ref) group() state { return unknown }
