//go:build unix

package control

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/registry"
)

// Sockets are used without package net, which would cost every start of a
// runner a tenth of a millisecond and 0.6 MB.

const (
	dirPrefix  = "pkc-"
	socketName = "c.sock"
	backlog    = 128
)

type listener struct {
	f   *os.File
	dir string
}

// newEndpoint names a socket in a directory of its own. The path is short on
// purpose: a socket's holds some hundred bytes, unix(7), so it cannot go below
// an arbitrary registry.
func newEndpoint() (string, error) {
	for _, base := range bases() {
		if unix.Faccessat(unix.AT_FDCWD, base, unix.W_OK|unix.X_OK, unix.AT_EACCESS) == nil {
			return filepath.Join(base, dirPrefix+token(), socketName), nil
		}
	}
	return "", errors.New("no writable directory for temporary files")
}

// listen makes the directory, closed to other users, and the socket in it. A
// directory that exists is somebody else's and is never shared.
func listen(endpoint string) (*listener, error) {
	dir := filepath.Dir(endpoint)
	if err := unix.Mkdir(dir, 0o700); err != nil {
		return nil, &os.PathError{Op: "mkdir", Path: dir, Err: err}
	}
	l, err := listenIn(dir)
	if err != nil {
		_ = unix.Rmdir(dir)
	}
	return l, err
}

// bases are where sockets may live; prune looks in the same. A relative TMPDIR
// means another place to every reader of the record.
func bases() []string {
	if t := filepath.Clean(os.TempDir()); t != "/tmp" && filepath.IsAbs(t) {
		return []string{"/tmp", t}
	}
	return []string{"/tmp"}
}

func listenIn(dir string) (_ *listener, err error) {
	fd, err := socket()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	path := filepath.Join(dir, socketName)
	defer func() {
		if err != nil {
			unix.Close(fd)
			_ = unix.Unlink(path)
		}
	}()
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		return nil, &os.PathError{Op: "bind", Path: path, Err: err}
	}
	if err := unix.Chmod(path, 0o600); err != nil {
		return nil, &os.PathError{Op: "chmod", Path: path, Err: err}
	}
	if err := unix.Listen(fd, backlog); err != nil {
		return nil, os.NewSyscallError("listen", err)
	}
	return &listener{os.NewFile(uintptr(fd), path), dir}, nil
}

// accept waits for a client. After close it fails with os.ErrClosed.
func (l *listener) accept() (*os.File, error) {
	raw, err := l.f.SyscallConn()
	if err != nil {
		return nil, os.ErrClosed
	}
	var fd int
	var aerr error
	err = raw.Read(func(u uintptr) bool {
		fd, aerr = acceptFD(int(u))
		return aerr != unix.EAGAIN
	})
	if err != nil {
		return nil, os.ErrClosed
	}
	if aerr != nil {
		return nil, aerr
	}
	return os.NewFile(uintptr(fd), "client"), nil
}

// close ends accept and removes what listen made, as far as it is still there:
// cleaners of temporary directories may have been faster.
func (l *listener) close() error {
	err := l.f.Close()
	for _, path := range []string{l.f.Name(), l.dir} {
		if e := os.Remove(path); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// sameUser asks the kernel who is at the other end. The modes of directory
// and socket keep others out already; the superuser passes both.
func sameUser(conn *os.File) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	ok := false
	err = raw.Control(func(fd uintptr) {
		uid, err := peerUID(int(fd))
		ok = err == nil && (uid == os.Geteuid() || uid == 0)
	})
	return err == nil && ok
}

// wellFormed reports whether endpoint is shaped as newEndpoint does it.
func wellFormed(endpoint string) bool {
	_, ok := registry.SocketDir(endpoint)
	return ok
}

// dial connects to a socket. Where the backlog is full it tries again until
// the deadline, and for a moment where the socket is not there yet.
func dial(endpoint string, deadline time.Time) (*os.File, error) {
	fd, err := socket()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: endpoint})
		if absent(err) && time.Since(began) < birth {
			continue
		}
		if err != unix.EAGAIN && err != unix.EINTR {
			break
		}
		if time.Now().After(deadline) {
			err = os.ErrDeadlineExceeded
			break
		}
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), endpoint), nil
}

// absent says that nobody listens.
func absent(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ECONNREFUSED)
}

// hungUp says that the other end has closed.
func hungUp(err error) bool { return errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) }
