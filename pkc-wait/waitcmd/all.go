package waitcmd

import (
	"context"
	"fmt"
	"sync"

	"processkit-cli/pkcshared/control"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/registry"
)

// all waits until the runs that live now are over; later ones do not count.
func all(ctx context.Context, dir string, o *options) ([]event.Outcome, error) {
	w := registry.NewWatch(dir)
	defer w.Close()
	left, err := control.Targets(dir, o.Labels)
	if err != nil {
		return nil, err
	}
	endings := newEndings(left)
	for {
		expired := ctx.Err() != nil // so that the last look comes after the deadline
		var still []registry.Found
		unprobed := 0
		for _, f := range left {
			switch {
			case f.Gone() || f.Probe() == registry.Stale:
				if o.report {
					endings.read(f)
				}
				continue
			case f.Health == registry.Unprobed:
				unprobed++
			}
			still = append(still, f)
		}
		left = still
		switch {
		case len(left) == 0:
			return endings.all(), nil
		case expired:
			return nil, exit.Errorf(exit.WaitTimeout, "gave up after %s: %s", o.timeout, outstanding(len(left), unprobed))
		}
		_ = w.Wait(ctx, left, nil) // its one error is the deadline
	}
}

// outstanding says no more of unprobed runs than is known.
func outstanding(n, unprobed int) string {
	s := "1 run is outstanding"
	if n != 1 {
		s = fmt.Sprintf("%d runs are outstanding", n)
	}
	if unprobed > 0 {
		s += fmt.Sprintf(", %d of them unprobed: whether the runner lives could not be determined", unprobed)
	}
	return s + "; nothing was touched"
}

// endings reads how each run ended, as soon as it has, while others are still
// waited for.
type endings struct {
	outcomes []event.Outcome
	slot     map[string]*event.Outcome // by record path
	readers  sync.WaitGroup
	limit    chan struct{} // of streams that are open at once
}

func newEndings(targets []registry.Found) *endings {
	e := &endings{
		outcomes: make([]event.Outcome, len(targets)),
		slot:     make(map[string]*event.Outcome, len(targets)),
		limit:    make(chan struct{}, 64),
	}
	for i, f := range targets {
		e.slot[f.Path] = &e.outcomes[i]
	}
	return e
}

func (e *endings) read(f registry.Found) {
	stream := ""
	if f.JSONL != nil {
		stream = *f.JSONL
	}
	e.readers.Go(func() {
		e.limit <- struct{}{}
		defer func() { <-e.limit }()
		*e.slot[f.Path] = event.ReadOutcome(context.Background(), stream, f.RunID)
	})
}

// all returns every ending, in order.
func (e *endings) all() []event.Outcome {
	e.readers.Wait()
	return e.outcomes
}
