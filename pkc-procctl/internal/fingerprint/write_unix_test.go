//go:build unix

package fingerprint

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestPublish(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "fp")
	p, err := Reserve(path)
	if err != nil {
		t.Fatal(err)
	}
	rival, err := Reserve(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reserved, and already there: %v", err)
	}
	if err := p.Publish([]byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := rival.Publish([]byte("two")); !errors.Is(err, os.ErrExist) {
		t.Errorf("the second Publish = %v, want that it exists", err)
	}
	p.Close()
	rival.Close()
	if _, err := Reserve(path); !errors.Is(err, os.ErrExist) {
		t.Errorf("Reserve of what is there = %v", err)
	}
	b, err := os.ReadFile(path)
	if err != nil || string(b) != "one" {
		t.Errorf("it holds %q, %v, want the first", b, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("the directory holds %v, %v, want the file only", all, err)
	}
}

func TestAbandon(t *testing.T) {
	dir := t.TempDir()
	p, err := Reserve(filepath.Join(dir, "fp"))
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	if all, err := os.ReadDir(dir); err != nil || len(all) != 0 {
		t.Errorf("the directory holds %v, %v, want nothing", all, err)
	}
}
