package runcmd_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"

	"processkit-cli/fixtures/need"
)

// screen is a terminal, seen from where a person sits.
type screen struct {
	t      *testing.T
	master *os.File
	slave  *os.File

	mu   sync.Mutex
	text strings.Builder
}

func newScreen(t *testing.T) *screen {
	t.Helper()
	s := &screen{t: t}
	var err error
	s.master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	need.Fact(t, "pty", err == nil, errText(err))
	t.Cleanup(func() { _ = s.master.Close() })
	var n int
	s.ask(func(fd int) error {
		if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
			return err
		}
		n, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		return err
	})
	s.slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	need.Fact(t, "pty", err == nil, errText(err))
	t.Cleanup(func() { _ = s.slave.Close() })
	go func() { _, _ = io.Copy(s, s.master) }()
	return s
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) shows() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(s.text.String(), "\r", "")
}

func (s *screen) waitFor(text string) {
	s.t.Helper()
	defer func() {
		if s.t.Failed() {
			s.t.Logf("the screen shows %q", s.shows())
		}
	}()
	waitFor(s.t, text+" on the screen", func() bool { return strings.Contains(s.shows(), text) })
}

func (s *screen) types(keys string) {
	s.t.Helper()
	if _, err := s.master.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// ask calls f with the descriptor, which must stay in its mode.
func (s *screen) ask(f func(fd int) error) {
	s.t.Helper()
	raw, err := s.master.SyscallConn()
	if err != nil {
		s.t.Fatal(err)
	}
	var ferr error
	if err := raw.Control(func(fd uintptr) { ferr = f(int(fd)) }); err != nil || ferr != nil {
		s.t.Fatal(err, ferr)
	}
}

// owner is the foreground process group.
func (s *screen) owner() (group int) {
	s.t.Helper()
	s.ask(func(fd int) (err error) {
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return group
}

func (s *screen) modes() (m unix.Termios) {
	s.t.Helper()
	s.ask(func(fd int) error {
		p, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err == nil {
			m = *p
		}
		return err
	})
	return m
}

func (s *screen) echoes() bool { return s.modes().Lflag&unix.ECHO != 0 }

// at starts pkc-run on the terminal, inside a session of its own whose leader
// is a shell that runs script, where "$@" is pkc-run.
func (s *screen) at(use func(*invocation), script string, args ...string) *invocation {
	s.t.Helper()
	return start(s.t, func(r *invocation) {
		use(r)
		if err := unix.Mkfifo(r.path("go"), 0o600); err != nil {
			s.t.Fatal(err)
		}
		through(r, script)
		r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = s.slave, s.slave, s.slave
		r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}, args...)
}

// let continues a script that reads a line from the FIFO named go.
func (r *invocation) let() {
	r.t.Helper()
	if err := os.WriteFile(r.path("go"), []byte("\n"), 0); err != nil {
		r.t.Fatal(err)
	}
}

// root waits for the start of the root child.
func (r *invocation) root() int {
	r.t.Helper()
	r.began("members_snapshot")
	first, _, _ := strings.Cut(r.raw(), "\n")
	return int(gjson.Get(first, "root_pid").Int())
}

func TestOnATerminal(t *testing.T) {
	type row struct {
		name   string
		script string
		args   []string
		keys   string // once the child is ready
		code   int
		shows  string
	}
	// None of these may fork at a time when it can be stopped: a stop between
	// vfork and exec leaves the parent neither running nor stopped.
	reads := []string{"sh", "-c", `stty -echo; echo ready; read line && echo "got $line"`}
	waits := []string{"sh", "-c", "echo ready; exec sleep 600"}
	tests := []row{
		{"reads", `exec "$@"`, append([]string{"--inherit-stdio", "--"}, reads...), "hello\n", 0, "got hello"},
		{"reads, only stdin inherited", `exec "$@"`, append([]string{"--inherit-stdin", "--"}, reads...), "hello\n", 0, "got hello"},
		{"reads, below a shell", `"$@"; exit $?`, append([]string{"--inherit-stdio", "--"}, reads...), "hello\n", 0, "got hello"},
		{"reads, below job control", `set -m; "$@"; exit $?`, append([]string{"--inherit-stdio", "--"}, reads...), "hello\n", 0, "got hello"},
		{"Ctrl-C is the child's", `exec "$@"`, append([]string{"--inherit-stdio", "--"}, waits...), "\x03", 130, ""},
		{"Ctrl-C below a shell", `trap : INT; "$@"; exit $?`, append([]string{"--inherit-stdio", "--"}, waits...), "\x03", 130, ""},
		{"Ctrl-backslash", `ulimit -c 0; exec "$@"`, append([]string{"--inherit-stdio", "--"}, waits...), "\x1c", 131, ""},
		{"Ctrl-C without the terminal", `exec "$@"`, append([]string{"--"}, waits...), "\x03", 107, "run cancelled (SIGINT)"},
		{"Ctrl-Z where nobody could continue it", `exec "$@"`, append([]string{"--inherit-stdio", "--"}, reads...), "\x1ahello\n", 0, "got hello"},
	}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		s := newScreen(t)
		r := s.at(use, tt.script, tt.args...)
		s.waitFor("ready")
		s.types(tt.keys)
		st := r.ended(tt.code)
		if tt.code != 107 {
			check(t, st.one(t, "runner_exit"), "source", `"child_exit"`)
		}
		st.clean(t)
		r.gone()
		s.waitFor(tt.shows)
	})
}

func TestTerminalIsHandedOver(t *testing.T) {
	type row struct {
		name   string
		script string
		args   []string
		given  bool
	}
	tests := []row{
		{"all streams", `exec "$@"`, []string{"--inherit-stdio"}, true},
		{"stdin", `exec "$@"`, []string{"--inherit-stdin"}, true},
		{"no stream", `exec "$@"`, nil, false},
		{"in the background", `set -m; "$@" & wait $!`, []string{"--inherit-stdio"}, false},
		{"stdin is no terminal", `exec "$@" </dev/null`, []string{"--inherit-stdio"}, false},
		{"beside a stopped child", `set -m; cd /; sleep 600 & cd - >/dev/null; echo $! >bystander; kill -STOP $!; exec "$@"`, []string{"--inherit-stdio"}, true},
	}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		s := newScreen(t)
		// Asked before the program does anything: it does not take it itself.
		r := s.at(use, tt.script, append(tt.args, "--", "child", "do", "print-ids", "+", "echo", "ready", "+", "hang")...)
		s.waitFor("ready")
		root := r.root()
		if got := s.owner() == root; got != tt.given {
			t.Errorf("child in the foreground = %v, want %v", got, tt.given)
		}
		if tt.given {
			s.waitFor(fmt.Sprintf("pgid %d\n", root))
			s.waitFor(fmt.Sprintf("foreground %d\n", root))
		}
		if strings.Contains(tt.script, "bystander") {
			bystander := pidIn(t, r.path("bystander"))
			defer finish(t, bystander)
			if got := stateOf(bystander); got != 'T' {
				t.Errorf("the bystander's state is %c, want T", got)
			}
		}
		_ = unix.Kill(root, unix.SIGKILL)
		r.wait()
		r.gone()
	})
}

// Whatever the child did to the terminal is undone, whatever the ending.
func TestTerminalIsRestored(t *testing.T) {
	type row struct {
		name string
		args []string
		end  string
		sig  syscall.Signal
		code string
	}
	tests := []row{
		{"deadline", []string{"--timeout", "1s"}, "exec sleep 600", 0, "106"},
		{"deadline with grace", []string{"--timeout", "1s", "--grace", "100ms"}, `trap "" TERM; sleep 600`, 0, "106"},
		{"signal", nil, "exec sleep 600", syscall.SIGTERM, "107"},
		{"natural", nil, "exit 3", 0, "3"},
		{"crash", nil, "kill -KILL $$", 0, "137"},
	}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		s := newScreen(t)
		before := s.modes()
		// The shell stays, in the runner's group, and does not touch anything.
		r := s.at(use, `"$@"; echo $? >code; read line <go`,
			append(append([]string{"--inherit-stdio"}, tt.args...), "--", "sh", "-c", "stty raw -echo; echo raw; "+tt.end)...)
		if tt.sig != 0 {
			s.waitFor("raw")
			if s.modes() == before {
				t.Error("the child did not change the modes")
			}
			if err := unix.Kill(parentOf(t, r.root()), tt.sig); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.TrimSpace(waitForFile(t, r.path("code"))); got != tt.code {
			t.Errorf("code = %s, want %s", got, tt.code)
		}
		if got := s.modes(); got != before {
			t.Errorf("modes = %+v, want %+v", got, before)
		}
		if got := s.owner(); got != r.cmd.Process.Pid {
			t.Errorf("foreground group = %d, want %d", got, r.cmd.Process.Pid)
		}
		r.let()
		r.wait()
		r.stream().clean(t)
	})
}

func parentOf(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	var parent int
	_, after, _ := strings.Cut(string(b), "PPid:")
	if _, err := fmt.Sscan(after, &parent); err != nil {
		t.Fatal(err)
	}
	return parent
}

// Ctrl-Z stops the child, the runner with it, and the clocks of both.
func TestSuspended(t *testing.T) {
	t.Parallel()
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		t.Parallel()
		t.Run("and continued", func(t *testing.T) {
			s := newScreen(t)
			r := s.at(use, `set -m; "$@"; echo $? >stopped; read line <go; fg %1; exit $?`,
				"--inherit-stdio", "--timeout", "1500ms", "--", "sh", "-c", "stty -echo; echo ready; read line; exit 4")
			s.waitFor("ready")
			root := r.root()
			runner := parentOf(t, root)
			s.types("\x1a")
			if got, want := strings.TrimSpace(waitForFile(t, r.path("stopped"))), fmt.Sprint(128+int(unix.SIGTSTP)); got != want {
				t.Errorf("the shell sees %s, want %s", got, want)
			}
			if a, b := stateOf(runner), stateOf(root); a != 'T' || b != 'T' {
				t.Errorf("states of runner and child = %c %c, want T T", a, b)
			}
			if !s.echoes() {
				t.Error("the shell has the child's modes")
			}
			time.Sleep(1600 * time.Millisecond) // longer than the deadline
			r.let()
			waitFor(t, "child in the foreground", func() bool { return s.owner() == root })
			waitFor(t, "child's modes", func() bool { return !s.echoes() })
			s.types("hello\n")
			st := r.ended(4)
			st.clean(t)
			r.gone()
		})
		t.Run("again", func(t *testing.T) {
			s := newScreen(t)
			r := s.at(use, `set -m; "$@"; for i in 1 2 3; do echo $? >stopped$i; read line <go; fg %1; done; exit $?`,
				"--inherit-stdio", "--", "sh", "-c", "echo ready; read line; exit 4")
			s.waitFor("ready")
			root := r.root()
			for i := range 3 {
				s.types("\x1a")
				waitForFile(t, r.path(fmt.Sprintf("stopped%d", i+1)))
				r.let()
				waitFor(t, "child in the foreground", func() bool { return s.owner() == root && stateOf(root) == 'S' })
			}
			s.types("hello\n")
			r.ended(4)
		})
		t.Run("for want of the terminal", func(t *testing.T) {
			s := newScreen(t)
			r := s.at(use, `set -m; "$@" & read line <go; fg %1; echo $? >stopped; read line <go; fg %1; exit $?`,
				"--inherit-stdio", "--", "sh", "-c", "echo ready; read line; exit 4")
			s.waitFor("ready")
			root := r.root()
			waitFor(t, "stop of the child and the runner", func() bool {
				return stateOf(root) == 'T' && stateOf(parentOf(t, root)) == 'T'
			})
			r.let()
			waitFor(t, "child in the foreground", func() bool { return s.owner() == root })
			s.types("\x1a")
			waitForFile(t, r.path("stopped"))
			r.let()
			waitFor(t, "child in the foreground", func() bool { return s.owner() == root })
			s.types("hello\n")
			r.ended(4)
		})
		t.Run("and sent to the background", func(t *testing.T) {
			s := newScreen(t)
			r := s.at(use, `set -m; "$@"; echo $? >stopped; read line <go; bg %1; wait %1; echo $? >code; read line <go`,
				"--inherit-stdio", "--", "child", "do", "echo", "ready", "+", "hang", "500ms", "+", "exit", "4")
			s.waitFor("ready")
			s.types("\x1a")
			waitForFile(t, r.path("stopped"))
			// Whoever sits at the terminal goes on working.
			m := s.modes()
			m.Lflag &^= unix.ECHO
			s.ask(func(fd int) error { return unix.IoctlSetTermios(fd, unix.TCSETS, &m) })
			r.let()
			if got := strings.TrimSpace(waitForFile(t, r.path("code"))); got != "4" {
				t.Errorf("code = %s, want 4", got)
			}
			if got := s.owner(); got != r.cmd.Process.Pid {
				t.Errorf("foreground group = %d, want the shell, %d", got, r.cmd.Process.Pid)
			}
			if s.echoes() {
				t.Error("the modes were reset under somebody else's hands")
			}
			r.let()
			r.wait()
			r.stream().clean(t)
		})
	})
}
