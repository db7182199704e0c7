package registry

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func kernelWatch(t *testing.T) *Watch {
	t.Helper()
	w := NewWatch(t.TempDir())
	t.Cleanup(w.Close)
	if w.n == nil {
		t.Skip("needs inotify on a local file system")
	}
	return w
}

func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestWatchSleepsThroughOthers: runs that are none of its business neither
// wake a waiter nor cost it a look at the registry, however large it is.
func TestWatchSleepsThroughOthers(t *testing.T) {
	w := kernelWatch(t)
	testEntry(t, w.dir, Record{RunID: "a"})
	found, err := Find(w.dir, "a")
	if err != nil {
		t.Fatal(err)
	}
	soon(t, func() {
		for i := range 20 {
			passBy(t, w.dir, fmt.Sprint("other-", i))
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if err := w.Wait(ctx, found, func(r Record) bool { return r.RunID == "a" }); err == nil {
		t.Error("Wait() = nil, want it to sleep until the deadline")
	}
}

// TestWatchCostsNothing: half a second of waiting takes next to no CPU time,
// probes of others included.
func TestWatchCostsNothing(t *testing.T) {
	w := kernelWatch(t)
	e := testEntry(t, w.dir, Record{RunID: "a"})
	found, err := Find(w.dir, "a")
	if err != nil {
		t.Fatal(err)
	}
	if probe(e.lock.Name()) != Live {
		t.Fatal("want the entry live")
	}
	before := cpu(t)
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	if err := w.Wait(ctx, found, nil); err == nil {
		t.Error("Wait() = nil, want it to sleep until the deadline")
	}
	if used := cpu(t) - before; used > 50*time.Millisecond {
		t.Errorf("half a second of waiting took %v of CPU time", used)
	}
}

// TestWatchOutlastsForeignProbes: one who opens the lock for writing and
// closes it again looks like a dying runner, but is none.
func TestWatchOutlastsForeignProbes(t *testing.T) {
	w := kernelWatch(t)
	e := testEntry(t, w.dir, Record{RunID: "a"})
	found, err := Find(w.dir, "a")
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := os.OpenFile(e.lock.Name(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	foreign.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := w.Wait(ctx, found, nil); err == nil {
		t.Error("Wait() = nil, want it to sleep until the deadline")
	}
	if w.recheck == 0 || w.recheck > time.Second {
		t.Errorf("next look in %v, want some pause", w.recheck)
	}
}

// TestWatchLooksAgain: the close of a lock file is reported before the lock is
// dropped. Here it is dropped much later, and without a report, as closing a
// read-only descriptor sends none.
func TestWatchLooksAgain(t *testing.T) {
	w := kernelWatch(t)
	plant(t, w.dir, "a", record("a", "a", ""), true)
	lock := filepath.Join(w.dir, "a.lock")
	holder, err := os.Open(lock)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if held, err := tryLock(holder, true); !held {
		t.Fatal(err)
	}
	until(t, w, nil, health(Live))
	soon(t, func() {
		write(t, lock, "") // opened for writing, closed
		time.Sleep(20 * time.Millisecond)
		holder.Close()
	})
	until(t, w, nil, health(Stale))
}

// TestWatchLostDirectory: when the directory goes, so does the notification.
func TestWatchLostDirectory(t *testing.T) {
	for name, lose := range map[string]func(dir string) error{
		"removed": os.RemoveAll,
		"moved":   func(dir string) error { return os.Rename(dir, dir+".old") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "runs")
			testEntry(t, dir, Record{RunID: "a"})
			w := NewWatch(dir)
			defer w.Close()
			if w.n == nil {
				t.Skip("needs inotify on a local file system")
			}
			until(t, w, nil, health(Live))
			soon(t, func() {
				if err := lose(dir); err != nil {
					t.Error(err)
				}
			})
			until(t, w, nil, health())
		})
	}
}

// TestWatchOverflow: events that the kernel dropped count as a wanted one.
func TestWatchOverflow(t *testing.T) {
	b := make([]byte, 16)
	b[5] = 0x40 // IN_Q_OVERFLOW
	if got := parse(b, func(string) happening { return nothing }); got != arrived {
		t.Errorf("parse(overflow) = %d, want %d", got, arrived)
	}
}
