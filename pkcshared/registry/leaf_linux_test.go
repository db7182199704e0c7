package registry

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/fixtures/need"
)

// cgroupRoot returns a cgroup2 directory in which the test may make leaves.
func cgroupRoot(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var fs unix.Statfs_t
		if unix.Statfs(dir, &fs) != nil || fs.Type != unix.CGROUP2_SUPER_MAGIC {
			continue
		}
		if unix.Access(dir, unix.W_OK) == nil {
			return dir
		}
	}
	need.Fact(t, "cgroup_v2", false, "no writable hierarchy of it")
	return ""
}

// newLeaf makes a cgroup in parent and removes it, if it is still there.
func newLeaf(t *testing.T, parent, name string) string {
	t.Helper()
	dir := filepath.Join(parent, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Rmdir(dir) })
	return dir
}

func own() string {
	return fmt.Sprintf("pkc-test-%d-%d", os.Getpid(), time.Now().UnixNano())
}

// inhabit starts a process in a cgroup; the result ends and reaps it.
func inhabit(t *testing.T, leaf string) (leave func()) {
	t.Helper()
	d, err := os.Open(leaf)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), role+"=linger")
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(d.Fd())}
	if _, err := cmd.StdinPipe(); err != nil { // kept open: it lingers
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	leave = sync.OnceFunc(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	t.Cleanup(leave)
	return leave
}

func TestPruneLeaf(t *testing.T) {
	dir, leaf := t.TempDir(), newLeaf(t, cgroupRoot(t), own())
	newLeaf(t, newLeaf(t, leaf, "below"), "deeper")
	newLeaf(t, leaf, "pkc-beside")
	plant(t, dir, "a", record("a", "a", `"cgroup":`+strconv.Quote(leaf)+`,`), true)
	if _, err := Prune(dir, PruneOptions{DryRun: true}); err != nil || absent(leaf) {
		t.Errorf("dry run removed the leaf, or %v", err)
	}
	got, err := Prune(dir, PruneOptions{})
	if got.Entries != 1 || len(got.Busy) != 0 || err != nil || !absent(leaf) {
		t.Errorf("Prune = %+v, %v, leaf gone: %v, want the entry and its leaf gone", got, err, absent(leaf))
	}
}

func TestPruneBusyLeaf(t *testing.T) {
	leaf := newLeaf(t, cgroupRoot(t), own())
	below := newLeaf(t, leaf, "below")
	empty := newLeaf(t, leaf, "empty")
	leave := inhabit(t, below)
	if !removeLeaf(leaf, time.Now()) || absent(below) || absent(empty) {
		t.Error("removeLeaf(populated) = false, or something is gone; want it reported and left")
	}
	// A run that was killed just now: its members are still going.
	soon(t, leave)
	if removeLeaf(leaf, time.Now().Add(patience)) || !absent(leaf) {
		t.Error("removeLeaf(emptying) = true, want it to wait and remove")
	}
}

// TestPruneForeignLeaf: what has not the shape of a leaf of ours, or is not in
// a cgroup file system, stays.
func TestPruneForeignLeaf(t *testing.T) {
	temp := t.TempDir()
	plain := newLeaf(t, temp, "pkc-plain") // an ordinary directory
	root, name := cgroupRoot(t), own()
	leaf := newLeaf(t, root, name)
	below := newLeaf(t, leaf, "below")
	foreign := newLeaf(t, root, strings.Replace(name, "pkc-", "abc-", 1))
	link := filepath.Join(temp, "pkc-link")
	symlink(t, leaf, link)
	locators := []string{
		plain, foreign, link, root, root + "//" + name, root + "/x/../" + name, root + "/./" + name, leaf + "/",
		name, "", "/",
	}
	for _, l := range locators {
		if removeLeaf(l, time.Now()) {
			t.Errorf("removeLeaf(%q) = true, want it let be", l)
		}
	}
	for _, dir := range []string{plain, foreign, leaf, below} {
		if absent(dir) {
			t.Errorf("%s is gone", dir)
		}
	}
}
