package registry

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// removeLeaf removes the cgroup of a dead run, with the empty cgroups below
// it. It kills nothing: a leaf that still holds processes at the given time
// stays, and that is reported. Whatever else the locator names is let be.
func removeLeaf(locator string, until time.Time) (busy bool) {
	if !isPlain(locator) || !isOwnName(path.Base(locator)) {
		return false
	}
	parent, err := openDir(unix.AT_FDCWD, path.Dir(locator), 0)
	if err != nil {
		return false
	}
	defer unix.Close(parent)
	fd, err := openDir(parent, path.Base(locator), unix.O_NOFOLLOW)
	if err != nil {
		return false
	}
	leaf := os.NewFile(uintptr(fd), locator)
	defer leaf.Close()
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil || fs.Type != unix.CGROUP2_SUPER_MAGIC {
		return false
	}
	if populated(fd, until) {
		return true
	}
	removeChildren(leaf)
	err = unix.Unlinkat(parent, path.Base(locator), unix.AT_REMOVEDIR)
	removeSelf(parent, path.Base(locator))
	return errors.Is(err, unix.EBUSY)
}

// removeSelf removes the sibling that a runner with caps had moved itself
// into, and stops handing down the controllers that were on for its leaf:
// until then the parent takes no processes.
func removeSelf(parent int, leaf string) {
	self := SelfPrefix + strings.TrimPrefix(leaf, ownPrefix)
	if unix.Unlinkat(parent, self, unix.AT_REMOVEDIR) != nil {
		return
	}
	var st unix.Stat_t
	if unix.Fstat(parent, &st) != nil || st.Nlink > 2 {
		return // others live below it
	}
	fd, err := unix.Openat(parent, "cgroup.subtree_control", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	control := os.NewFile(uintptr(fd), "cgroup.subtree_control")
	defer control.Close()
	on, _ := io.ReadAll(control)
	for _, controller := range strings.Fields(string(on)) {
		_, _ = control.WriteString("-" + controller)
	}
}

// removeChildren removes what is empty below dir, depth first.
func removeChildren(dir *os.File) {
	children, _ := dir.ReadDir(-1)
	for _, c := range children {
		if !c.IsDir() {
			continue // the files of a cgroup go with it
		}
		fd, err := openDir(int(dir.Fd()), c.Name(), unix.O_NOFOLLOW)
		if err != nil {
			continue
		}
		child := os.NewFile(uintptr(fd), c.Name())
		removeChildren(child)
		child.Close()
		unix.Unlinkat(int(dir.Fd()), c.Name(), unix.AT_REMOVEDIR)
	}
}

// populated reports whether the cgroup or one below it holds processes,
// waiting until then for that to change: cgroup.events signals it by POLLPRI.
func populated(cgroup int, until time.Time) bool {
	fd, err := unix.Openat(cgroup, "cgroup.events", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false // rmdir decides
	}
	defer unix.Close(fd)
	for {
		var buf [256]byte
		n, err := unix.Pread(fd, buf[:], 0)
		if err != nil || !bytes.Contains(buf[:n], []byte("populated 1")) {
			return false
		}
		left := time.Until(until)
		if left <= 0 {
			return true
		}
		unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLPRI}}, int(left.Milliseconds())+1)
	}
}
