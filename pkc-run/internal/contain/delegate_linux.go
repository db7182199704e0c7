package contain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// delegation is a cgroup that hands controllers down to our leaf.
//
// Below the real root, a cgroup that holds processes cannot hand out the
// memory controller, and handing out the others would turn it threaded. So
// the runner first moves itself into a sibling of the leaf. Runs that share
// the base hold a shared lock on it; the last one out turns the controllers
// off again, moves back, and removes what all of them left.
type delegation struct {
	base   string
	dir    int // of base, locked
	moved  string
	handed []string
}

// selfPrefix starts the name of the sibling that a runner moves itself into.
const selfPrefix = leafPrefix + "self-"

var errShared = errors.New("it holds other processes too; start the runner alone in a delegated cgroup, " +
	"for example by systemd-run --user --scope -p Delegate=yes")

func delegate(base string, l Limits) (_ *delegation, err error) {
	d := &delegation{base: base, dir: -1}
	defer func() {
		if err != nil {
			_ = d.undo()
		}
	}()
	if d.dir, err = unix.Open(base, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return nil, &os.PathError{Op: "open", Path: base, Err: err}
	}
	have, err := d.fields("cgroup.controllers")
	if err != nil {
		return nil, err
	}
	handed, err := d.fields("cgroup.subtree_control")
	if err != nil {
		return nil, err
	}
	var missing []axis
	for _, a := range l.controllers() {
		if !slices.Contains(have, a.controller) {
			return nil, &LimitError{a.limit, fmt.Errorf("cgroup %s has no %s controller", base, a.controller)}
		}
		if !slices.Contains(handed, a.controller) {
			missing = append(missing, a)
		}
	}
	if len(missing) == 0 {
		return d, nil
	}
	for _, a := range missing {
		if err := d.handDown(a); err != nil {
			return nil, &LimitError{a.limit, err}
		}
	}
	return d, nil
}

func (d *delegation) fields(name string) ([]string, error) {
	s, err := readAt(d.dir, name)
	return strings.Fields(s), err
}

// isRoot: only the root of the hierarchy has no cgroup.type, and only it may
// hold processes and hand out controllers at once.
func (d *delegation) isRoot() bool {
	err := unix.Faccessat(d.dir, "cgroup.type", unix.F_OK, 0)
	return err == unix.ENOENT
}

func (d *delegation) handDown(a axis) error {
	if !d.isRoot() && d.moved == "" {
		if err := d.moveAside(); err != nil {
			return err
		}
	}
	err := writeAt(d.dir, "cgroup.subtree_control", "+"+a.controller)
	if errors.Is(err, unix.EBUSY) {
		return fmt.Errorf("cgroup %s cannot hand out the %s controller: %w", d.base, a.controller, errShared)
	}
	if err != nil {
		return fmt.Errorf("cgroup %s: %w", d.base, err)
	}
	d.handed = append(d.handed, a.controller)
	return nil
}

func (d *delegation) moveAside() error {
	if err := flock(d.dir, unix.LOCK_SH); err != nil {
		return os.NewSyscallError("flock", err)
	}
	path := filepath.Join(d.base, selfPrefix+token())
	if err := unix.Mkdir(path, 0o755); err != nil {
		return &os.PathError{Op: "mkdir", Path: path, Err: err}
	}
	d.moved = path
	if err := writeAt(unix.AT_FDCWD, filepath.Join(path, "cgroup.procs"), "0"); err != nil {
		return fmt.Errorf("cannot leave cgroup %s: %w", d.base, err)
	}
	// The rest of the cgroup must be empty too, or the controllers that are
	// not domain-bound (pids, cpu) would turn it threaded instead of failing.
	others, err := d.fields("cgroup.procs")
	if err != nil {
		return err
	}
	if len(others) > 0 {
		return fmt.Errorf("cgroup %s cannot hand out controllers: %w", d.base, errShared)
	}
	return nil
}

// undo gives the base back as it was found, unless other runs still need it.
// The controllers of the real root are left on: they are everybody's.
func (d *delegation) undo() error {
	if d.dir < 0 {
		return nil
	}
	defer func() {
		unix.Close(d.dir)
		d.dir = -1
	}()
	if d.moved == "" || flock(d.dir, unix.LOCK_EX|unix.LOCK_NB) != nil {
		return nil
	}
	subs, err := subgroups(d.dir, ".")
	if err != nil {
		return err
	}
	for _, s := range subs {
		if !strings.HasPrefix(s, selfPrefix) {
			return nil // somebody else works below the base
		}
	}
	handed, err := d.fields("cgroup.subtree_control")
	if err != nil {
		return err
	}
	for _, c := range handed {
		if err := writeAt(d.dir, "cgroup.subtree_control", "-"+c); err != nil {
			return err
		}
	}
	if err := writeAt(d.dir, "cgroup.procs", "0"); err != nil {
		return err
	}
	for _, s := range subs {
		_ = unix.Rmdir(filepath.Join(d.base, s)) // stays while its runner lives
	}
	return nil
}

func flock(fd, how int) error {
	for {
		if err := unix.Flock(fd, how); err != unix.EINTR {
			return err
		}
	}
}
