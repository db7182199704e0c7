//go:build unix

package runcmd

import (
	"os"
	"syscall"

	"processkit-cli/pkc-run/internal/pump"
)

// pipe makes a pipe with a read end for Go's poller, and a write end that
// blocks: the child must not find its output in non-blocking mode, where a
// write can fail with EAGAIN.
func pipe() (r, w *os.File, err error) {
	var fds [2]int
	if err := pipeCloexec(fds[:]); err != nil {
		return nil, nil, os.NewSyscallError("pipe", err)
	}
	_ = syscall.SetNonblock(fds[0], true)
	return os.NewFile(uintptr(fds[0]), "|0"), os.NewFile(uintptr(fds[1]), "|1"), nil
}

// openNull opens /dev/null without waking Go's poller, which os.Open would.
func openNull() (*os.File, error) {
	fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: os.DevNull, Err: err}
	}
	return os.NewFile(uintptr(fd), os.DevNull), nil
}

// blocking undoes what opening a FIFO or device for Go's poller did.
func blocking(f *os.File) error {
	fd, err := pump.Descriptor(f)
	if err != nil {
		return err
	}
	return syscall.SetNonblock(fd, false)
}

// lend is the descriptor of f for a child, in the mode that it is in.
func lend(f *os.File) (uintptr, error) {
	fd, err := pump.Descriptor(f)
	return uintptr(fd), err
}
