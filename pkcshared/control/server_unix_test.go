//go:build unix

package control

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/registry"
)

// TestEndOfRequest ends the client's side of the connection after the request.
func TestEndOfRequest(t *testing.T) {
	for request, want := range map[string]string{
		"":       compact(t, snapshotOf("r")) + "\n", // an empty line
		"cancel": "",                                 // half a line is none
	} {
		s, got := serve(t, "r")
		c := client(t, s.Endpoint())
		_ = c.SetDeadline(time.Now().Add(limit))
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		if err := c.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if reply := readAll(t, c); reply != want {
			t.Errorf("reply to %q = %q, want %q", request, reply, want)
		}
		if all := got.all(); len(all) > 0 {
			t.Errorf("passed on = %q, want nothing", all)
		}
	}
}

// TestCloseRemoves: nothing of an endpoint is left.
func TestCloseRemoves(t *testing.T) {
	s := newServer(t)
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	if _, err := os.Lstat(filepath.Dir(s.Endpoint())); !os.IsNotExist(err) {
		t.Errorf("the directory is still there: %v", err)
	}
}

func TestCloseAfterCleaner(t *testing.T) {
	s := newServer(t)
	if err := os.RemoveAll(filepath.Dir(s.Endpoint())); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v with nothing left to remove", err)
	}
}

func TestEndpoint(t *testing.T) {
	a := newServer(t)
	if len(a.Endpoint()) > 100 {
		t.Errorf("%s has %d bytes, too many for some systems", a.Endpoint(), len(a.Endpoint()))
	}
	dir, ok := registry.SocketDir(a.Endpoint())
	if !ok || filepath.Dir(dir) != "/tmp" {
		t.Errorf("SocketDir(%s) = %s, %t", a.Endpoint(), dir, ok)
	}
	modes := map[string]os.FileMode{dir: os.ModeDir | 0o700, a.Endpoint(): os.ModeSocket | 0o600}
	for path, want := range modes {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s is %v, want %v", path, info.Mode(), want)
		}
	}
	if flags, err := unix.FcntlInt(a.listener.f.Fd(), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("a child would inherit the listener: %#x, %v", flags, err)
	}
}

func TestBases(t *testing.T) {
	tests := []struct {
		tmpdir string
		want   []string
	}{
		{"", []string{"/tmp"}},
		{"/tmp/", []string{"/tmp"}},
		{"/var//tmp", []string{"/tmp", "/var/tmp"}},
		{"tmp", []string{"/tmp"}},
	}
	for _, tt := range tests {
		t.Setenv("TMPDIR", tt.tmpdir)
		if got := bases(); !slices.Equal(got, tt.want) {
			t.Errorf("bases() with TMPDIR %q = %q, want %q", tt.tmpdir, got, tt.want)
		}
	}
}
