package notify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"processkit-cli/fixtures/wine"
	"processkit-cli/pkcshared/file"
)

// patience bounds what must happen soon.
const patience = 10 * time.Second

func watch(t *testing.T) (dir string, p *Port) {
	t.Helper()
	dir = t.TempDir()
	p, err := Watch(dir, windows.FILE_NOTIFY_CHANGE_FILE_NAME)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return dir, p
}

// until waits for news that satisfy want.
func until(t *testing.T, p *Port, want func(News) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		n, err := p.Wait(ctx, 0)
		if err != nil || ctx.Err() != nil {
			t.Fatalf("Wait = %+v, %v, want something else within %v", n, err, patience)
		}
		if want(n) {
			return
		}
	}
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNames(t *testing.T) {
	dir, p := watch(t)
	for _, name := range []string{"a", "with space", "ünï-日本"} {
		touch(t, filepath.Join(dir, name))
		until(t, p, func(n News) bool { return slices.Contains(n.Names, name) })
	}
	// What happens between two waits is kept.
	if err := os.Remove(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	touch(t, filepath.Join(dir, "b"))
	seen := map[string]bool{}
	until(t, p, func(n News) bool {
		for _, name := range n.Names {
			seen[name] = true
		}
		return seen["a"] && seen["b"]
	})
}

func TestMany(t *testing.T) {
	dir, p := watch(t)
	seen := 0
	for i := range 600 { // 40 bytes and more for each
		touch(t, filepath.Join(dir, fmt.Sprintf("a-rather-long-name-of-a-file-%d", i)))
	}
	until(t, p, func(n News) bool {
		seen += len(n.Names)
		return n.Many || seen >= 600
	})
}

func TestEndOfContext(t *testing.T) {
	_, p := watch(t)
	if n, err := p.Wait(t.Context(), 10*time.Millisecond); len(n.Names) != 0 || err != nil {
		t.Errorf("Wait = %+v, %v, want nothing", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if n, err := p.Wait(ctx, 0); len(n.Names) != 0 || err != nil {
		t.Errorf("Wait = %+v, %v, want nothing", n, err)
	}
	if n, err := p.Wait(ctx, 0); len(n.Names) != 0 || err != nil {
		t.Errorf("Wait of a done context = %+v, %v, want nothing", n, err)
	}
}

func TestWatchOfNothing(t *testing.T) {
	if _, err := Watch(filepath.Join(t.TempDir(), "none"), windows.FILE_NOTIFY_CHANGE_FILE_NAME); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Watch = %v, want %v", err, os.ErrNotExist)
	}
}

// hold opens a file and locks it; it is let go of by closing the handle.
func hold(t *testing.T, path string) windows.Handle {
	t.Helper()
	h, err := file.Handle(path, windows.GENERIC_READ|windows.GENERIC_WRITE, windows.OPEN_ALWAYS, 0)
	if err != nil {
		t.Fatal(err)
	}
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	if err := windows.LockFileEx(h, how, 0, math.MaxUint32, math.MaxUint32, new(windows.Overlapped)); err != nil {
		t.Fatal(err)
	}
	return h
}

func await(t *testing.T, p *Port, path string) {
	t.Helper()
	h, err := file.Handle(path, windows.GENERIC_READ, windows.OPEN_EXISTING, windows.FILE_FLAG_OVERLAPPED)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.AwaitLock(h); err != nil {
		t.Fatal(err)
	}
}

func TestFreeLock(t *testing.T) {
	dir, p := watch(t)
	path := filepath.Join(dir, "lock")
	touch(t, path)
	await(t, p, path)
	windows.CloseHandle(hold(t, path)) // no share of it is left with us
}

func TestLockComesFree(t *testing.T) {
	wine.Skip(t, "does not answer an overlapped LockFileEx that has to wait")
	dir, p := watch(t)
	for i := range 3 {
		path := filepath.Join(dir, fmt.Sprint("lock", i))
		h := hold(t, path)
		await(t, p, path)
		time.AfterFunc(20*time.Millisecond, func() { windows.CloseHandle(h) })
		until(t, p, func(n News) bool { return n.Free })
		windows.CloseHandle(hold(t, path)) // no share of it is left with us
	}
}

func TestCloseWhileALockIsHeld(t *testing.T) {
	dir, p := watch(t)
	path := filepath.Join(dir, "lock")
	defer windows.CloseHandle(hold(t, path))
	await(t, p, path)
}
