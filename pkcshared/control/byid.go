package control

import (
	"github.com/tidwall/gjson"

	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/registry"
	"processkit-cli/pkcshared/text"
)

// InspectRun asks the one live run of an id for its snapshot. Every error is
// an exit.Error of code Control whose kind tells the reason.
func InspectRun(dir, runID string) (Snapshot, error) {
	s, err := inspectRun(dir, runID)
	return s, named(Inspect, runID, err)
}

func inspectRun(dir, runID string) (Snapshot, error) {
	f, err := resolve(dir, runID)
	if err != nil {
		return Snapshot{}, err
	}
	reply, err := ask(f, Inspect, func() error { return nil })
	if err != nil {
		return Snapshot{}, err
	}
	return parseSnapshot(reply, runID)
}

// Send asks the one live run of an id to end. Its errors are like those of
// InspectRun.
func Send(dir, runID string, verb Verb) (Ack, error) {
	ack, err := send(dir, runID, verb)
	return ack, named(verb, runID, err)
}

func send(dir, runID string, verb Verb) (Ack, error) {
	f, err := resolve(dir, runID)
	if err != nil {
		return Ack{}, err
	}
	return sendTo(dir, f, verb)
}

// sendTo resolves the id again once it is connected: only if it still means
// the same run is anything sent.
func sendTo(dir string, f registry.Found, verb Verb) (Ack, error) {
	reply, err := ask(f, verb, func() error {
		again, err := resolve(dir, f.RunID)
		if err == nil && (again.Path != f.Path || !same(again.Endpoint, f.Endpoint)) {
			err = failf(exit.KindUnreachable, "its identity changed while connecting; nothing was sent")
		}
		return err
	})
	if err != nil {
		return Ack{}, err
	}
	return parseAck(reply, verb, f.RunID)
}

// resolve finds the one live run of an id, whether or not it can be reached.
func resolve(dir, runID string) (registry.Found, error) {
	found, err := registry.Find(dir, runID)
	if err != nil {
		return registry.Found{}, failf(exit.KindRegistry, "the registry cannot be read: %w", err)
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
	switch {
	case len(live) == 1:
		return live[0], nil
	case len(live) > 1:
		err = failf(exit.KindAmbiguous, "it is ambiguous, %d live runs have this id", len(live))
	case unprobed > 0:
		err = failf(exit.KindUnprobed, "it is unprobed: whether its runner lives could not be determined")
	case len(found) > 0:
		err = failf(exit.KindStale, "it is stale: its runner is gone; prune removes what it left")
	default:
		err = failf(exit.KindNotFound, "it is not registered; list shows the runs that are")
	}
	return registry.Found{}, err
}

// ask connects to a run and sends one verb. In between check has a last word:
// what it refuses is not sent.
func ask(f registry.Found, verb Verb, check func() error) (gjson.Result, error) {
	conn, err := connect(f)
	if err != nil {
		return gjson.Result{}, err
	}
	defer conn.Close()
	if err := check(); err != nil {
		return gjson.Result{}, err
	}
	return exchange(conn, verb)
}

// named makes an exit.Error of a failure, with verb and run in its text.
func named(verb Verb, runID string, err error) error {
	if f, ok := err.(*failure); ok {
		return exit.As(exit.Control, f.kind, "cannot %s run %s: %w", verb, text.Quote(runID), f.err)
	}
	return err
}

func same(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
