package procctlcmd_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"

	"processkit-cli/fixtures/script"
	"processkit-cli/pkc-procctl/procctlcmd"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/proc"
)

func TestMain(m *testing.M) {
	// These tests wait for clocks, not for processors.
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	testscript.Main(script.Tests{M: m}, map[string]func(){
		"pkc-procctl": func() { applet.Main(procctlcmd.New()) },
		"victim":      victim,
		"nsinit":      nsInit,
	})
}

const patience = 30 * time.Second // for what must happen soon

// victim [MODE]: prints the name of every signal that it gets, and ends on
// SIGTERM. Modes: stubborn does not end; parent starts a stubborn one first,
// in its own group; leaver does so too, and ends when there is a file "leave".
func victim() {
	c := make(chan os.Signal, 64)
	signal.Notify(c)
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	if mode == "parent" || mode == "leaver" {
		cmd := exec.Command("victim", "stubborn")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			fmt.Println(err)
		}
	}
	if mode == "leaver" {
		for absent("leave") {
			time.Sleep(time.Millisecond)
		}
		return
	}
	fmt.Println("ready", os.Getpid())
	for s := range c {
		switch s {
		case unix.SIGURG, unix.SIGCHLD: // the language's runtime has these
			continue
		}
		fmt.Println(unix.SignalName(s.(syscall.Signal)))
		if s == unix.SIGTERM && mode != "stubborn" {
			return
		}
	}
}

// job is a directory for one launch.
type job struct {
	t               *testing.T
	dir, file, log  string
	code            int
	stdout, message string // of the last procctl
}

func newJob(t *testing.T) *job {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	j := &job{t: t, dir: dir, file: filepath.Join(dir, "fp.json"), log: filepath.Join(dir, "out.log")}
	t.Cleanup(j.clean)
	return j
}

// clean ends what a failed test has left: whoever works in the directory.
func (j *job) clean() {
	all, _ := proc.All()
	for _, p := range all {
		if dir, err := proc.Dir(p.PID); err == nil && strings.HasPrefix(dir, j.dir) && !p.Dead {
			_ = unix.Kill(p.PID, unix.SIGKILL)
		}
	}
}

// procctl runs it to its end.
func (j *job) procctl(args ...string) (code int) {
	j.t.Helper()
	return j.finish(exec.Command("pkc-procctl", args...))
}

// finish runs cmd to its end, and something meanwhile.
func (j *job) finish(cmd *exec.Cmd, meanwhile ...func()) int {
	j.t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if cmd.Dir == "" {
		cmd.Dir = j.dir
	}
	if err := cmd.Start(); err != nil {
		j.t.Fatal(err)
	}
	for _, f := range meanwhile {
		f()
	}
	kill := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	if !kill.Stop() {
		j.t.Fatalf("%q takes longer than %v", cmd.Args, patience)
	}
	j.code, j.stdout, j.message = cmd.ProcessState.ExitCode(), out.String(), errs.String()
	return j.code
}

func (j *job) launchArgs(argv ...string) []string {
	return append([]string{"launch", "--attempt", j.dir, "--fingerprint", j.file, "--log", j.log, "--"}, argv...)
}

// launch must succeed.
func (j *job) launch(argv ...string) (pid int) {
	j.t.Helper()
	if code := j.procctl(j.launchArgs(argv...)...); code != 0 {
		j.t.Fatalf("launch %q = %d, %s", argv, code, j.message)
	}
	return int(gjson.Get(j.read(j.file), "pid").Int())
}

// ends expects how the last procctl ended.
func (j *job) ends(code int, message string) {
	j.t.Helper()
	if j.code != code || !strings.Contains(j.message, message) {
		j.t.Errorf("procctl = %d, %q, want %d, %q", j.code, j.message, code, message)
	}
	if lines := strings.Count(j.message, "\n"); code != 0 && lines != 1 || code == 0 && lines != 0 {
		j.t.Errorf("procctl = %d, %q, want one line for a refusal and none else", j.code, j.message)
	}
}

func (j *job) read(path string) string {
	j.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		j.t.Fatal(err)
	}
	return string(b)
}

// write makes a file beside the fingerprint.
func (j *job) write(name, content string) (path string) {
	j.t.Helper()
	path = filepath.Join(j.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		j.t.Fatal(err)
	}
	return path
}

// eventually waits for something to become true.
func (j *job) eventually(what string, is func() bool) {
	j.t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			j.t.Fatalf("not so after %v: %s", patience, what)
		}
	}
}

// logged is what the victims have printed, without the greetings.
func (j *job) logged() string {
	var got []string
	for line := range strings.Lines(j.read(j.log)) {
		if !strings.HasPrefix(line, "ready") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	return strings.Join(got, " ")
}

// nobody expects that the group has no living member.
func (j *job) nobody(pgid int) {
	j.t.Helper()
	if left := members(pgid); len(left) > 0 {
		j.t.Errorf("group %d still has %v", pgid, left)
	}
}

func members(pgid int) (pids []int) {
	all, _ := proc.All()
	for _, p := range all {
		if p.PGID == pgid && !p.Dead {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

// inside counts who works in the job's directory.
func (j *job) inside() (pids []int) {
	all, _ := proc.All()
	for _, p := range all {
		if dir, err := proc.Dir(p.PID); err == nil && dir == j.dir && !p.Dead {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}
