package prunecmd_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/fixtures/need"
	"processkit-cli/pkcshared/registry"
)

// newLeaf makes a cgroup that looks like the one of a run.
func newLeaf(t *testing.T) string {
	t.Helper()
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var fs unix.Statfs_t
		if unix.Statfs(root, &fs) != nil || fs.Type != unix.CGROUP2_SUPER_MAGIC || unix.Access(root, unix.W_OK) != nil {
			continue
		}
		leaf := filepath.Join(root, fmt.Sprintf("pkc-test-%d-%d", os.Getpid(), time.Now().UnixNano()))
		if err := os.Mkdir(leaf, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Rmdir(leaf) })
		return leaf
	}
	need.Fact(t, "cgroup_v2", false, "no writable hierarchy of it")
	return ""
}

// TestPopulatedLeaf: processes that outlived their runner are not touched, and
// prune says where they are.
func TestPopulatedLeaf(t *testing.T) {
	leaf, dir := newLeaf(t), t.TempDir()
	d, err := os.Open(leaf)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	survivor := exec.Command("sleep", "60")
	survivor.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(d.Fd())}
	if err := survivor.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		survivor.Process.Kill()
		survivor.Wait()
	})
	record := fmt.Sprintf(`{"registry_version":1,"run_id":"a","endpoint":null,"started_at":%q,"cgroup":%q,`+
		`"liveness":{"kind":"advisory_lock","lock_file":"a.lock"}}`, stamp, leaf)
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pkc-prune")
	cmd.Env = append(os.Environ(), registry.DirEnv+"="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if want := "pruned 1, live 0, unprobed 0, orphaned locks 0\n"; string(out) != want || err != nil {
		t.Errorf("prune = %q, %v, want %q", out, err, want)
	}
	if want := "pkc-prune: warning: cgroup \"" + leaf + "\" still holds processes"; !strings.HasPrefix(stderr.String(), want) {
		t.Errorf("prune warns %q, want %q...", stderr.String(), want)
	}
	if err := survivor.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the process in the leaf: %v, want it alive", err)
	}
}
