//go:build unix

package identity

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"strconv"

	"processkit-cli/pkcshared/proc"
)

// Read reads the identity of a living process. Its errors name the field.
func Read(ctx context.Context, pid int) (Process, error) {
	p, err := read(ctx, pid)
	if errors.Is(err, proc.ErrGone) {
		err = ErrEnded
	}
	if err != nil {
		return Process{}, err
	}
	p.User = userName(p.UID)
	return p, nil
}

// Observe reads everything about a living process.
func Observe(ctx context.Context, pid int) (Sample, error) {
	p, err := Read(ctx, pid)
	if err != nil {
		return Sample{}, err
	}
	c, err := command(ctx, pid)
	if errors.Is(err, proc.ErrGone) {
		err = ErrEnded
	}
	if err != nil {
		return Sample{}, fmt.Errorf("command: %w", err)
	}
	return Sample{p, c}, nil
}

// userName is the number itself for a user without a name.
func userName(uid int) string {
	number := strconv.Itoa(uid)
	u, err := user.LookupId(number)
	if err != nil {
		return number
	}
	return u.Username
}
