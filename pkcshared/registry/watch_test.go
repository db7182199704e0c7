package registry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// patience bounds what must happen soon.
const patience = 10 * time.Second

// watchers runs a test with kernel notification, where there is any, and by
// polling.
func watchers(t *testing.T, f func(t *testing.T, dir string, w *Watch)) {
	t.Run("kernel", func(t *testing.T) {
		dir := t.TempDir()
		w := NewWatch(dir)
		defer w.Close()
		if w.n == nil {
			t.Skip("needs a kernel and a file system that notify")
		}
		f(t, dir, w)
		if w.n == nil {
			t.Error("the watch fell back to polling")
		}
	})
	t.Run("poll", func(t *testing.T) {
		dir := t.TempDir()
		f(t, dir, &Watch{dir: dir})
	})
}

// until waits as a command does: look, decide, wait.
func until(t *testing.T, w *Watch, wanted func(Record) bool, done func([]Found) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		found, err := Find(w.dir, "a")
		if err != nil {
			t.Fatal(err)
		}
		if done(found) {
			return
		}
		if err := w.Wait(ctx, found, wanted); err != nil {
			t.Fatalf("Wait() = %v, want a wake-up; found %+v", err, found)
		}
	}
}

func health(want ...Health) func([]Found) bool {
	return func(found []Found) bool {
		if len(found) != len(want) {
			return false
		}
		for i := range found {
			if found[i].Health != want[i] {
				return false
			}
		}
		return true
	}
}

// soon does something while the test waits, and joins it.
func soon(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	time.AfterFunc(20*time.Millisecond, func() {
		do()
		close(done)
	})
	t.Cleanup(func() { <-done })
}

// passBy is a run that nobody waits for.
func passBy(t *testing.T, dir, runID string) {
	e, err := Register(dir, Record{RunID: runID, StartedAt: stamp})
	if err != nil {
		t.Error(err)
		return
	}
	probe(e.lock.Name())
	e.Remove()
}

func TestWatchRemoval(t *testing.T) {
	watchers(t, func(t *testing.T, dir string, w *Watch) {
		e := testEntry(t, dir, Record{RunID: "a"})
		until(t, w, nil, health(Live))
		soon(t, func() { e.Remove() })
		until(t, w, nil, health())
	})
}

func TestWatchKilledRunner(t *testing.T) {
	watchers(t, func(t *testing.T, dir string, w *Watch) {
		runner := startHolder(t, dir, "a")
		until(t, w, nil, health(Live))
		soon(t, func() { runner.Process.Kill() })
		until(t, w, nil, health(Stale))
	})
}

// TestWatchNothingMissed: what happens between subscription and Wait counts.
func TestWatchNothingMissed(t *testing.T) {
	watchers(t, func(t *testing.T, dir string, w *Watch) {
		e := testEntry(t, dir, Record{RunID: "a"})
		found, err := Find(dir, "a")
		if err != nil || !health(Live)(found) {
			t.Fatalf("Find = %+v, %v, want one live entry", found, err)
		}
		die(t, e)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := w.Wait(ctx, found, nil); err != nil {
			t.Errorf("Wait() = %v, want a wake-up", err)
		}
	})
}

func TestWatchDuplicate(t *testing.T) {
	watchers(t, func(t *testing.T, dir string, w *Watch) {
		testEntry(t, dir, Record{RunID: "a"})
		same := func(r Record) bool { return r.RunID == "a" }
		until(t, w, same, health(Live))
		soon(t, func() {
			e, err := Register(dir, Record{RunID: "a", StartedAt: stamp})
			if err != nil {
				t.Error(err)
			}
			t.Cleanup(func() { e.Remove() })
		})
		until(t, w, same, func(found []Found) bool { return len(found) == 2 })
	})
}

// TestWatchPlainWriter: a record may also be written in place, slowly.
func TestWatchPlainWriter(t *testing.T) {
	watchers(t, func(t *testing.T, dir string, w *Watch) {
		soon(t, func() {
			f, err := os.Create(filepath.Join(dir, "b.json"))
			if err != nil {
				t.Error(err)
				return
			}
			data := record("a", "b", "")
			f.WriteString(data[:20])
			time.Sleep(20 * time.Millisecond)
			f.WriteString(data[20:])
			f.Close()
		})
		until(t, w, func(r Record) bool { return r.RunID == "a" }, health(Stale))
	})
}

func TestWatchUnprobed(t *testing.T) {
	watchers(t, func(t *testing.T, dir string, w *Watch) {
		plant(t, dir, "a", record("a", "a", ""), false)
		lock := filepath.Join(dir, "a.lock")
		if err := os.Mkdir(lock, 0o700); err != nil {
			t.Fatal(err)
		}
		until(t, w, nil, health(Unprobed))
		soon(t, func() { os.Remove(lock) })
		until(t, w, nil, health(Stale))
	})
}

func TestWatchEnds(t *testing.T) {
	watchers(t, func(t *testing.T, dir string, w *Watch) {
		testEntry(t, dir, Record{RunID: "a"})
		found, err := Find(dir, "a")
		if err != nil {
			t.Fatal(err)
		}
		wait := func(ctx context.Context) error {
			for { // polling comes back to let its owner look
				if err := w.Wait(ctx, found, nil); err != nil {
					return err
				}
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		defer cancel()
		if err := wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait() = %v, want the deadline", err)
		}
		ctx, cancel = context.WithCancel(context.Background())
		soon(t, cancel)
		if err := wait(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Wait() = %v, want the cancellation", err)
		}
		// An ended context leaves nothing behind that disturbs the next wait.
		soon(t, func() { passBy(t, dir, "b") })
		ctx, cancel = context.WithTimeout(context.Background(), 60*time.Millisecond)
		defer cancel()
		if err := wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait() = %v, want the deadline", err)
		}
	})
}

func TestWatchMissingDirectory(t *testing.T) {
	w := NewWatch(filepath.Join(t.TempDir(), "none"))
	defer w.Close()
	if err := w.Wait(context.Background(), nil, nil); err != nil {
		t.Errorf("Wait() = %v, want a look every now and then", err)
	}
}
