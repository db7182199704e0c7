package contain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/proc"
	"processkit-cli/pkcshared/registry"
)

// cgroup contains a tree in a leaf of its own below the runner's cgroup.
type cgroup struct {
	path   string // of the leaf
	dir    int    // descriptor of the leaf
	limits Limits
	caps   *delegation // what was set up to have controllers, or nil
	reaper *reaper
	stop   softStop
	// strays sees members that went to another cgroup, as systemd-run --scope
	// takes its program there: they still descend from us. nil before Spawn.
	strays *processGroup
}

// newCgroup makes the leaf and, with caps, enforces them on it. Any error
// means that nothing was left behind.
func newCgroup(l Limits, launcher int, before func(leaf string)) (_ Group, err error) {
	base, err := ownCgroup()
	if err != nil {
		return nil, err
	}
	if err := placeable(base); err != nil {
		return nil, err
	}
	name := token()
	path := filepath.Join(base, registry.LeafPrefix+name)
	before(path)
	g := &cgroup{limits: l, dir: -1}
	defer func() {
		if err != nil {
			_ = g.Close()
		}
	}()
	if l.Any() {
		if g.caps, err = delegate(base, name, launcher, l); err != nil {
			return nil, err
		}
	}
	if err := unix.Mkdir(path, 0o755); err != nil {
		return nil, &os.PathError{Op: "mkdir", Path: path, Err: err}
	}
	g.path = path
	if g.dir, err = unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	// A leaf below a threaded cgroup takes no processes, cgroups(7).
	if kind, err := g.read("cgroup.type"); err != nil || strings.TrimSpace(kind) != "domain" {
		return nil, fmt.Errorf("%s is not a domain cgroup", path)
	}
	if err := g.applyLimits(); err != nil {
		return nil, err
	}
	return g, nil
}

// token makes a name unique on this host: the pid tells runners apart, the
// time tells one runner from an earlier one with the same pid.
func token() string {
	return strconv.FormatInt(int64(os.Getpid()), 16) + "-" + strconv.FormatInt(time.Now().UnixNano(), 16)
}

// placeable checks what clone3 with CLONE_INTO_CGROUP needs beyond a leaf of
// ours: write access to the common ancestor, which is our own cgroup, and a
// kernel (5.7) and seccomp filter that let clone3 through. Knowing it now
// keeps a later failure to spawn from being taken for one of the program.
func placeable(base string) error {
	procs := filepath.Join(base, "cgroup.procs")
	if err := unix.Faccessat(unix.AT_FDCWD, procs, unix.W_OK, unix.AT_EACCESS); err != nil {
		return &os.PathError{Op: "access", Path: procs, Err: err}
	}
	// Without arguments it answers EINVAL where it exists, and starts nothing.
	if _, _, e := unix.RawSyscall(unix.SYS_CLONE3, 0, 0, 0); e != unix.EINVAL {
		return os.NewSyscallError("clone3", e)
	}
	return nil
}

func (g *cgroup) Mechanism() string { return CgroupV2 }

func (g *cgroup) Spawn(c Command) (*Child, error) {
	strays, err := newDescendants()
	if err != nil {
		return nil, err
	}
	r, child, err := startReaper(c, g.dir, strays.shared)
	if errors.Is(err, unix.ENODEV) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EBUSY) {
		// The leaf was removed or turned threaded behind our back, cgroups(7).
		return nil, fmt.Errorf("%w %s: %w", ErrAttach, g.path, err)
	}
	if err != nil && !errors.Is(err, ErrForeground) {
		return nil, err
	}
	strays.reaper, strays.child = r, child
	g.reaper, g.strays = r, strays
	return child, err
}

func (g *cgroup) read(name string) (string, error) { return readAt(g.dir, name) }

func (g *cgroup) write(name, value string) error { return writeAt(g.dir, name, value) }

// Members also looks into cgroups that members made below the leaf, and for
// strays that are our children, or have such a child for an ancestor. A stray
// becomes one of those when its last ancestor in the leaf ends.
func (g *cgroup) Members() ([]proc.Info, error) {
	pids, err := pidsBelow(g.dir, ".")
	if err != nil {
		return nil, err
	}
	if len(pids) > 0 && g.strays != nil && g.strays.blind != nil {
		return nil, g.strays.blind
	}
	slices.Sort(pids)
	members, err := g.outside(pids)
	if err != nil {
		return nil, err
	}
	for _, pid := range pids {
		i, err := proc.Read(pid)
		if errors.Is(err, proc.ErrGone) || err == nil && i.Dead {
			continue
		}
		if err != nil {
			return nil, err
		}
		members = append(members, i)
	}
	slices.SortFunc(members, byPID)
	return members, nil
}

// outside lists the strays, given who is inside. There are none where all our
// children are inside, but for the root child that has ended.
func (g *cgroup) outside(inside []int) ([]proc.Info, error) {
	isInside := func(pid int) bool {
		_, ok := slices.BinarySearch(inside, pid)
		return ok
	}
	if g.strays == nil || g.strays.empty() {
		return nil, nil
	}
	isStray := func(pid int) bool { return !isInside(pid) && !g.reaper.held(pid) }
	children, err := g.strays.childrenOf(g.strays.self)
	if err == nil && !slices.ContainsFunc(children, isStray) {
		return nil, nil
	}
	all, err := g.strays.Members()
	return slices.DeleteFunc(all, func(m proc.Info) bool { return isInside(m.PID) }), err
}

func (g *cgroup) SoftStop() error {
	if g.strays.blind != nil {
		return g.strays.SoftStop()
	}
	defer g.reaper.release()
	if g.stop.begin() {
		g.stop.members = g.Members
	}
	return g.stop.round()
}

func (g *cgroup) populated() bool {
	s, err := g.read("cgroup.events")
	return !removed(err) && (err != nil || lineValue(s, "populated") != 0)
}

func (g *cgroup) WaitEmpty(d time.Duration) bool {
	deadline := time.Now().Add(d)
	g.reaper.release()
	return g.waitLeaf(d) && g.strays.WaitEmpty(time.Until(deadline))
}

// waitLeaf sleeps until the kernel says that the leaf's population changed.
// The kernel holds back a second notification for 10 ms, so the first waits
// are short: most trees are gone by then.
func (g *cgroup) waitLeaf(d time.Duration) bool {
	if !g.populated() {
		return true
	}
	fd, err := unix.Openat(g.dir, "cgroup.events", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	deadline := time.Now().Add(d)
	for wait := time.Millisecond; ; wait = min(2*wait, time.Minute) {
		// Reading arms the next notification.
		var buf [128]byte
		n, err := unix.Pread(fd, buf[:], 0)
		if removed(err) || err == nil && lineValue(string(buf[:n]), "populated") == 0 {
			return true
		}
		if err != nil && err != unix.EINTR {
			return false
		}
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		ms := int(min(wait, left)/time.Millisecond) + 1
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLPRI}}, ms)
	}
}

func (g *cgroup) Kill(d time.Duration) error {
	deadline := time.Now().Add(d)
	g.reaper.release()
	var failed error
	if g.populated() {
		failed = g.write("cgroup.kill", "1")
		if errors.Is(failed, unix.ENOENT) {
			failed = g.killEach() // before Linux 5.14
		}
		// A member can have made the leaf threaded: then it takes no kill, but
		// its processes descend from us as any stray does.
		// Nor does the kernel's kill end a process whose first thread has ended
		// before the others, which the signals to each below do.
		if failed == nil {
			patience := d
			if g.strays.blind == nil {
				const most = 200 * time.Millisecond // for a thousand to die
				patience = min(d, most)
			}
			g.waitLeaf(patience)
		}
	}
	const least = 50 * time.Millisecond // strays are killed whatever the leaf does
	err := g.strays.Kill(max(time.Until(deadline), least))
	if err == nil && !g.waitLeaf(time.Until(deadline)) {
		err = errSurvivors
	}
	if err != nil {
		return errors.Join(err, failed)
	}
	return nil
}

// killEach freezes the tree so that it cannot fork away from the listing, and
// kills one by one; a frozen process of cgroup v2 dies by SIGKILL all the same.
func (g *cgroup) killEach() error {
	err := g.write("cgroup.freeze", "1")
	members, merr := g.Members()
	for _, m := range members {
		err = errors.Join(err, signalMember(m, unix.SIGKILL))
	}
	return errors.Join(err, merr, g.write("cgroup.freeze", "0"))
}

func (g *cgroup) Close() error {
	var err error
	if g.dir >= 0 {
		unix.Close(g.dir)
		g.dir = -1
	}
	if g.path != "" {
		err = removeTree(g.path)
	}
	if g.caps != nil {
		err = errors.Join(err, g.caps.undo())
	}
	return err
}
