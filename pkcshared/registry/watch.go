package registry

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// pollInterval is how often the registry is looked at where the kernel does
// not tell.
const pollInterval = 250 * time.Millisecond

// Watch waits for runs to end. Make it first and look at the registry then:
// what happens between is kept and ends the next Wait.
//
//	w := NewWatch(dir)
//	defer w.Close()
//	for {
//		found, err := Find(dir, id)
//		… decide …
//		err = w.Wait(ctx, found, wanted)
//	}
type Watch struct {
	dir string
	n   *notifier // nil: poll

	// recheck is the pause before the next look at the locks, zero for none.
	// Linux reports that a dead runner's lock file is closed just before it
	// drops the lock (__fput calls fsnotify_close, then locks_remove_file),
	// so the first look can be too early. Each further one waits twice as long.
	recheck time.Duration
}

// NewWatch subscribes to dir.
func NewWatch(dir string) *Watch {
	n, err := newNotifier(dir)
	if err != nil {
		// No such directory, no more watches for this user, or a file system
		// that does not notify.
		n = nil
	}
	return &Watch{dir: dir, n: n}
}

// Close ends the subscription.
func (w *Watch) Close() {
	if w.n != nil {
		w.n.close()
		w.n = nil
	}
}

// Wait blocks until one of known, as last probed, is gone or has another
// health, or until a record that wanted accepts may have appeared; nil accepts
// none. It can return early, so look again. It returns ctx.Err() once ctx is
// done.
func (w *Watch) Wait(ctx context.Context, known []Found, wanted func(Record) bool) error {
	files := make(map[string]bool, 2*len(known))
	for _, f := range known {
		files[filepath.Base(f.Path)] = true
		files[filepath.Base(f.lock)] = true
	}
	judge := func(name string) happening {
		if files[name] {
			return touched
		}
		if wanted != nil && isRecordName(name) {
			f, err := read(filepath.Join(w.dir, name), make([]byte, maxRecord+1))
			if err == nil && wanted(f.Record) {
				return arrived
			}
		}
		return nothing
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.n == nil {
			return sleep(ctx, pollInterval)
		}
		limit := w.limit(known)
		ev, err := w.n.wait(ctx, limit, known, judge)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || ev == lost:
			w.Close()
			return nil
		case ev == arrived:
			return nil
		case ev == touched:
			w.recheck = time.Millisecond
		case limit == w.recheck:
			w.recheck *= 2
		}
		if changed(known) {
			return nil
		}
	}
}

// limit is how long the kernel's silence can be trusted, zero for ever.
func (w *Watch) limit(known []Found) time.Duration {
	limit := w.recheck
	shorten := func(d time.Duration) {
		if d > 0 && (limit == 0 || d < limit) {
			limit = d
		}
	}
	shorten(silence)
	for _, f := range known {
		if f.Health == Unprobed { // whatever stands in the way sends no event
			shorten(pollInterval)
			break
		}
	}
	return limit
}

// changed reports whether a record is gone or its health is another one.
func changed(known []Found) bool {
	for _, f := range known {
		if _, err := os.Lstat(f.Path); err != nil || probe(f.lock) != f.Health {
			return true
		}
	}
	return false
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// happening is what a notifier saw.
type happening int

const (
	nothing happening = iota // for as long as it was told to wait
	touched                  // a known record or lock may have changed
	arrived                  // a wanted record may be new
	lost                     // it will see nothing more
)
