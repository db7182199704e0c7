package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestOpenTakesRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{path: true, dir: false, path + "x": false, "NUL": false, `\\.\pipe\none`: false} {
		for call, open := range map[string]func(string) (*os.File, error){"Open": Open, "OpenHere": OpenHere} {
			f, err := open(name)
			f.Close() // an error on nil, which is fine
			if _, path := errors.AsType[*fs.PathError](err); (err == nil) != want || err != nil && !path {
				t.Errorf("%s(%s) = %v, want ok %v", call, name, err, want)
			}
		}
	}
}

// opened makes a file and opens it for reading.
func opened(t *testing.T, content string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestReadersDoNotHoldNames(t *testing.T) {
	f := opened(t, "old")
	if err := Remove(f.Name()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(f.Name()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Lstat after Remove = %v, want %v", err, fs.ErrNotExist)
	}
	if err := os.WriteFile(f.Name(), nil, 0o600); err != nil {
		t.Errorf("the name is not free: %v", err)
	}
	if err := Remove(f.Name()); err != nil {
		t.Error(err)
	}
	if err := Remove(f.Name()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Remove of nothing = %v, want %v", err, fs.ErrNotExist)
	}

	f = opened(t, "old")
	if err := os.Rename(f.Name(), f.Name()+".old"); err != nil {
		t.Errorf("a file that is open cannot be renamed: %v", err)
	}
}

func TestReplaceWaitsForReaders(t *testing.T) {
	f := opened(t, "old")
	from := f.Name() + ".new"
	if err := os.WriteFile(from, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { f.Close() })
	if err := Replace(from, f.Name()); err != nil {
		t.Errorf("Replace = %v, want nil", err)
	}
	if got, err := os.ReadFile(f.Name()); string(got) != "new" || err != nil {
		t.Errorf("the file has %q, %v, want new", got, err)
	}
	if err := Replace(from, f.Name()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Replace by nothing = %v, want %v", err, fs.ErrNotExist)
	}
}
