package group

import "golang.org/x/sys/unix"

// ref is a pidfd. It does not keep the number from being used again; but
// since Linux 6.9 it signals the group that its process led, by identity and
// not by number, also when that process is no more.
type ref struct {
	fd      int
	inexact bool // as if before 6.9
}

func openRef(pid int) (ref, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	switch err {
	case nil:
		return ref{fd: fd}, nil
	case unix.ENOSYS, unix.EPERM: // before Linux 5.3, or filtered
		return ref{fd: -1}, nil
	case unix.ESRCH:
		return ref{}, ErrEnded
	}
	return ref{}, err
}

func (r ref) close() {
	if r.fd >= 0 {
		unix.Close(r.fd)
	}
}

// ended is false also where nobody can tell.
func (r ref) ended() bool {
	fds := []unix.PollFd{{Fd: int32(r.fd), Events: unix.POLLIN}} // a negative one is passed over
	for {
		n, err := unix.Poll(fds, 0)
		if err != unix.EINTR {
			return n > 0
		}
	}
}

func (r ref) signal(sig unix.Signal) error {
	if r.fd < 0 || r.inexact {
		return errInexact
	}
	err := unix.PidfdSendSignal(r.fd, sig, nil, unix.PIDFD_SIGNAL_PROCESS_GROUP)
	if err == unix.EINVAL || err == unix.ENOSYS {
		return errInexact
	}
	return err
}

func (r ref) group() state {
	switch r.signal(0) {
	case nil, unix.EPERM:
		return there
	case unix.ESRCH:
		return gone
	}
	return unknown
}
