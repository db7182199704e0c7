package contain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/containerd/cgroups/v3"
	"golang.org/x/sys/unix"
)

var errNoCgroup = errors.New("no cgroup v2 hierarchy is mounted")

// ownCgroup finds the directory of the cgroup that this process is in: the
// path that /proc/self/cgroup tells, below the mount that shows it.
func ownCgroup() (string, error) {
	if m := cgroups.Mode(); m != cgroups.Unified && m != cgroups.Hybrid {
		return "", errNoCgroup
	}
	own, err := cgroupOf("self")
	if err != nil {
		return "", err
	}
	mounts, err := readAt(unix.AT_FDCWD, "/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	return resolveCgroup(mounts, own)
}

// cgroupOf reads the cgroup v2 path of a process, the line "0::PATH".
func cgroupOf(pid string) (string, error) {
	s, err := readAt(unix.AT_FDCWD, "/proc/"+pid+"/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(s) {
		if p, ok := strings.CutPrefix(line, "0::"); ok {
			return strings.TrimSuffix(p, "\n"), nil
		}
	}
	return "", errNoCgroup
}

// resolveCgroup maps a cgroup path to a directory. A mount may show only a
// part of the hierarchy: its fourth field is the path it starts at. A path
// with ".." is above our cgroup namespace and cannot be reached.
func resolveCgroup(mountinfo, own string) (string, error) {
	if own == "/.." || strings.HasPrefix(own, "/../") {
		return "", fmt.Errorf("cgroup %s is outside of the cgroup namespace", own)
	}
	for line := range strings.Lines(mountinfo) {
		before, after, ok := strings.Cut(line, " - ")
		if !ok || !strings.HasPrefix(after, "cgroup2 ") {
			continue
		}
		f := strings.Fields(before)
		if len(f) < 5 {
			continue
		}
		root, point := unescapeMount(f[3]), unescapeMount(f[4])
		rel, err := filepath.Rel(root, own)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return filepath.Join(point, rel), nil
		}
	}
	return "", errNoCgroup
}

// unescapeMount undoes the octal escapes of mountinfo, proc_pid_mountinfo(5).
func unescapeMount(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func readAt(dir int, name string) (string, error) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", &os.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(fd)
	var all []byte
	var buf [4096]byte
	for {
		n, err := unix.Read(fd, buf[:])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return "", &os.PathError{Op: "read", Path: name, Err: err}
		case n == 0:
			return string(all), nil
		}
		all = append(all, buf[:n]...)
	}
}

// writeAt writes a control file. Each value must go in one write(2).
func writeAt(dir int, name, value string) error {
	fd, err := unix.Openat(dir, name, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(fd)
	for {
		_, err := unix.Write(fd, []byte(value))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return &os.PathError{Op: "write", Path: name, Err: err}
		}
		return nil
	}
}

// removed says that a cgroup was removed, before or while we looked: then it
// was empty.
func removed(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV)
}

// pidsBelow lists the processes of a cgroup and of all below it.
func pidsBelow(dir int, rel string) ([]int, error) {
	text, err := readAt(dir, filepath.Join(rel, "cgroup.procs"))
	if errors.Is(err, unix.EOPNOTSUPP) {
		// A member made it threaded: its processes show in the domain above.
		text, err = "", nil
	}
	if removed(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, f := range strings.Fields(text) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			return nil, fmt.Errorf("cgroup.procs: %w", err)
		}
		if pid > 0 { // 0: in a pid namespace that we cannot see into
			pids = append(pids, pid)
		}
	}
	subs, err := subgroups(dir, rel)
	if err != nil && !removed(err) {
		return nil, err
	}
	for _, s := range subs {
		below, err := pidsBelow(dir, filepath.Join(rel, s))
		if err != nil {
			return nil, err
		}
		pids = append(pids, below...)
	}
	return pids, nil
}

// subgroups names the cgroups directly below. The link count of a cgroup
// directory is two more than their number, which spares reading most.
func subgroups(dir int, rel string) ([]string, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, rel, &st, 0); err != nil {
		return nil, &os.PathError{Op: "stat", Path: rel, Err: err}
	}
	if st.Nlink <= 2 {
		return nil, nil
	}
	fd, err := unix.Openat(dir, rel, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: rel, Err: err}
	}
	d := os.NewFile(uintptr(fd), rel)
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	var subs []string
	for _, e := range entries {
		if e.IsDir() {
			subs = append(subs, e.Name())
		}
	}
	return subs, nil
}

// removeTree removes a cgroup, the ones below it first. A cgroup whose last
// process has just died can answer EBUSY for a moment.
func removeTree(path string) error {
	const patience = time.Second
	deadline := time.Now().Add(patience)
	for {
		err := unix.Rmdir(path)
		if err == nil || err == unix.ENOENT {
			return nil
		}
		if subs, serr := subgroups(unix.AT_FDCWD, path); serr == nil {
			for _, s := range subs {
				if err := removeTree(filepath.Join(path, s)); err != nil {
					return err
				}
			}
		}
		if time.Now().After(deadline) {
			return &os.PathError{Op: "rmdir", Path: path, Err: err}
		}
		time.Sleep(time.Millisecond)
	}
}
