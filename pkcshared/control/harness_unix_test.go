//go:build unix

package control

import (
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Endpoints of the right and of a wrong shape; nobody listens there.
const (
	nowhere   = "/tmp/pkc-0-0-0/c.sock"
	misshapen = "/tmp/x"
)

func meet(t *testing.T, endpoint string) peer {
	t.Helper()
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: endpoint, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func locked(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	return f
}

// shorten makes the queue of clients as short as it can be.
func shorten(t *testing.T, l *listener) {
	t.Helper()
	raw, err := l.f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	_ = raw.Control(func(fd uintptr) { err = unix.Listen(int(fd), 0) })
	if err != nil {
		t.Fatal(err)
	}
}
