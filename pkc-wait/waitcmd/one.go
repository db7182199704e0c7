package waitcmd

import (
	"context"

	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/registry"
	"processkit-cli/pkcshared/text"
)

// one waits until no run of the id lives. Nobody knows of an unprobed one, so
// it counts as living; two that live are not waited for, it would be unclear
// for which.
func one(ctx context.Context, dir string, o *options) (event.Outcome, error) {
	var (
		w      = registry.NewWatch(dir)
		same   = func(r registry.Record) bool { return r.RunID == o.RunID }
		stream string // of the run that lived last
	)
	defer w.Close()
	for {
		expired := ctx.Err() != nil // so that the last look comes after the deadline
		found, err := registry.Find(dir, o.RunID)
		if err != nil {
			return event.Outcome{}, noRegistry(err)
		}
		live, unprobed := 0, 0
		for _, f := range found {
			switch f.Health {
			case registry.Live:
				live++
				stream = ""
				if f.JSONL != nil {
					stream = *f.JSONL
				}
			case registry.Unprobed:
				unprobed++
			}
		}
		switch {
		case live > 1:
			return event.Outcome{}, exit.As(exit.Control, exit.KindAmbiguous, "run %s is ambiguous: %d live runs have this id", text.Quote(o.RunID), live)
		case live+unprobed == 0 && o.report:
			// The deadline was for the run, and the run is over.
			return event.ReadOutcome(context.WithoutCancel(ctx), stream, o.RunID), nil
		case live+unprobed == 0:
			return event.Outcome{}, nil
		case expired && live > 0:
			return event.Outcome{}, exit.Errorf(exit.WaitTimeout, "gave up after %s: run %s still lives and was left alone", o.timeout, text.Quote(o.RunID))
		case expired:
			return event.Outcome{}, exit.Errorf(exit.WaitTimeout, "gave up after %s: run %s is unprobed, whether its runner lives could not be determined", o.timeout, text.Quote(o.RunID))
		}
		_ = w.Wait(ctx, found, same) // its one error is the deadline
	}
}
