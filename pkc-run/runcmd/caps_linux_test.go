package runcmd_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"processkit-cli/fixtures/need"
)

// delegated is a cgroup that hands controllers to those below it. The test
// binary itself has to leave it first, once, for a leaf of its own.
var delegated = sync.OnceValues(func() (string, error) {
	base, err := testCgroup()
	if err != nil {
		return "", err
	}
	own := filepath.Join(base, "test")
	if err := os.Mkdir(own, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(own, "cgroup.procs"), []byte("0"), 0); err != nil {
		return "", errors.Join(err, os.Remove(own))
	}
	for _, c := range words(filepath.Join(base, "cgroup.controllers")) {
		// What this host does not hand out is missed by the test that needs it.
		_ = os.WriteFile(filepath.Join(base, "cgroup.subtree_control"), []byte("+"+c), 0)
	}
	return base, nil
})

var errHybrid = errors.New("the host has cgroup v1 controllers")

// testCgroup is our own cgroup, on hosts where v2 has the controllers.
func testCgroup() (string, error) {
	b, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	own, ok := strings.CutPrefix(string(b), "0::")
	if !ok {
		return "", errHybrid
	}
	return filepath.Join("/sys/fs/cgroup", strings.TrimSpace(own)), nil
}

func words(path string) []string {
	b, _ := os.ReadFile(path)
	return strings.Fields(string(b))
}

// place makes a cgroup for one runner, with the controllers that the test
// needs, and has the runner start in it. The runner is alone there, like the
// main process of a service with Delegate=yes.
func place(t *testing.T, controllers ...string) (prepare func(*invocation), dir string) {
	t.Helper()
	base, err := delegated()
	need.Fact(t, "caps", err == nil, errText(err))
	on := words(filepath.Join(base, "cgroup.subtree_control"))
	for _, c := range controllers {
		need.Fact(t, "caps", slices.Contains(on, c), "no "+c+" controller is delegated to "+base)
	}
	dir, err = os.MkdirTemp(base, "runner-")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Close()
		waitFor(t, "empty "+dir, func() bool { return os.Remove(dir) == nil })
	})
	return func(r *invocation) {
		r.cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(f.Fd())}
	}, dir
}

// givenBack expects a runner's cgroup as it was before the run.
func givenBack(t *testing.T, dir string) {
	t.Helper()
	if on := words(filepath.Join(dir, "cgroup.subtree_control")); len(on) > 0 {
		t.Errorf("controllers %v are still handed down in %s", on, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			t.Errorf("%s was left in %s", e.Name(), dir)
		}
	}
}

func TestMemoryCap(t *testing.T) {
	prepare, dir := place(t, "memory")
	_, s := do(t, 137, prepare, "--max-memory", "64m", "--", "child", "eat", "200")
	check(t, s.one(t, "root_exited"), "outcome", `"signalled"`, "signal", "9")
	check(t, s.one(t, "limit_evidence"), "memory", `"tripped"`, "processes", `"not_tripped"`, "cpu", `"not_tripped"`)
	// The kernel lets usage pass memory.max for a moment, by some pages of a
	// process that it is killing (cgroup-v2 documentation, memory.max).
	const ceiling, moment = 64 << 20, 256 << 10
	if peak := s.one(t, "resource_summary").Get("peak_memory_bytes").Uint(); peak < 48<<20 || peak > ceiling+moment {
		t.Errorf("peak_memory_bytes = %d, want about the cap of %d", peak, ceiling)
	}
	s.clean(t)
	givenBack(t, dir)
}

// The launcher of a detached run sits in the same cgroup until the run starts.
func TestDetachedCap(t *testing.T) {
	prepare, dir := place(t, "memory")
	r, id := detached(t, 0, prepare, "--max-memory", "64m", "--", "child", "eat", "200")
	s := r.finished()
	check(t, s.one(t, "limit_evidence"), "memory", `"tripped"`, "processes", `"not_tripped"`, "cpu", `"not_tripped"`)
	s.clean(t)
	waitFor(t, "end of the run", func() bool { return !registered(t, id) })
	givenBack(t, dir)
}

func TestProcessCap(t *testing.T) {
	prepare, dir := place(t, "pids")
	_, s := do(t, 2, prepare, "--max-processes", "8", "--",
		"sh", "-c", "i=0; while [ $i -lt 30 ]; do sleep 60 & i=$((i+1)); done")
	check(t, s.one(t, "limit_evidence"), "memory", `"not_tripped"`, "processes", `"tripped"`, "cpu", `"not_tripped"`)
	if peak := s.one(t, "resource_summary").Get("peak_process_count").Uint(); peak != 8 {
		t.Errorf("peak_process_count = %d, want 8", peak)
	}
	if before := s.one(t, "cleanup_started").Get("members_before").Int(); before != 7 {
		t.Errorf("members_before = %d, want the 7 that the shell left", before)
	}
	s.clean(t)
	givenBack(t, dir)
}

func TestCPUQuota(t *testing.T) {
	prepare, dir := place(t, "cpu")
	began := time.Now()
	_, s := do(t, 0, prepare, "--cpu-quota", "0.2", "--", "child", "spin", "2s")
	wall := time.Since(began)
	check(t, s.one(t, "limit_evidence"), "memory", `"not_tripped"`, "processes", `"not_tripped"`, "cpu", `"tripped"`)
	cpu := time.Duration(s.one(t, "resource_summary").Get("total_cpu_ms").Int()) * time.Millisecond
	if cpu > wall/2 {
		t.Errorf("used %v of CPU in %v, want about a fifth", cpu, wall)
	}
	givenBack(t, dir)
}

func TestCapsThatAreNotReached(t *testing.T) {
	prepare, dir := place(t, "memory", "pids")
	_, s := do(t, 0, prepare, "--max-memory", "512m", "--max-processes", "100", "--", "child", "eat", "16")
	check(t, s.one(t, "limit_evidence"), "memory", `"not_tripped"`, "processes", `"not_tripped"`, "cpu", `"not_tripped"`)
	check(t, s.one(t, "run_started"), "mechanism", `"cgroup_v2"`)
	s.clean(t)
	givenBack(t, dir)
}

// At the real root the runner stays where it is: the root may hold processes.
func TestCapAtTheRealRoot(t *testing.T) {
	const root = "/sys/fs/cgroup"
	base, err := delegated()
	need.Fact(t, "caps", err == nil, errText(err))
	_, err = os.Stat(filepath.Join(root, "cgroup.type"))
	need.Fact(t, "the root cgroup", filepath.Clean(base) == root && errors.Is(err, os.ErrNotExist), "our own cgroup is "+base)
	f, err := os.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, s := do(t, 137, func(r *invocation) {
		r.cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(f.Fd())}
	}, "--max-memory", "64m", "--", "child", "eat", "200")
	check(t, s.one(t, "limit_evidence"), "memory", `"tripped"`)
	s.clean(t)
}

// A cap covers the tree: what each process uses alone is below it.
func TestCapIsOfTheWholeTree(t *testing.T) {
	prepare, _ := place(t, "memory")
	_, s := do(t, 106, prepare, "--max-memory", "64m", "--timeout", "4s", "--", "child", "spawn", "3", "eat", "--hold", "30")
	check(t, s.one(t, "limit_evidence"), "memory", `"tripped"`)
	s.clean(t)
}

// A runner that shares its cgroup cannot hand out controllers, and says so.
func TestCapsInSharedCgroup(t *testing.T) {
	prepare, dir := place(t, "memory")
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	other := exec.Command("sleep", "60")
	other.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(f.Fd())}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	r, s := do(t, 102, prepare, "--max-memory", "64m", "--", "child", "exit", "0")
	check(t, s.one(t, "limit_hit"), "limit", `"memory"`)
	if !strings.Contains(r.err.String(), "holds other processes") {
		t.Errorf("stderr = %q", r.err.String())
	}
	givenBack(t, dir)
}

// Where caps cannot be had, nothing is started without them.
func TestCapsRefused(t *testing.T) {
	flags := [][2]string{{"memory", "--max-memory=64m"}, {"processes", "--max-processes=8"}, {"cpu", "--cpu-quota=0.5"}}
	if _, err := testCgroup(); err == nil {
		_, err := delegated()
		need.Fact(t, "no caps", err != nil, "this host can enforce caps")
	}
	for _, f := range flags {
		r := start(t, nil, f[1], "--", "child", "pidfile", "started", "exit", "0")
		if got := r.wait(); got != 102 {
			t.Fatalf("%s = %d, want 102; stderr: %s", f[1], got, r.err.String())
		}
		s := r.stream()
		if got := fmt.Sprint(s.names()); got != "[limit_hit container_failed runner_exit]" {
			t.Errorf("%s: events = %s", f[1], got)
		}
		check(t, s.one(t, "limit_hit"), "limit", `"`+f[0]+`"`)
		check(t, s.one(t, "container_failed"), "phase", `"create"`, "code", "102")
		check(t, s.one(t, "runner_exit"), "code", "102", "source", `"container_error"`, "child_code", "null")
		if _, err := os.Stat(r.path("started")); err == nil {
			t.Errorf("%s: the program was started", f[1])
		}
	}
}

// The controllers that a flavour lacks are refused by name, the others work.
func TestCapOfMissingController(t *testing.T) {
	base, err := delegated()
	need.Fact(t, "caps", err == nil, errText(err))
	have := words(filepath.Join(base, "cgroup.controllers"))
	need.Fact(t, "no cpu controller", !slices.Contains(have, "cpu"), "this cgroup has one")
	prepare, dir := place(t, "memory")
	_, s := do(t, 102, prepare, "--max-memory", "64m", "--cpu-quota", "0.5", "--", "child", "exit", "0")
	check(t, s.one(t, "limit_hit"), "limit", `"cpu"`)
	givenBack(t, dir)
}
