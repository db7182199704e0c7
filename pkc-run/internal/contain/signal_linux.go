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

// softStop is SIGTERM going round a tree, once or more.
type softStop struct {
	members func() ([]proc.Info, error)
	still   func(proc.Info) bool
	began   uint64             // as a start time; 0 before the first round
	had     map[proc.Info]bool // who has had it
}

// begin notes when the stop began, and reports whether that is now.
func (s *softStop) begin() bool {
	if s.began > 0 {
		return false
	}
	s.began, s.had = proc.Now(), map[proc.Info]bool{}
	return true
}

// round sends SIGTERM to every member that has not had it, until a listing
// brings nothing new: members fork. What was started after the stop began is
// left alone, for it may be how a member cleans up. A stopped member is
// continued after SIGTERM, not before, or it would run on without knowing;
// one that may not be signalled is not continued either. It fails if no
// member could be signalled at all.
func (s *softStop) round() error {
	const listings = 8 // against a tree that forks faster than we list it
	var failed error
	delivered := false
	for range listings {
		ms, err := s.members()
		if err != nil {
			return err
		}
		fresh := false
		for _, m := range ms {
			if s.had[identity(m)] || m.Start > s.began {
				continue
			}
			s.had[identity(m)], fresh = true, true
			if err := s.stop(m); err != nil {
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

func (s *softStop) stop(m proc.Info) error {
	err := signalMember(m, unix.SIGTERM, s.still)
	if err == nil && m.Stopped {
		err = signalMember(m, unix.SIGCONT, s.still)
	}
	return err
}

// identity is what tells m from every other process, and nothing else.
func identity(m proc.Info) proc.Info { return proc.Info{PID: m.PID, Start: m.Start} }
