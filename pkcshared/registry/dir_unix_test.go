//go:build unix

package registry

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestDir(t *testing.T) {
	tests := []struct{ env, run, home, want string }{
		{"/e/runs/", "/run/user/7", "/home/u", "/e/runs/"},
		{"rel", "/run/user/7", "/home/u", "rel"},
		{"", "/run/user/7", "/home/u", "/run/user/7/processkit-cli/runs"},
		{"", "", "/home/u", "/home/u/.local/state/processkit-cli/runs"},
		{"", "", "", ""},
	}
	for _, tt := range tests {
		t.Setenv(DirEnv, tt.env)
		t.Setenv("XDG_RUNTIME_DIR", tt.run)
		t.Setenv("HOME", tt.home)
		if got, err := Dir(); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("Dir() with %+v = %q, %v, want %q", tt, got, err, tt.want)
		}
	}
}

func TestRegisterOwnsItsDirectory(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := filepath.Join(t.TempDir(), "a", "runs")
	check := func(when string) {
		t.Helper()
		e := testEntry(t, dir, Record{RunID: "a"})
		for path, want := range map[string]os.FileMode{
			filepath.Dir(dir): os.ModeDir | 0o700,
			dir:               os.ModeDir | 0o700,
			e.record:          0o600,
			e.lock.Name():     0o600,
		} {
			if fi, err := os.Stat(path); err != nil || fi.Mode() != want {
				t.Errorf("%s: mode of %s = %v, %v, want %v", when, path, fi.Mode(), err, want)
			}
		}
		e.Remove()
	}
	check("new, umask 0")
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if _, err := Scan(dir); err != nil {
		t.Fatal(err)
	}
	if fi, _ := os.Stat(dir); fi.Mode().Perm() != 0o777 {
		t.Errorf("Scan changed the mode to %v", fi.Mode())
	}
	check("widened")
}

func TestScanNeedsADirectory(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "runs")
	if err := syscall.Mkfifo(fifo, 0o700); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Scan(fifo)
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("Scan of a FIFO = %v, want %v", err, syscall.ENOTDIR)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Scan of a FIFO hangs")
	}
}
