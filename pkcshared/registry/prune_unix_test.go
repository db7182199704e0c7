//go:build unix

package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// shortTemp makes TMPDIR a new directory whose path leaves room for sockets.
func shortTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pkt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return dir
}

// socketDir is where an endpoint of strand is, for prune to remove.
func socketDir(endpoint string) string { return filepath.Dir(endpoint) }

// dangle makes something that is there and cannot be read.
func dangle(t *testing.T, path string) { symlink(t, "nowhere", path) }

// strand leaves a socket behind in base, as a killed runner does.
func strand(t *testing.T, base, name string) (endpoint string) {
	t.Helper()
	dir := filepath.Join(base, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	endpoint = filepath.Join(dir, "c.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: endpoint, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	return endpoint
}

// TestPruneForeignSockets: the entries go, what they point at stays.
func TestPruneForeignSockets(t *testing.T) {
	temp, dir, elsewhere := shortTemp(t), t.TempDir(), shortTemp(t)
	t.Setenv("TMPDIR", temp)
	foreign := strand(t, elsewhere, "pkc-a")
	deeper := strand(t, temp, "sub")
	plain := filepath.Join(temp, "pkc-file", "c.sock")
	if err := os.Mkdir(filepath.Dir(plain), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, plain, "precious")
	full := strand(t, temp, "pkc-full")
	write(t, filepath.Join(filepath.Dir(full), "precious"), "")
	symlink(t, filepath.Dir(foreign), filepath.Join(temp, "pkc-link"))
	linked := filepath.Join(temp, "pkc-link", "c.sock")

	for i, e := range []string{
		foreign, deeper, plain, full, linked,
		temp + "/../" + filepath.Base(elsewhere) + "/pkc-a/c.sock",
		temp + "//pkc-a/c.sock",
		temp + "/pkc-none/c.sock",
		"relative/pkc-a/c.sock",
		"/c.sock", "c.sock", "", "/", `\\.\pipe\processkit-cli-a`,
	} {
		dead(t, dir, fmt.Sprintf("%02d", i), e)
	}
	got, err := Prune(dir, PruneOptions{})
	if !reflect.DeepEqual(got, Pruned{Entries: 14}) || err != nil {
		t.Errorf("Prune = %+v, %v, want every entry", got, err)
	}
	for _, path := range []string{foreign, deeper, plain, filepath.Join(filepath.Dir(full), "precious"), linked} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%v, want it kept", err)
		}
	}
	if got := tree(t, dir); got != dir+"\n" {
		t.Errorf("registry holds %s, want nothing", got)
	}
}

func TestPruneCountsWhatItCannotDelete(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("needs an ordinary user: root deletes everything")
	}
	dir := t.TempDir()
	plant(t, dir, "a", record("a", "a", ""), true)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	got, err := Prune(dir, PruneOptions{})
	if len(got.Kept) != 2 || !errors.Is(got.Kept[0], fs.ErrPermission) {
		t.Errorf("Prune says why of %v, want it of the record and the lock", got.Kept)
	}
	got.Kept = nil
	if !reflect.DeepEqual(got, Pruned{Entries: 1}) || err != nil {
		t.Errorf("Prune = %+v, %v, want the entry counted", got, err)
	}
}
