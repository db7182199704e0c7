//go:build unix

// Package group signals the process group of one leader, and no other group
// that may get its number later.
package group

import (
	"errors"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/proc"
)

// Grace is how long members may take to be gone after SIGKILL, and at each of
// the four points of a disposal.
const Grace = 2 * time.Second

var (
	// ErrEnded says that the leader has ended, or the whole group has.
	ErrEnded = errors.New("it has ended")

	// ErrStrangers says that nothing proves the number to be of this group
	// still.
	ErrStrangers = errors.New("all members of the group have changed at once: its number may have gone to another group")
)

// Group is the group that a process leads. While any of its members is left,
// zombies included, the kernel gives its number to nobody else.
type Group struct {
	leader proc.Info
	ref    ref

	// seen is the last listing. One of these in the next proves that the number
	// was not free in between.
	seen []proc.Info
}

// Open takes hold of the group that pid leads. What is read of pid between
// Open and a successful Led is of one and the same process.
func Open(pid int) (*Group, error) {
	r, err := openRef(pid)
	if err != nil {
		return nil, err
	}
	g := &Group{ref: r}
	if g.seen, err = list(pid); err == nil {
		i := slices.IndexFunc(g.seen, func(p proc.Info) bool { return p.PID == pid })
		if i >= 0 {
			g.leader = g.seen[i]
			return g, nil
		}
		err = ErrEnded
	}
	r.close()
	return nil, err
}

// Close lets go.
func (g *Group) Close() { g.ref.close() }

// Led fails unless the leader lives and leads.
func (g *Group) Led() error {
	now, err := list(g.leader.PID)
	if err != nil {
		return err
	}
	if g.ref.ended() || !slices.ContainsFunc(now, func(p proc.Info) bool { return p.Same(g.leader) && !p.Dead }) {
		return ErrEnded
	}
	return nil
}

// Members lists who lives in the group of that number, whoever it is.
func Members(id int) ([]proc.Info, error) {
	all, err := list(id)
	return living(all), err
}

func list(id int) ([]proc.Info, error) {
	all, err := proc.All()
	return slices.DeleteFunc(all, func(p proc.Info) bool { return p.PGID != id }), err
}

func living(all []proc.Info) []proc.Info {
	return slices.DeleteFunc(slices.Clone(all), func(p proc.Info) bool { return p.Dead })
}

// members lists who lives in this group.
func (g *Group) members() ([]proc.Info, error) {
	now, err := list(g.leader.PID)
	if err != nil {
		return nil, err
	}
	switch g.ref.group() {
	case gone:
		now = nil
	case unknown:
		known := func(p proc.Info) bool { return slices.ContainsFunc(g.seen, p.Same) }
		if len(now) > 0 && !slices.ContainsFunc(now, known) {
			return nil, ErrStrangers
		}
	}
	g.seen = now
	return living(now), nil
}

// signal reaches the whole group at once. ErrEnded means that nobody is left.
func (g *Group) signal(sig unix.Signal) error {
	err := g.ref.signal(sig)
	if err == errInexact {
		if _, err = g.members(); err == nil {
			err = unix.Kill(-g.leader.PID, sig)
		}
	}
	if err == unix.EPERM {
		// macOS says so of a group of zombies.
		if left, lerr := g.members(); lerr == nil && len(left) == 0 {
			err = unix.ESRCH
		}
	}
	if err == unix.ESRCH {
		return ErrEnded
	}
	return err
}

// Terminate sends SIGTERM. Members that a stop signal holds are continued
// after it, not before: they would run on without knowing.
func (g *Group) Terminate() error {
	if err := g.signal(unix.SIGTERM); err != nil {
		return err
	}
	left, err := g.members()
	if err == nil && slices.ContainsFunc(left, func(p proc.Info) bool { return p.Stopped }) {
		_ = g.signal(unix.SIGCONT)
	}
	return nil
}

// End gives a group that got SIGTERM as long as timeout, and then kills what
// is left. It returns who survived that.
func (g *Group) End(timeout time.Duration) ([]proc.Info, error) {
	left, err := g.await(timeout, everyone)
	if err == nil && len(left) == 0 || errors.Is(err, ErrStrangers) {
		return nil, err
	}
	return g.kill(func() ([]proc.Info, error) { return g.await(Grace, everyone) })
}

// Dispose ends a group whose leader is an unreaped child of ours: SIGTERM, then
// SIGKILL, each with a wait for the leader and one for the rest. It returns who
// survived.
func (g *Group) Dispose() ([]proc.Info, error) {
	wait := func() ([]proc.Info, error) {
		_, _ = g.await(Grace, g.leader.Same)
		return g.await(Grace, everyone)
	}
	if err := g.Terminate(); err == nil {
		if left, err := wait(); err == nil && len(left) == 0 {
			return nil, nil
		}
	}
	return g.kill(wait)
}

func (g *Group) kill(wait func() ([]proc.Info, error)) ([]proc.Info, error) {
	kerr := g.signal(unix.SIGKILL)
	if errors.Is(kerr, ErrStrangers) {
		return nil, kerr
	}
	left, err := wait()
	if len(left) > 0 && kerr != nil && kerr != ErrEnded {
		err = kerr
	}
	return left, err
}

func everyone(proc.Info) bool { return true }

// await waits until none of those lives, and returns the ones that still do.
func (g *Group) await(limit time.Duration, those func(proc.Info) bool) ([]proc.Info, error) {
	began := time.Now()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		left, err := g.members()
		left = slices.DeleteFunc(left, func(p proc.Info) bool { return !those(p) })
		over := limit - time.Since(began)
		if err == nil && len(left) == 0 || errors.Is(err, ErrStrangers) || over <= 0 {
			return left, err
		}
		time.Sleep(min(pause, over))
	}
}
