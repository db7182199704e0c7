package identity

import (
	"context"

	"processkit-cli/pkcshared/proc"
)

// StartKind is the clock of this system.
const StartKind = DarwinTimeval

// Ready reports whether identities can be read here at all.
func Ready() error { return nil }

// Boot is empty: the start time is absolute.
func Boot() (string, error) { return "", nil }

func startOf(i proc.Info) (Start, error) {
	return Start{Kind: DarwinTimeval, Sec: int64(i.Start / 1e6), Usec: int64(i.Start % 1e6)}, nil
}

func command(_ context.Context, pid int) (string, error) { return proc.Command(pid) }
