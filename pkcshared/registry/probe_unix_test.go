//go:build unix

package registry

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

func TestProbe(t *testing.T) {
	dir := t.TempDir()
	held := testEntry(t, dir, Record{RunID: "held"})
	dead := testEntry(t, dir, Record{RunID: "dead"})
	die(t, dead)
	gone := testEntry(t, dir, Record{RunID: "gone"})
	die(t, gone)
	os.Remove(stemOf(gone.record) + lockExt)
	for _, stem := range []string{"dir", "link", "dangling", "fifo", "loop"} {
		plant(t, dir, stem, record(stem, stem, ""), false)
	}
	if err := os.Mkdir(filepath.Join(dir, "dir.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	symlink(t, held.lock.Name(), filepath.Join(dir, "link.lock"))
	symlink(t, "nowhere", filepath.Join(dir, "dangling.lock"))
	symlink(t, "loop.lock", filepath.Join(dir, "loop.lock"))
	mkfifo(t, filepath.Join(dir, "fifo.lock"))

	found, err := Scan(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Health{
		"held": Live, "dead": Stale, "gone": Stale,
		"dir": Unprobed, "link": Unprobed, "dangling": Unprobed, "loop": Unprobed, "fifo": Unprobed,
	}
	if len(found) != len(want) {
		t.Errorf("Scan = %s, want %d records", ids(found), len(want))
	}
	for _, f := range found {
		if got := f.Probe(); got != want[f.RunID] || f.Health != got {
			t.Errorf("Probe() of %s = %s, want %s", f.RunID, got, want[f.RunID])
		}
	}
}

func TestProbeUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("needs an ordinary user: root reads everything")
	}
	dir := t.TempDir()
	e := testEntry(t, dir, Record{RunID: "a"})
	if err := os.Chmod(e.lock.Name(), 0); err != nil {
		t.Fatal(err)
	}
	if got := probe(e.lock.Name()); got != Unprobed {
		t.Errorf("probe(unreadable) = %s, want unprobed", got)
	}
}

// TestScanHostile shows that nothing but a regular file is read, and that
// nothing makes the reader wait.
func TestScanHostile(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "good", record("good", "good", ""), false)
	write(t, filepath.Join(dir, "elsewhere"), record("elsewhere", "x", ""))
	symlink(t, "elsewhere", filepath.Join(dir, "link.json"))
	symlink(t, "nowhere", filepath.Join(dir, "dangling.json"))
	symlink(t, "/dev/zero", filepath.Join(dir, "zero.json"))
	mkfifo(t, filepath.Join(dir, "fifo.json"))
	if found, err := Scan(dir); ids(found) != "good" || err != nil {
		t.Errorf("Scan = %s, %v, want good", ids(found), err)
	}
}

func TestScanUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("needs an ordinary user: root reads everything")
	}
	dir := t.TempDir()
	plant(t, dir, "good", record("good", "good", ""), false)
	if err := os.Chmod(plant(t, dir, "closed", record("closed", "closed", ""), false), 0); err != nil {
		t.Fatal(err)
	}
	if found, err := Scan(dir); ids(found) != "good" || err != nil {
		t.Errorf("Scan = %s, %v, want good", ids(found), err)
	}
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if _, err := Scan(dir); err == nil {
		t.Error("Scan(unreadable directory) = nil, want an error")
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
