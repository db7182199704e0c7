//go:build unix

package event

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
		name string
		ok   bool
	}{{"file", true}, {"file.link", true}, {"fifo", false}, {"fifo.link", false}, {".", false}, {"missing", false}, {"/dev/zero", false}}
	for _, tt := range tests {
		name := tt.name
		if !filepath.IsAbs(name) {
			name = path(name)
		}
		done := make(chan error, 1)
		go func() {
			f, err := Open(name)
			f.Close() // an error on nil, which is fine
			done <- err
		}()
		select {
		case err := <-done:
			if _, path := errors.AsType[*fs.PathError](err); (err == nil) != tt.ok || err != nil && !path {
				t.Errorf("Open(%s) = %v, want ok %v", tt.name, err, tt.ok)
			}
		case <-time.After(limit):
			t.Fatalf("Open(%s) hangs", tt.name)
		}
	}
}
