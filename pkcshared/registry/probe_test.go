package registry

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestProbe(t *testing.T) {
	dir := t.TempDir()
	testEntry(t, dir, Record{RunID: "held"})
	dead := testEntry(t, dir, Record{RunID: "dead"})
	die(t, dead)
	gone := testEntry(t, dir, Record{RunID: "gone"})
	die(t, gone)
	os.Remove(stemOf(gone.record) + lockExt)
	plant(t, dir, "dir", record("dir", "dir", ""), false)
	if err := os.Mkdir(filepath.Join(dir, "dir.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	found, err := Scan(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Health{"held": Live, "dead": Stale, "gone": Stale, "dir": Unprobed}
	if len(found) != len(want) {
		t.Errorf("Scan = %s, want %d records", ids(found), len(want))
	}
	for _, f := range found {
		if got := f.Probe(); got != want[f.RunID] || f.Health != got {
			t.Errorf("Probe() of %s = %s, want %s", f.RunID, got, want[f.RunID])
		}
	}
}

// TestProbersDoNotSeeEachOther: with an exclusive lock in the probe some of
// these would call the entry live.
func TestProbersDoNotSeeEachOther(t *testing.T) {
	dir := t.TempDir()
	dead := testEntry(t, dir, Record{RunID: "dead"})
	lock := dead.lock.Name()
	die(t, dead)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 500 {
				if got := probe(lock); got != Stale {
					t.Errorf("probe = %s, want stale", got)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestLockDiesWithTheRunner kills a runner whose child lives on: the child
// must not have inherited the lock.
func TestLockDiesWithTheRunner(t *testing.T) {
	dir := t.TempDir()
	runner := startHolder(t, dir, "a")
	found, err := Find(dir, "a")
	if err != nil || len(found) != 1 || found[0].Health != Live {
		t.Fatalf("Find = %+v, %v, want one live entry", found, err)
	}
	runner.Process.Kill()
	runner.Process.Wait()
	if got := found[0].Probe(); got != Stale {
		t.Errorf("Probe() after the runner was killed = %s, want stale", got)
	}
}
