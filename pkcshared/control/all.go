package control

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/registry"
)

// Status is how one target of an aggregate went.
type Status string

// The statuses. A run that ended by itself before it could be reached is no
// failure.
const (
	Accepted    Status = "accepted"
	Inspected   Status = "inspected"
	AlreadyGone Status = "already_gone"
	Failed      Status = "failed"
)

// Sent is one element of cancel --all and kill --all.
type Sent struct {
	RunID    string  `json:"run_id"`
	Accepted bool    `json:"accepted"`
	Status   Status  `json:"status"`
	Error    *string `json:"error"`
}

// Seen is one element of inspect --all.
type Seen struct {
	RunID    string    `json:"run_id"`
	Status   Status    `json:"status"`
	Snapshot *Snapshot `json:"snapshot"`
	Error    *string   `json:"error"`
}

// Targets are the runs that are live now and carry all labels.
func Targets(dir string, labels [][2]string) ([]registry.Found, error) {
	found, err := registry.Scan(dir)
	if err != nil {
		return nil, exit.As(exit.Setup, exit.KindRegistry, "cannot read the registry: %w", err)
	}
	live := []registry.Found{}
	for _, f := range found {
		if f.HasLabels(labels) && f.Probe() == registry.Live {
			live = append(live, f)
		}
	}
	return live, nil
}

// SendAll asks every target to end, each on its own.
func SendAll(targets []registry.Found, verb Verb) []Sent {
	results := make([]Sent, len(targets))
	each(targets, func(i int, f registry.Found) {
		_, status, reason := attempt(f, Accepted, func() (Ack, error) {
			return send(f, verb, func() error { return unchanged(f) })
		})
		results[i] = Sent{f.RunID, status == Accepted, status, reason}
	})
	return results
}

// InspectAll asks every target for its snapshot.
func InspectAll(targets []registry.Found) []Seen {
	results := make([]Seen, len(targets))
	each(targets, func(i int, f registry.Found) {
		snap, status, reason := attempt(f, Inspected, func() (Snapshot, error) {
			if err := unchanged(f); err != nil {
				return Snapshot{}, err
			}
			return inspect(f)
		})
		results[i] = Seen{RunID: f.RunID, Status: status, Error: reason}
		if status == Inspected {
			results[i].Snapshot = &snap
		}
	})
	return results
}

// each works on the targets in parallel, a few at a time.
func each(targets []registry.Found, work func(int, registry.Found)) {
	const most = 16
	slots := make(chan struct{}, most)
	var wg sync.WaitGroup
	for i, f := range targets {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			work(i, f)
		})
	}
	wg.Wait()
}

// attempt works on one target and, if that fails, asks whether it had ended.
func attempt[T any](f registry.Found, good Status, try func() (T, error)) (T, Status, *string) {
	v, err := try()
	switch {
	case err == nil:
		return v, good, nil
	case errors.Is(err, errGone) || gone(f):
		return v, AlreadyGone, nil
	}
	reason := err.Error()
	return v, Failed, &reason
}

var errGone = errors.New("it has ended")

// unchanged reads a target's record again, exactly that one, and asks its lock.
func unchanged(f registry.Found) error {
	again, err := f.Reread()
	if errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	if err != nil {
		return fmt.Errorf("its record cannot be read any more: %w", err)
	}
	if again.RunID != f.RunID || !same(again.Endpoint, f.Endpoint) {
		return errors.New("its record now names another run")
	}
	switch again.Probe() {
	case registry.Stale:
		return errGone
	case registry.Unprobed:
		return errors.New("whether its runner lives could not be determined")
	}
	return nil
}

func same(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
