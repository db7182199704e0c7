package registry

import (
	"errors"
	"io/fs"
	"os"

	"processkit-cli/pkcshared/file"
)

// Health is a verdict on the runner behind a record.
type Health string

// The verdicts. Unprobed is neither of the others: the lock could not be
// asked.
const (
	Live     Health = "live"
	Stale    Health = "stale"
	Unprobed Health = "unprobed"
)

// Probe asks the lock whether the runner lives, and notes the verdict in f.
func (f *Found) Probe() Health {
	f.Health = probe(f.lock)
	return f.Health
}

func probe(lock string) Health {
	health, f := hold(lock)
	f.Close() // an error on nil, which is fine
	return health
}

// hold probes a lock file. Where it was free the returned file keeps it until
// closed; that is nil for a stale entry that has no lock file. The lock is a
// shared one: two who probe at once do not take each other for the runner.
func hold(lock string) (Health, *os.File) {
	f, err := file.OpenHere(lock)
	if errors.Is(err, fs.ErrNotExist) {
		return Stale, nil
	}
	if err != nil {
		return Unprobed, nil
	}
	held, err := tryLock(f, false)
	if held {
		return Stale, f
	}
	f.Close()
	if err != nil {
		return Unprobed, nil
	}
	return Live, nil
}
