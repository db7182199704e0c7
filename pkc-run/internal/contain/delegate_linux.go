package contain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/registry"
)

// delegation is what was done to a cgroup so that it hands controllers down
// to our leaf.
//
// Below the real root, a cgroup that holds processes cannot hand out the
// memory controller, and handing out the others would turn it threaded
// (cgroups(7)). So the runner first moves itself into a sibling of the leaf,
// and the cgroup must then be empty: nobody else shares it with us.
type delegation struct {
	base string
	self string // the sibling that the runner moves itself into
	// launcher is moved too, if it is in base; 0 for none.
	launcher int

	dir    int // of base
	moved  bool
	handed []string
}

var errShared = errors.New("it holds other processes too; start the runner alone in a delegated cgroup, " +
	"for example by systemd-run --user --scope -p Delegate=yes")

// delegate makes base hand down the controllers that l needs. On failure base
// is as it was.
func delegate(base, token string, launcher int, l Limits) (_ *delegation, err error) {
	d := &delegation{base: base, self: filepath.Join(base, registry.SelfPrefix+token), launcher: launcher, dir: -1}
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
	on, err := d.fields("cgroup.subtree_control")
	if err != nil {
		return nil, err
	}
	// Refuse what cannot be had before anything is changed.
	for _, a := range l.axes() {
		if !slices.Contains(have, a.controller) {
			return nil, &LimitError{a.limit, fmt.Errorf("cgroup %s has no %s controller", base, a.controller)}
		}
	}
	for _, a := range l.axes() {
		if slices.Contains(on, a.controller) {
			continue
		}
		if err := d.handDown(a.controller); err != nil {
			return nil, &LimitError{a.limit, err}
		}
	}
	return d, nil
}

func (d *delegation) fields(name string) ([]string, error) {
	s, err := readAt(d.dir, name)
	return strings.Fields(s), err
}

func (d *delegation) handDown(controller string) error {
	if !d.moved && !d.isRoot() {
		if err := d.moveAside(); err != nil {
			return err
		}
	}
	err := d.control("+" + controller)
	if errors.Is(err, unix.EBUSY) {
		return fmt.Errorf("cgroup %s cannot hand out the %s controller: %w", d.base, controller, errShared)
	}
	if err != nil {
		return fmt.Errorf("cgroup %s: %w", d.base, err)
	}
	d.handed = append(d.handed, controller)
	return nil
}

// isRoot: only the root of the hierarchy has no cgroup.type, and only it may
// hold processes and hand out controllers at once.
func (d *delegation) isRoot() bool {
	return unix.Faccessat(d.dir, "cgroup.type", unix.F_OK, 0) == unix.ENOENT
}

func (d *delegation) control(change string) error {
	return writeAt(d.dir, "cgroup.subtree_control", change)
}

func (d *delegation) moveAside() error {
	if err := unix.Mkdir(d.self, 0o755); err != nil {
		return &os.PathError{Op: "mkdir", Path: d.self, Err: err}
	}
	d.moved = true
	procs := filepath.Join(d.self, "cgroup.procs")
	// "0" stands for whoever writes it.
	if err := writeAt(unix.AT_FDCWD, procs, "0"); err != nil {
		return fmt.Errorf("cannot leave cgroup %s: %w", d.base, err)
	}
	others, err := d.fields("cgroup.procs")
	if err != nil {
		return err
	}
	// A pid of 0 is a process that we cannot see, not no launcher.
	if pid := strconv.Itoa(d.launcher); d.launcher > 0 && slices.Equal(others, []string{pid}) {
		if err := writeAt(unix.AT_FDCWD, procs, pid); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("cannot move the launcher out of cgroup %s: %w", d.base, err)
		}
		others = nil
	}
	if len(others) > 0 {
		return fmt.Errorf("cgroup %s cannot hand out controllers: %w", d.base, errShared)
	}
	return nil
}

// undo gives base back as it was found. The controllers of the real root are
// left on: by now others may count on them.
func (d *delegation) undo() error {
	if d.dir < 0 {
		return nil
	}
	defer func() {
		unix.Close(d.dir)
		d.dir = -1
	}()
	if !d.moved {
		return nil
	}
	for _, c := range d.handed {
		if err := d.control("-" + c); err != nil {
			return fmt.Errorf("cgroup %s: %w", d.base, err)
		}
	}
	if err := writeAt(d.dir, "cgroup.procs", "0"); err != nil {
		return fmt.Errorf("cannot return to cgroup %s: %w", d.base, err)
	}
	return removeTree(d.self)
}
