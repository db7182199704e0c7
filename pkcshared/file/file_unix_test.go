//go:build unix

package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestOpenTakesRegularFilesOnly(t *testing.T) {
	const limit = 10 * time.Second
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := unix.Mkfifo(path("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path("file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, l := range []string{"fifo", "file"} {
		if err := os.Symlink(l, path(l+".link")); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name       string
		open, here bool
	}{
		{"file", true, true},
		{"file.link", true, false},
		{"fifo", false, false},
		{"fifo.link", false, false},
		{".", false, false},
		{"missing", false, false},
		{"/dev/zero", false, false},
	}
	for _, tt := range tests {
		name := tt.name
		if !filepath.IsAbs(name) {
			name = path(name)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			f, err := Open(name)
			check(t, "Open", tt.name, f, err, tt.open)
			f, err = OpenHere(name)
			check(t, "OpenHere", tt.name, f, err, tt.here)
		}()
		select {
		case <-done:
		case <-time.After(limit):
			t.Fatalf("opening %s hangs", tt.name)
		}
	}
}

func check(t *testing.T, call, name string, f *os.File, err error, want bool) {
	t.Helper()
	f.Close() // an error on nil, which is fine
	if _, path := errors.AsType[*fs.PathError](err); (err == nil) != want || err != nil && !path {
		t.Errorf("%s(%s) = %v, want ok %v", call, name, err, want)
	}
}
