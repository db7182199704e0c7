package control

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/gjson"

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

// Targets are the runs that are live now and carry all labels, ordered by run
// id and record. Runs of one id are targets of their own.
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
	slices.SortFunc(live, func(a, b registry.Found) int {
		return cmp.Or(cmp.Compare(a.RunID, b.RunID), cmp.Compare(a.Path, b.Path))
	})
	return live, nil
}

// SendAll asks every target to end, each on its own.
func SendAll(targets []registry.Found, verb Verb) []Sent {
	results := make([]Sent, len(targets))
	each(targets, func(i int, f registry.Found) {
		status, reason := attempt(f, verb, Accepted, func(reply gjson.Result) error {
			_, err := parseAck(reply, verb, f.RunID)
			return err
		})
		results[i] = Sent{f.RunID, status == Accepted, status, reason}
	})
	return results
}

// InspectAll asks every target for its snapshot.
func InspectAll(targets []registry.Found) []Seen {
	results := make([]Seen, len(targets))
	each(targets, func(i int, f registry.Found) {
		var snapshot *Snapshot
		status, reason := attempt(f, Inspect, Inspected, func(reply gjson.Result) error {
			s, err := parseSnapshot(reply, f.RunID)
			if err == nil {
				snapshot = &s
			}
			return err
		})
		results[i] = Seen{f.RunID, status, snapshot, reason}
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

// attempt asks one target, as long as its record is what it was: that is
// looked up before connecting, before sending, and after a failure.
func attempt(f registry.Found, verb Verb, good Status, read func(gjson.Result) error) (Status, *string) {
	check := func() error { return unchanged(f) }
	err := check()
	if err == nil {
		var reply gjson.Result
		if reply, err = ask(f, verb, check); err == nil {
			err = read(reply)
		}
	}
	switch {
	case err == nil:
		return good, nil
	case errors.Is(err, errGone), ended(check):
		return AlreadyGone, nil
	}
	reason := err.Error()
	return Failed, &reason
}

// ended reports whether a target that gave no answer has ended. A run whose
// ending is decided answers nobody and leaves the registry a moment later.
func ended(check func() error) bool {
	const moment = 250 * time.Millisecond
	for deadline := time.Now().Add(moment); ; time.Sleep(5 * time.Millisecond) {
		if errors.Is(check(), errGone) {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

var errGone = errors.New("it has ended")

// unchanged reads a target's record again, exactly that one, and asks its lock.
func unchanged(f registry.Found) error {
	again, err := f.Reread()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errGone
	case err != nil:
		return failf(exit.KindUnreachable, "its record cannot be read any more: %w", err)
	case again.RunID != f.RunID || !same(again.Endpoint, f.Endpoint):
		return failf(exit.KindUnreachable, "its record now names another run")
	}
	switch again.Probe() {
	case registry.Stale:
		return errGone
	case registry.Unprobed:
		return failf(exit.KindUnprobed, "it is unprobed: whether its runner lives could not be determined")
	}
	return nil
}
