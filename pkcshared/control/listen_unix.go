//go:build unix

package control

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Sockets are used without package net, which would cost every start of a
// runner a tenth of a millisecond and 0.6 MB.

const (
	dirPrefix  = "pkc-"
	socketName = "c.sock"
	maxTries   = 16
	backlog    = 128
)

type listener struct {
	f   *os.File
	dir string
}

// listen makes a socket in a directory of its own, closed to other users. The
// directory is short on purpose: a socket path holds some hundred bytes,
// unix(7), so it cannot go below an arbitrary registry.
func listen() (*listener, string, error) {
	var failed error
	for _, base := range bases() {
		if info, err := os.Stat(base); err != nil || !info.IsDir() {
			continue
		}
		for range maxTries {
			dir := filepath.Join(base, dirPrefix+token())
			err := unix.Mkdir(dir, 0o700)
			if err == unix.EEXIST {
				continue // never share a directory that somebody else made
			}
			if err != nil {
				failed = &os.PathError{Op: "mkdir", Path: dir, Err: err}
				break
			}
			l, err := listenIn(dir)
			if err != nil {
				_ = unix.Rmdir(dir)
				failed = err
				break
			}
			return l, filepath.Join(dir, socketName), nil
		}
	}
	if failed == nil {
		failed = errors.New("no directory for temporary files")
	}
	return nil, "", failed
}

// bases are where sockets may live; prune looks in the same.
func bases() []string {
	if t := filepath.Clean(os.TempDir()); t != "/tmp" {
		return []string{"/tmp", t}
	}
	return []string{"/tmp"}
}

var sequence atomic.Uint64

func token() string {
	return strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 16) + "-" + strconv.FormatUint(sequence.Add(1), 16)
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

func (l *listener) close() error {
	path := l.f.Name()
	err := l.f.Close()
	return errors.Join(err, os.Remove(path), os.Remove(l.dir))
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

// dial connects to a socket. Where the backlog is full it tries again until
// the deadline.
func dial(endpoint string, deadline time.Time) (*os.File, error) {
	fd, err := socket()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	for {
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: endpoint})
		if err != unix.EAGAIN && err != unix.EINTR {
			break
		}
		if time.Now().After(deadline) {
			err = os.ErrDeadlineExceeded
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	conn := os.NewFile(uintptr(fd), endpoint)
	return conn, conn.SetDeadline(deadline)
}
