package contain

import (
	"errors"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/proc"
)

// processGroup contains a tree without a cgroup. The runner is a subreaper,
// so whatever leaves the group by setsid or a double fork still descends from
// the runner, is a member, and ends with the rest.
type processGroup struct {
	self   int
	child  *Child
	reaper *reaper
	// shared is set where not everything below us is of this run, for we had
	// children when we were executed. Then only what is known to come from the
	// root child is a member, and an escapee that no listing has seen before
	// its parent ended is not known. PID 1 also inherits from processes that
	// were put into its namespace from outside; they end with it in any case.
	shared bool
	known  map[int]uint64 // members seen so far, pid to start time
	stop   softStop
	// blind is why we cannot see whom we contain, or nil. Then the group is
	// all that signals reach.
	blind error
}

func newProcessGroup() (Group, error) { return &processGroup{}, nil }

// newDescendants watches what descends from us from now on.
func newDescendants() (*processGroup, error) {
	g := &processGroup{self: os.Getpid(), known: map[int]uint64{}, blind: proc.Numbers()}
	_, _, err := waitid(unix.P_ALL, 0, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL)
	g.shared = err != unix.ECHILD
	return g, becomeSubreaper()
}

func (g *processGroup) Mechanism() string { return ProcessGroup }

func (g *processGroup) Spawn(c Command) (*Child, error) {
	d, err := newDescendants()
	if err != nil {
		return nil, err
	}
	*g = *d
	g.reaper, g.child, err = startReaper(c, -1, g.shared)
	return g.child, err
}

func becomeSubreaper() error {
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
}

func (g *processGroup) Members() ([]proc.Info, error) {
	if g.empty() {
		return nil, nil
	}
	if g.blind != nil {
		return nil, g.blind
	}
	members, ok := g.walk()
	if !ok {
		var err error
		if members, err = g.scan(); err != nil {
			return nil, err
		}
	}
	if g.shared {
		for _, m := range members {
			g.known[m.PID] = m.Start
		}
	}
	slices.SortFunc(members, byPID)
	return members, nil
}

func byPID(a, b proc.Info) int { return a.PID - b.PID }

// walk follows the kernel's lists of children, which costs by the size of the
// tree and not of the host. It is good for small trees that hold still: two
// walks must agree. Otherwise the whole of /proc is scanned.
func (g *processGroup) walk() ([]proc.Info, bool) {
	const most = 16
	var last []proc.Info
	for range 3 {
		members, ok := g.walkOnce(most)
		if !ok {
			return nil, false
		}
		if last != nil && slices.EqualFunc(last, members, proc.Info.Same) {
			return members, true
		}
		last = members
	}
	return nil, false
}

func (g *processGroup) walkOnce(most int) ([]proc.Info, bool) {
	members := []proc.Info{}
	for i, of := 0, g.self; ; i++ {
		pids, err := g.childrenOf(of)
		if err != nil && err != proc.ErrGone || len(members)+len(pids) > most {
			return nil, false
		}
		for _, pid := range pids {
			p, err := proc.Read(pid)
			if err == nil && !p.Dead && (of != g.self || g.ours(p)) {
				members = append(members, p)
			}
		}
		if i == len(members) {
			return members, true
		}
		of = members[i].PID
	}
}

// childrenOf asks two of our own threads: the one that forked the root child,
// and the main one, as orphans come to the first thread that lives, and Go
// never ends that.
func (g *processGroup) childrenOf(pid int) ([]int, error) {
	switch {
	case pid != g.self:
		return proc.Children(pid)
	case g.reaper.thread == g.self: // the same one
		return proc.Children(pid, g.self)
	}
	return proc.Children(pid, g.self, g.reaper.thread)
}

func (g *processGroup) scan() ([]proc.Info, error) {
	all, err := proc.All()
	if err != nil {
		return nil, err
	}
	children := make(map[int][]proc.Info, len(all))
	for _, p := range all {
		if !p.Dead {
			children[p.PPID] = append(children[p.PPID], p)
		}
	}
	var members []proc.Info
	for _, p := range children[g.self] {
		if g.ours(p) {
			members = append(members, p)
		}
	}
	for i := 0; i < len(members); i++ {
		members = append(members, children[members[i].PID]...)
	}
	return members, nil
}

// ours judges a direct child of the runner.
func (g *processGroup) ours(p proc.Info) bool {
	if !g.shared {
		return true
	}
	start, known := g.known[p.PID]
	root := g.child.PID
	return p.PID == root && !g.rootGone() || p.PGID == root || p.Session == root || known && start == p.Start
}

// empty is certain where everything below us is of this run: with no child
// left to wait for, nothing can descend from us.
func (g *processGroup) empty() bool {
	g.reaper.mu.Lock()
	defer g.reaper.mu.Unlock()
	return g.reaper.childless
}

// gone asks for more than one empty listing. /proc is not read in an instant:
// a process whose parent ends meanwhile can be missing from it.
func (g *processGroup) gone() bool {
	if !g.shared {
		return g.empty()
	}
	if g.blind != nil {
		return g.rootGone() && unix.Kill(-g.child.PID, 0) == unix.ESRCH
	}
	for range 2 {
		if ms, err := g.Members(); err != nil || len(ms) > 0 {
			return false
		}
	}
	return true
}

func (g *processGroup) rootGone() bool {
	g.reaper.mu.Lock()
	defer g.reaper.mu.Unlock()
	return g.reaper.rootGone
}

func (g *processGroup) SoftStop() error {
	defer g.reaper.release()
	if g.stop.begin() {
		g.stop.members = g.Members
		if err := g.terminateGroup(); err != nil {
			return err
		}
	}
	if g.blind != nil {
		return nil
	}
	return g.stop.round()
}

// terminateGroup reaches the whole group with one killpg, also while it is
// forking. The root child is not reaped yet, so the number is ours.
func (g *processGroup) terminateGroup() error {
	members, err := g.Members()
	if err != nil && g.blind == nil {
		return err
	}
	newest := proc.Newest()
	if err := dead(unix.Kill(-g.child.PID, unix.SIGTERM)); err != nil {
		return err
	}
	for _, m := range members {
		if m.PGID != g.child.PID {
			continue
		}
		g.stop.had[m.PID] = request{m.Start, newest}
		if m.Stopped {
			_ = signalMember(m, unix.SIGCONT)
		}
	}
	return nil
}

// WaitEmpty is woken by reaping: whichever member dies last, we inherit it
// and reap it.
func (g *processGroup) WaitEmpty(d time.Duration) bool {
	g.reaper.release()
	deadline := time.NewTimer(d)
	defer deadline.Stop()
	for !g.gone() {
		select {
		case <-g.reaper.reaped:
			if g.shared {
				// A dying tree is reaped in bursts; list once a burst.
				time.Sleep(time.Millisecond)
			}
		case <-deadline.C:
			return g.gone()
		}
	}
	return true
}

func (g *processGroup) Kill(d time.Duration) error {
	var failed error
	g.reaper.mu.Lock()
	if !g.reaper.rootGone {
		failed = dead(unix.Kill(-g.child.PID, unix.SIGKILL))
	}
	g.reaper.mu.Unlock()
	// Most trees never leave the group and are gone before /proc is read: a
	// large one is given a while to be reaped in.
	const moment, while = 2 * time.Millisecond, 50 * time.Millisecond
	began, pause, reaped := time.Now(), moment, 0
	for deadline := began.Add(d); !g.WaitEmpty(pause); pause = 20 * time.Millisecond {
		if n := g.reaper.count(); n > reaped && time.Since(began) < while {
			reaped = n
			continue
		}
		members, err := g.Members()
		if err != nil {
			const patience = time.Second // for the group to die
			if g.WaitEmpty(min(patience, time.Until(deadline))) {
				return nil
			}
			return errors.Join(err, failed)
		}
		if time.Now().After(deadline) {
			return errors.Join(errSurvivors, failed)
		}
		for _, m := range members {
			if err := signalMember(m, unix.SIGKILL); err != nil {
				failed = err
			}
		}
	}
	return nil
}

func (g *processGroup) Usage(living []proc.Info) Usage {
	var u Usage
	g.reaper.fill(&u, living)
	return u
}

func (g *processGroup) Evidence() Evidence {
	return Evidence{event.NotTripped, event.NotTripped, event.NotTripped}
}

func (g *processGroup) Close() error { return nil }
