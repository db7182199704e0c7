package identity

import "context"

// StartKind is the clock of this system.
const StartKind = PSSeconds

// Ready reports whether identities can be read here at all.
func Ready() error { return nil }

// Boot is empty: the start time is absolute.
func Boot() (string, error) { return "", nil }

func read(ctx context.Context, pid int) (Process, error) { return readPS(ctx, pid) }

func command(ctx context.Context, pid int) (string, error) { return psCommand(ctx, pid) }
