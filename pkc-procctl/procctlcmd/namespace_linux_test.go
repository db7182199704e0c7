package procctlcmd_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"
)

// noFact is the exit code of an nsInit that the host does not let.
const noFact = 77

// TestRecycled: a number that is used again, in the same directory by the same
// user, is another process.
func TestRecycled(t *testing.T) {
	t.Parallel()
	inNamespace(t, "recycled")
}

// TestForeign: where /proc counts for another pid namespace, its numbers are
// not looked at.
func TestForeign(t *testing.T) {
	t.Parallel()
	inNamespace(t, "foreign")
}

// inNamespace runs nsInit as the first process of a new pid namespace, and
// expects that it finds everything as it should be.
func inNamespace(t *testing.T, what string) {
	t.Helper()
	j := newJob(t)
	cmd := exec.Command("nsinit", what, j.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	if err := probeNamespace(cmd.SysProcAttr); err != nil {
		t.Skipf("needs a pid namespace: %v", err)
	}
	if j.finish(cmd) == noFact {
		t.Skip(j.message)
	}
	j.ends(0, "")
}

// probeNamespace starts something harmless in such a namespace.
func probeNamespace(attr *syscall.SysProcAttr) error {
	cmd := exec.Command("/bin/true")
	cmd.SysProcAttr = attr
	return cmd.Run()
}

// nsInit WHAT DIR: the first process of a pid namespace, which also has to
// wait for whatever ends in there.
func nsInit() {
	j := nsJob{dir: os.Args[2]}
	var err error
	switch os.Args[1] {
	case "recycled":
		err = j.recycled()
	case "foreign":
		err = j.foreign()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code := 1
		if errors.Is(err, errNoFact) {
			code = noFact
		}
		os.Exit(code)
	}
}

var errNoFact = errors.New("the host does not let")

type nsJob struct{ dir string }

func (j nsJob) at(name string) string { return filepath.Join(j.dir, name) }

func (j nsJob) procctl(args ...string) (code int, message string) {
	cmd := exec.Command("pkc-procctl", args...)
	var b strings.Builder
	cmd.Stderr = &b
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), b.String()
}

func (j nsJob) launch() (int, string) {
	return j.procctl("launch", "--attempt", j.dir, "--fingerprint", j.at("fp.json"), "--log", j.at("first.log"), "--", "victim")
}

func (j nsJob) recycled() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("%w a private mount: %w", errNoFact, err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("%w a new /proc: %w", errNoFact, err)
	}
	if code, message := j.launch(); code != 0 {
		return fmt.Errorf("launch = %d, %s", code, message)
	}
	b, err := os.ReadFile(j.at("fp.json"))
	if err != nil {
		return err
	}
	pid := int(gjson.GetBytes(b, "pid").Int())
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		return err
	}
	if _, err := unix.Wait4(pid, nil, 0, nil); err != nil {
		return err
	}
	if code, message := j.procctl("stop", j.at("fp.json")); code != 103 || !strings.Contains(message, "no such process") {
		return fmt.Errorf("stop of nobody = %d, %s", code, message)
	}
	again, err := j.reuse(pid)
	if err != nil {
		return err
	}
	code, message := j.procctl("stop", j.at("fp.json"))
	if code != 103 || !strings.HasPrefix(message, "pkc-procctl: start_time: the fingerprint has ") {
		return fmt.Errorf("stop of another process with number %d = %d, %s", pid, code, message)
	}
	// What stop has sent would be noted before this.
	if err := unix.Kill(pid, unix.SIGUSR1); err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		b, err := os.ReadFile(j.at("out.log"))
		_, got, _ := strings.Cut(string(b), "\n")
		switch {
		case got == "SIGUSR1\n":
			return again.Process.Kill()
		case got != "" || err != nil || time.Now().After(deadline):
			return fmt.Errorf("the process with the recycled number got %q, %v, want SIGUSR1", got, err)
		}
	}
}

// reuse starts a victim with a number that was another's. Threads take numbers
// as well, so it may need more than one try.
func (j nsJob) reuse(pid int) (*exec.Cmd, error) {
	for range 100 {
		log, err := os.Create(j.at("out.log"))
		if err != nil {
			return nil, err
		}
		defer log.Close()
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(pid-1)), 0); err != nil {
			return nil, fmt.Errorf("%w a choice of pids: %w", errNoFact, err)
		}
		cmd := exec.Command("victim")
		cmd.Dir, cmd.Stdout = j.dir, log
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		if cmd.Process.Pid == pid {
			for {
				if b, _ := os.ReadFile(j.at("out.log")); strings.Contains(string(b), "ready") {
					return cmd, nil
				}
				time.Sleep(time.Millisecond)
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	return nil, fmt.Errorf("%w the use of number %d again", errNoFact, pid)
}

func (j nsJob) foreign() error {
	const want = "pid: /proc shows another pid namespace"
	if code, message := j.launch(); code != 111 || !strings.Contains(message, want) {
		return fmt.Errorf("launch = %d, %s", code, message)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	object := fmt.Sprintf(`{"fingerprint_version":1,"host":%q,"user":"root","uid":0,"pid":2,"pgid":2,`+
		`"start_time":{"kind":"linux_ticks","ticks":"1","boot_id":%q},"attempt":"/","command_requested":[],`+
		`"command_settled":"","launched_at":"2026-01-02T03:04:05.678Z"}`, host, strings.TrimSpace(string(boot)))
	if err := os.WriteFile(j.at("fp.json"), []byte(object), 0o600); err != nil {
		return err
	}
	if code, message := j.procctl("stop", j.at("fp.json")); code != 103 || !strings.Contains(message, want) {
		return fmt.Errorf("stop = %d, %s", code, message)
	}
	return nil
}
