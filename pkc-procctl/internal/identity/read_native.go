//go:build linux || darwin

package identity

import (
	"context"
	"fmt"

	"processkit-cli/pkcshared/proc"
)

// read takes the numbers before and after the rest, so that all of it is of
// one process.
func read(_ context.Context, pid int) (Process, error) {
	before, err := living(pid)
	if err != nil {
		return Process{}, err
	}
	uid, err := proc.Owner(pid)
	if err != nil {
		return Process{}, fmt.Errorf("user: %w", err)
	}
	dir, err := proc.Dir(pid)
	if err != nil {
		return Process{}, fmt.Errorf("attempt: %w", err)
	}
	after, err := living(pid)
	if err != nil {
		return Process{}, err
	}
	if !after.Same(before) || after.PGID != before.PGID {
		return Process{}, fmt.Errorf("pid: %d changed while it was read", pid)
	}
	start, err := startOf(after)
	if err != nil {
		return Process{}, err
	}
	return Process{PID: pid, PGID: after.PGID, Start: start, UID: uid, Dir: dir}, nil
}

func living(pid int) (proc.Info, error) {
	i, err := proc.Read(pid)
	switch {
	case err != nil:
		return i, fmt.Errorf("start_time: %w", err)
	case i.Dead:
		return i, ErrEnded
	}
	return i, nil
}
