package contain

import (
	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/proc"
)

// signalMember sends sig to m through a pidfd. Holding one does not reserve
// the number, so still is asked, once the pidfd is open, whether that number
// is a member yet: a process that is, is the one behind the pidfd or that one
// is dead and the signal goes nowhere.
func signalMember(m proc.Info, sig unix.Signal, still func(proc.Info) bool) error {
	fd, err := unix.PidfdOpen(m.PID, 0)
	if err == unix.ENOSYS || err == unix.EPERM {
		// Before Linux 5.3, or filtered: the number is all there is.
		if still(m) {
			return dead(unix.Kill(m.PID, sig))
		}
		return nil
	}
	if err != nil {
		return dead(err)
	}
	defer unix.Close(fd)
	if !still(m) {
		return nil
	}
	return dead(unix.PidfdSendSignal(fd, sig, nil, 0))
}

// dead forgives a process that ended first.
func dead(err error) error {
	if err == unix.ESRCH {
		return nil
	}
	return err
}

// sameProcess reports whether the number still names the process m.
func sameProcess(m proc.Info) bool {
	now, err := proc.Read(m.PID)
	return err == nil && now.Same(m)
}

// terminate sends SIGTERM to every member that members lists and that already
// has not had it, until a listing brings nothing new: members fork. A stopped
// one is continued after, not before, or it would run on without knowing; one
// that may not be signalled is not continued either. It fails if no member
// could be signalled at all.
func terminate(members func() ([]proc.Info, error), still func(proc.Info) bool, had map[proc.Info]bool) error {
	const rounds = 8 // against a tree that forks faster than we list it
	var failed error
	delivered := false
	for range rounds {
		ms, err := members()
		if err != nil {
			return err
		}
		fresh := false
		for _, m := range ms {
			key := proc.Info{PID: m.PID, Start: m.Start}
			if had[key] {
				continue
			}
			had[key], fresh = true, true
			err := signalMember(m, unix.SIGTERM, still)
			if err == nil && m.Stopped {
				err = signalMember(m, unix.SIGCONT, still)
			}
			if err != nil {
				failed = err
			} else {
				delivered = true
			}
		}
		if !fresh {
			break
		}
	}
	if delivered {
		return nil
	}
	return failed
}
