package control

import (
	"fmt"
	"os"

	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/registry"
	"processkit-cli/pkcshared/text"
)

// Resolve finds the one live run of an id. Every failure is an exit.Error of
// code Control whose kind tells the reason.
func Resolve(dir, runID string) (registry.Found, error) {
	found, err := registry.Find(dir, runID)
	if err != nil {
		return registry.Found{}, exit.As(exit.Control, exit.KindRegistry, "cannot read the registry: %w", err)
	}
	var live []registry.Found
	unprobed := 0
	for _, f := range found {
		switch f.Health {
		case registry.Live:
			live = append(live, f)
		case registry.Unprobed:
			unprobed++
		}
	}
	refuse := func(k exit.Kind, why string) (registry.Found, error) {
		return registry.Found{}, exit.As(exit.Control, k, "run %s %s", text.Quote(runID), why)
	}
	switch {
	case len(live) == 1:
		return live[0], nil
	case len(live) > 1:
		return refuse(exit.KindAmbiguous, fmt.Sprintf("is ambiguous: %d live runs have this id", len(live)))
	case len(found) == 0:
		return refuse(exit.KindNotFound, "is not registered; list shows the runs that are")
	case unprobed > 0:
		return refuse(exit.KindUnprobed, "is unprobed: whether its runner lives could not be determined")
	}
	return refuse(exit.KindStale, "is stale: its runner is gone; prune removes what it left")
}

// InspectRun asks the one live run of an id for its snapshot.
func InspectRun(dir, runID string) (Snapshot, error) {
	f, err := Resolve(dir, runID)
	if err != nil {
		return Snapshot{}, err
	}
	s, err := inspect(f)
	return s, named(Inspect, runID, err)
}

func inspect(f registry.Found) (Snapshot, error) {
	conn, err := connect(f)
	if err != nil {
		return Snapshot{}, err
	}
	defer conn.Close()
	reply, err := exchange(conn, Inspect)
	if err != nil {
		return Snapshot{}, err
	}
	return parseSnapshot(reply, f.RunID)
}

// Send asks the one live run of an id to end. Once connected, the id is
// resolved again: only if it still means the same endpoint is anything sent.
func Send(dir, runID string, verb Verb) (Ack, error) {
	f, err := Resolve(dir, runID)
	if err != nil {
		return Ack{}, err
	}
	ack, err := send(f, verb, func() error {
		again, err := Resolve(dir, runID)
		if err == nil && (again.Path != f.Path || again.Endpoint == nil || *again.Endpoint != *f.Endpoint) {
			err = unreachable("its identity changed while connecting; nothing was sent")
		}
		return err
	})
	return ack, named(verb, runID, err)
}

// send connects, has the target checked once more, and sends.
func send(f registry.Found, verb Verb, check func() error) (Ack, error) {
	conn, err := connect(f)
	if err != nil {
		return Ack{}, err
	}
	defer conn.Close()
	if err := check(); err != nil {
		return Ack{}, err
	}
	reply, err := exchange(conn, verb)
	if err != nil {
		return Ack{}, err
	}
	return parseAck(reply, verb, f.RunID)
}

// named makes an exit.Error of a failure, with verb and run in its text.
func named(verb Verb, runID string, err error) error {
	if f, ok := err.(*failure); ok {
		return exit.As(exit.Control, f.kind, "cannot %s run %s: %w", verb, text.Quote(runID), f.err)
	}
	return err
}

// gone reports whether a target that failed has ended meanwhile.
func gone(f registry.Found) bool {
	again, err := f.Reread()
	if os.IsNotExist(err) {
		return true
	}
	return err == nil && again.Probe() == registry.Stale
}

