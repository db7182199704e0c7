package contain

import (
	"math"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/proc"
)

// signalMember sends sig to m through a pidfd. Holding one does not reserve
// the number, so once the pidfd is open it is checked that the number still
// names m: then m is the one behind the pidfd, or dead by now, and the signal
// goes nowhere.
func signalMember(m proc.Info, sig unix.Signal) error {
	fd, err := unix.PidfdOpen(m.PID, 0)
	if err == unix.ENOSYS || err == unix.EPERM {
		// Before Linux 5.3, or filtered: the number is all there is.
		if sameProcess(m) {
			return dead(unix.Kill(m.PID, sig))
		}
		return nil
	}
	if err != nil {
		return dead(err)
	}
	defer unix.Close(fd)
	if !sameProcess(m) {
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
	began   uint64 // as a start time
	newest  int    // the pid that was given out last when all of the first listing had had it
	had     map[int]request
}

// request is a SIGTERM that was sent to a pid.
type request struct {
	start  uint64 // of the process
	newest int    // the pid that was given out last before
}

// begin notes when the stop began, and reports whether that is now.
func (s *softStop) begin() bool {
	if s.had != nil {
		return false
	}
	s.began, s.newest, s.had = proc.Now(), math.MaxInt, map[int]request{}
	return true
}

func (s *softStop) has(m proc.Info) bool {
	r, ok := s.had[m.PID]
	return ok && r.start == m.Start
}

// later reports whether m was started after its parent had had SIGTERM; where
// it has lost that parent, after all had. Start times do not tell: in their
// unit of 10 ms a shell starts its trap. Pids are given out in order.
func (s *softStop) later(m proc.Info) bool {
	newest := s.newest
	if r, ok := s.had[m.PPID]; ok {
		newest = r.newest
	}
	return m.Start >= s.began && m.PID > newest
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
			if s.has(m) || s.later(m) {
				continue
			}
			s.had[m.PID], fresh = request{m.Start, proc.Newest()}, true
			if err := s.stop(m); err != nil {
				failed = err
			} else {
				delivered = true
			}
		}
		s.newest = min(s.newest, proc.Newest())
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
	err := signalMember(m, unix.SIGTERM)
	if err == nil && m.Stopped {
		err = signalMember(m, unix.SIGCONT)
	}
	return err
}
