package runcmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"
)

// gone expects that nothing of a finished run is left: no process that works
// in its directory, as all of its tree does, and no cgroup directory of its
// runner.
func (r *invocation) gone() {
	r.t.Helper()
	if pids := working(r.dir); len(pids) > 0 {
		r.t.Errorf("alive after the run: %v", pids)
	}
	if dirs := leaves(r.t, r.cmd.Process.Pid); len(dirs) > 0 {
		r.t.Errorf("left of the run: %v", dirs)
	}
}

// working lists the living processes whose directory is dir or one below it.
func working(dir string) []int {
	cwds, _ := filepath.Glob("/proc/[0-9]*/cwd")
	var pids []int
	for _, link := range cwds {
		if at, err := os.Readlink(link); err == nil && (at == dir || strings.HasPrefix(at, dir+"/")) {
			pid, _ := strconv.Atoi(strings.Split(link, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

// leaves lists the directories that a runner made below its, which is our,
// cgroup. Their names have its pid.
func leaves(t *testing.T, runner int) []string {
	t.Helper()
	base := ownCgroupDir(t)
	if base == "" {
		return nil
	}
	n := strconv.FormatInt(int64(runner), 16)
	plain, _ := filepath.Glob(filepath.Join(base, "pkc-"+n+"-*"))
	moved, _ := filepath.Glob(filepath.Join(base, "pkc-self-"+n+"-*"))
	return slices.Concat(plain, moved)
}

// ownCgroupDir is where our cgroup shows, or empty.
func ownCgroupDir(t *testing.T) string {
	t.Helper()
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(own) {
		path, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("0::"))
		if !ok {
			continue
		}
		for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
			dir := filepath.Join(root, string(path))
			if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
				return dir
			}
		}
	}
	return ""
}

// since is how long after one event another came.
func since(a, b gjson.Result) time.Duration {
	return b.Get("time").Time().Sub(a.Get("time").Time())
}

// stateOf is the letter of a process in /proc, 0 if there is no such process.
func stateOf(pid int) byte {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	i := bytes.LastIndexByte(b, ')')
	if err != nil || i < 0 || i+2 >= len(b) {
		return 0
	}
	return b[i+2]
}

func alive(pid int) bool {
	s := stateOf(pid)
	return s != 0 && s != 'Z' && s != 'X'
}

// pidIn waits for the pid that a file tells.
func pidIn(t *testing.T, path string) int {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(waitForFile(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// finish kills a process that a test left alive on purpose.
func finish(t *testing.T, pid int) {
	t.Helper()
	_ = unix.Kill(pid, unix.SIGKILL)
	waitFor(t, "end of a killed process", func() bool { return !alive(pid) })
}

// together runs a table under each mechanism, several rows at a time. They
// wait more than they work, and -parallel counts processors.
func together[T any](t *testing.T, tests []T, name func(T) string, f func(t *testing.T, tt T, use func(*invocation))) {
	t.Parallel()
	slots := make(chan struct{}, 6)
	var all sync.WaitGroup
	for _, tt := range tests {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			t.Run(name(tt), func(t *testing.T) {
				mechanisms(t, func(t *testing.T, use func(*invocation)) { f(t, tt, use) })
			})
		})
	}
	all.Wait()
}

// told names the events of a stream that may lack its end.
func (r *invocation) told() []string {
	var names []string
	for line := range strings.Lines(r.raw()) {
		_, after, _ := strings.Cut(line, `"event":"`)
		name, _, _ := strings.Cut(after, `"`)
		names = append(names, name)
	}
	return names
}
