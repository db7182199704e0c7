package procctlcmd_test

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

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/proc"
)

// TestSettles: the wrapper's second identity is the one that is written down.
func TestSettles(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	j.launch("sh", "-c", "sleep 0.4; exec sleep 600")
	object := j.read(j.file)
	if j.stdout != object || strings.Count(object, "\n") != 1 {
		t.Errorf("launch prints %q, and writes %q", j.stdout, object)
	}
	if got, want := gjson.Get(object, "command_requested").Raw, `["sh","-c","sleep 0.4; exec sleep 600"]`; got != want {
		t.Errorf("command_requested = %s, want %s", got, want)
	}
	if got := gjson.Get(object, "command_settled").Str; got != "sleep 600" {
		t.Errorf("command_settled = %q, want the second command", got)
	}
	pid := int(gjson.Get(object, "pid").Int())
	p, err := proc.Read(pid)
	if err != nil || p.PGID != pid || p.Session != pid || gjson.Get(object, "pgid").Int() != int64(pid) {
		t.Errorf("%s is of %+v, %v, want a leader of its group and session", object, p, err)
	}
	if got := gjson.Get(object, "start_time.ticks").Str; got != strconv.FormatUint(p.Start, 10) {
		t.Errorf("start_time.ticks = %s, want %d", got, p.Start)
	}
	if got := gjson.Get(object, "attempt").Str; got != j.dir {
		t.Errorf("attempt = %q, want %q", got, j.dir)
	}
	for _, path := range []string{j.file, j.log} {
		if got := mode(t, path); got != 0o600 {
			t.Errorf("%s has mode %v, want 0600", path, got)
		}
	}
	if got, _ := filepath.Glob(filepath.Join(j.dir, "*")); len(got) != 2 {
		t.Errorf("launch leaves %q", got)
	}
	j.procctl("stop", j.file)
	j.ends(0, "")
	j.nobody(pid)
}

// TestChild: what the command finds. Descriptors that the caller left open do
// not reach it, its stdin is empty, and relative paths are the caller's.
func TestChild(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	attempt := filepath.Join(j.dir, "deep")
	if err := os.Mkdir(attempt, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("deep", filepath.Join(j.dir, "link")); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	script := `cat; ls -l /proc/self/fd | grep -c pipe:; pwd; echo "$PWD" >&2; exec sleep 600`
	cmd := exec.Command("pkc-procctl", "launch", "--attempt", "link", "--fingerprint", "fp.json", "--log", "out.log", "--", "sh", "-c", script)
	cmd.Stdin, cmd.ExtraFiles = r, []*os.File{w}
	if code := j.finish(cmd); code != 0 {
		t.Fatalf("launch = %d, %s", code, j.message)
	}
	w.Close()
	// ls has a pipe to grep, and no other.
	if got, want := j.read(j.log), fmt.Sprintf("1\n%s\n%s\n", attempt, attempt); got != want {
		t.Errorf("the command printed %q, want %q", got, want)
	}
	if got := gjson.Get(j.read(j.file), "attempt").Str; got != attempt {
		t.Errorf("attempt = %q, want %q", got, attempt)
	}
	j.procctl("stop", "fp.json")
	j.ends(0, "")
}

// TestRestless: four changes of the command are one too many, and everything
// that it has started goes.
func TestRestless(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	wrapper := j.write("wrapper", `#!/bin/sh
[ -n "$1" ] || sleep 600 &
sleep 0.4
[ "$1" = xxxx ] && exec sleep 600
exec ./wrapper "$1x"
`)
	if err := os.Chmod(wrapper, 0o700); err != nil {
		t.Fatal(err)
	}
	// A host under load can miss one of the identities: then it settles.
	for range 3 {
		began := time.Now()
		j.procctl(j.launchArgs("./wrapper")...)
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("launch took %v", took)
		}
		if j.code != 0 {
			break
		}
		j.clean()
		if err := os.Remove(j.file); err != nil {
			t.Fatal(err)
		}
	}
	j.ends(111, "it changed 4 times; ")
	j.ends(111, "; identities: 5, interrupted windows: ")
	j.ends(111, `command "/bin/sh ./wrapper xxxx"; `)
	j.ends(111, "; nothing of it is left")
	if left := j.inside(); len(left) > 0 || !absent(j.file) {
		t.Errorf("left: processes %v, or a fingerprint", left)
	}
}

// TestEndsAtOnce: a command that ends before it settles is refused with its
// status.
func TestEndsAtOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ script, want string }{
		{"exit 0", "the process has ended: exit status 0; "},
		{"exit 3", "the process has ended: exit status 3; "},
		{"sleep 0.3; exit 130", "the process has ended: exit status 130; "},
		{"kill -9 $$", "the process has ended: signal: killed; "},
		{"sleep 600 & sleep 600 & exit 4", "the process has ended: exit status 4; "},
	} {
		t.Run(tt.script, func(t *testing.T) {
			t.Parallel()
			j := newJob(t)
			j.procctl(j.launchArgs("sh", "-c", tt.script)...)
			j.ends(111, tt.want)
			if left := j.inside(); len(left) > 0 || !absent(j.file) || j.stdout != "" {
				t.Errorf("left: processes %v, or a fingerprint, or output %q", left, j.stdout)
			}
		})
	}
}

// TestStubbornDisposal: who ignores SIGTERM gets SIGKILL, in the time allowed.
func TestStubbornDisposal(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	began := time.Now()
	j.procctl(j.launchArgs("sh", "-c", `trap "" TERM; victim stubborn & cd /; exec sleep 600`)...)
	if took := time.Since(began); took < 4*time.Second || took > 9*time.Second {
		t.Errorf("launch took %v, want two waits of 2s after the second that it settles in", took)
	}
	j.ends(111, `attempt: the process settled in "/", not in "`+j.dir+`"; nothing of it is left`)
	if got := j.logged(); got != "SIGTERM" {
		t.Errorf("the member got %q, want SIGTERM first", got)
	}
	if left := j.inside(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestEarlySignal: a launcher that is stopped before it is done undoes it.
func TestEarlySignal(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP} {
		t.Run(unix.SignalName(sig), func(t *testing.T) {
			t.Parallel()
			j := newJob(t)
			cmd := exec.Command("pkc-procctl", j.launchArgs("victim")...)
			j.finish(cmd, func() {
				j.eventually("the victim runs", func() bool {
					b, _ := os.ReadFile(j.log)
					return strings.Contains(string(b), "ready")
				})
				_ = cmd.Process.Signal(sig)
			})
			j.ends(107, "stopped by "+unix.SignalName(sig)+"; ")
			if left := j.inside(); len(left) > 0 || !absent(j.file) || j.logged() != "SIGTERM" {
				t.Errorf("left: processes %v, or a fingerprint; the victim got %q", left, j.logged())
			}
		})
	}
}

// TestHangUp: the terminal of the launcher goes, the process stays.
func TestHangUp(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	master, slave, err := openPTY()
	if err != nil {
		t.Skipf("needs a pseudo-terminal: %v", err)
	}
	sh := exec.Command("sh", append([]string{"-c", `pkc-procctl "$@" >launched 2>&1; echo $? >code; cat`, "sh"}, j.launchArgs("victim")...)...)
	sh.Dir = j.dir
	sh.Stdin, sh.Stdout, sh.Stderr = slave, slave, slave
	sh.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := sh.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	code := filepath.Join(j.dir, "code")
	j.eventually("launch has ended", func() bool {
		b, _ := os.ReadFile(code)
		return strings.HasSuffix(string(b), "\n")
	})
	if got := j.read(code); got != "0\n" {
		t.Fatalf("launch = %s%s", got, j.read(filepath.Join(j.dir, "launched")))
	}
	master.Close()
	if err := sh.Wait(); err == nil {
		t.Error("the hang-up did not reach the shell")
	}
	pid := int(gjson.Get(j.read(j.file), "pid").Int())
	if got := members(pid); len(got) != 1 || j.logged() != "" {
		t.Errorf("after the hang-up: members %v, the process got %q", got, j.logged())
	}
	j.procctl("stop", j.file)
	j.ends(0, "")
	if got := j.logged(); got != "SIGTERM" {
		t.Errorf("the process got %q, want SIGTERM only", got)
	}
}

func openPTY() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	return master, slave, err
}

// TestOneFingerprint: of two launches into one file, one wins and the other
// leaves nothing; a file that is there already is not touched.
func TestOneFingerprint(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	var wg sync.WaitGroup
	var both [2]*job
	for i := range both {
		both[i] = &job{t: t, dir: j.dir, file: j.file, log: filepath.Join(j.dir, fmt.Sprint(i))}
		wg.Go(func() { both[i].procctl(both[i].launchArgs("sleep", "600")...) })
	}
	wg.Wait()
	if both[0].code > both[1].code {
		both[0], both[1] = both[1], both[0]
	}
	both[0].ends(0, "")
	both[1].ends(111, "fp.json: file exists; nothing of it is left")
	before := j.read(j.file)
	pid := int(gjson.Get(before, "pid").Int())
	if left := j.inside(); len(left) != 1 || left[0] != pid {
		t.Errorf("left: processes %v, want %d only", left, pid)
	}
	j.procctl(j.launchArgs("sleep", "600")...)
	j.ends(111, "fp.json: file already exists")
	if left := j.inside(); len(left) != 1 || j.read(j.file) != before || !absent(j.log) {
		t.Errorf("a refused launch did something: processes %v, %s", left, j.read(j.file))
	}
	j.procctl("stop", j.file)
	j.ends(0, "")
}

// TestRefusals: nothing is started.
func TestRefusals(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	j.write("script", "echo\n")
	j.write("lost", "#!/no/such/interpreter\n")
	j.write("plain", "")
	for _, name := range []string{"script", "lost"} {
		if err := os.Chmod(filepath.Join(j.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(j.dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(j.dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args    string
		code    int
		message string
	}{
		{"launch --fingerprint f --log l -- true", 100, "--attempt DIR is required"},
		{"launch --attempt . --log l -- true", 100, "--fingerprint FILE is required"},
		{"launch --attempt . --fingerprint f -- true", 100, "--log FILE is required"},
		{"launch --attempt . --fingerprint f --log l", 100, "a command is required"},
		{"launch --attempt . --fingerprint f --log l --", 100, "a command is required"},
		{"launch --attempt . --fingerprint f --log ./f -- true", 100, "are one file"},
		{"launch --attempt . --fingerprint f --log l true", 100, "unexpected argument before --"},
		{"launch --attempt . --attempt . --fingerprint f --log l -- true", 100, "--attempt is given twice"},
		{"launch --attempt nowhere --fingerprint f --log l -- true", 111, `--attempt "nowhere": no such file or directory`},
		{"launch --attempt plain --fingerprint f --log l -- true", 111, `--attempt "plain": not a directory`},
		{"launch --attempt . --fingerprint no/f --log l -- true", 111, "--fingerprint: "},
		{"launch --attempt . --fingerprint dangling --log l -- true", 111, "dangling: file already exists"},
		{"launch --attempt . --fingerprint f --log no/l -- true", 111, "--log: "},
		{"launch --attempt . --fingerprint f --log fifo -- true", 111, "--log: "},
		{"launch --attempt . --fingerprint f --log . -- true", 111, "--log: "},
		{"launch --attempt . --fingerprint f --log /dev/null -- true", 111, "not a regular file"},
		{"launch --attempt . --fingerprint f --log l -- no-such-program", 101, `"no-such-program": executable file not found in $PATH`},
		{"launch --attempt . --fingerprint f --log l -- ./nothing", 101, `"./nothing": no such file or directory`},
		{"launch --attempt . --fingerprint f --log l -- ./plain", 101, `"./plain": permission denied`},
		{"launch --attempt . --fingerprint f --log l -- ./script", 101, `"./script": not an executable format (a script needs a #! line)`},
		{"launch --attempt . --fingerprint f --log l -- ./lost", 101, `"./lost": its interpreter: no such file or directory`},
		{"stop", 100, "FILE is required"},
		{"stop a b", 100, "unexpected argument"},
		{"stop f --timeout 1.5s", 100, "--timeout: "},
		{"stop f --timeout -1", 100, "--timeout needs a value"},
		{"frob", 100, "unknown command procctl frob"},
	}
	for _, tt := range tests {
		j.procctl(strings.Fields(tt.args)...)
		j.ends(tt.code, tt.message)
		if !absent(filepath.Join(j.dir, "f")) || j.stdout != "" {
			t.Errorf("%s: left a fingerprint, or printed %q", tt.args, j.stdout)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(j.dir, ".*")); len(left) > 0 {
		t.Errorf("temporary files are left: %q", left)
	}
	if left := j.inside(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
