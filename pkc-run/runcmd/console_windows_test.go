package runcmd_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/windows"

	"processkit-cli/fixtures/wine"
)

// ownConsole gives the run a console of its own, without a window.
func ownConsole(r *invocation) {
	r.cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW}
}

// press sends a console event to the run and everything on its console, and
// returns what sends it again.
func (r *invocation) press(event int) (again func()) {
	r.t.Helper()
	cmd := exec.Command("press", strconv.Itoa(event), strconv.Itoa(r.cmd.Process.Pid))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			r.t.Errorf("press: %v", err)
		}
	})
	return func() { _, _ = in.Write([]byte{0}) }
}

func TestCtrlC(t *testing.T) {
	r := start(t, ownConsole, "--grace", "300ms", "--capture-dir", "cap", "--", "child", "obey-term", "--delay", "100s")
	r.says("ready")
	r.press(windows.CTRL_C_EVENT)
	s := r.ended(107)
	check(t, s.one(t, "cancelled"), "source", `"ctrl_c"`, "grace_ms", "300")
	check(t, s.one(t, "runner_exit"), "source", `"cancelled"`, "child_code", "null")
	s.clean(t)
	r.gone()
	if !strings.Contains(r.err.String(), "run cancelled (Ctrl-C)") {
		t.Errorf("stderr = %q", r.err.String())
	}
}

// The child is on the same console and hears it as well: its grace is for that.
func TestCtrlCReachesTheChild(t *testing.T) {
	r := start(t, ownConsole, "--grace", "20s", "--capture-dir", "cap", "--", "child", "obey-term", "--delay", "100ms", "--say", "bye")
	r.says("ready")
	r.press(windows.CTRL_C_EVENT)
	s := r.ended(107)
	check(t, s.one(t, "cleanup_finished"), "shutdown.drained_within_grace", "true", "soft_terminate", `"unsupported"`)
	if r.out.String() != "ready\nbye\n" {
		t.Errorf("stdout = %q", r.out.String())
	}
}

// A second event ends the runner at once, and the tree with it.
func TestSecondCtrlC(t *testing.T) {
	r := start(t, func(r *invocation) {
		ownConsole(r)
		r.killed = true
	}, "--grace", "60s", "--capture-dir", "cap", "--", "child", "obey-term", "--delay", "100s")
	r.says("ready")
	again := r.press(windows.CTRL_C_EVENT)
	waitFor(t, "teardown", func() bool { return strings.Contains(r.raw(), "cleanup_started") })
	again()
	r.wait()
	if strings.Contains(r.raw(), "runner_exit") {
		t.Errorf("the runner went on: %s", r.raw())
	}
	waitFor(t, "end of the tree", func() bool { return len(living(t, "child")) == 0 })
}

func TestCtrlBreak(t *testing.T) {
	wine.Skip(t, "runs no handler for Ctrl-Break")
	t.Run("to the runner", func(t *testing.T) {
		r := start(t, ownConsole, "--grace", "300ms", "--capture-dir", "cap", "--", "child", "obey-term", "--delay", "100s")
		r.says("ready")
		r.press(windows.CTRL_BREAK_EVENT)
		check(t, r.ended(107).one(t, "cancelled"), "source", `"ctrl_break"`)
		r.gone()
	})
	t.Run("to the child", func(t *testing.T) {
		r := start(t, ownConsole, "--windows-graceful-ctrl-break", "--timeout", "1s", "--grace", "20s",
			"--", "child", "obey-term", "--say", "bye")
		s := r.ended(106)
		check(t, s.one(t, "cleanup_finished"), "shutdown.soft_stop_scope", `"opt_in_members"`, "shutdown.drained_within_grace", "true")
		if r.out.String() != "ready\nbye\n" || !strings.Contains(r.err.String(), "CTRL_BREAK") {
			t.Errorf("stdout = %q, stderr = %q", r.out.String(), r.err.String())
		}
		r.gone()
	})
}
