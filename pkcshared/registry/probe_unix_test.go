//go:build unix

package registry

import (
	"os"
	"path/filepath"
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

func TestProbeOddLocks(t *testing.T) {
	dir := t.TempDir()
	held := testEntry(t, dir, Record{RunID: "held"})
	for name, make := range map[string]func(path string){
		"link":     func(path string) { symlink(t, held.lock.Name(), path) },
		"dangling": func(path string) { symlink(t, "nowhere", path) },
		"loop":     func(path string) { symlink(t, "loop.lock", path) },
		"fifo":     func(path string) { mkfifo(t, path) },
	} {
		path := filepath.Join(dir, name+lockExt)
		make(path)
		if got := probe(path); got != Unprobed {
			t.Errorf("probe(%s) = %s, want unprobed", name, got)
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
