package procctlcmd_test

import (
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

	"processkit-cli/pkc-procctl/internal/fingerprint"
	"processkit-cli/pkcshared/proc"
)

// TestTampered: a fingerprint with one fact changed signals nobody, and the
// fact is named with both values.
func TestTampered(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	pid := j.launch("victim")
	object := j.read(j.file)
	ticks := gjson.Get(object, "start_time.ticks").Str
	n, _ := strconv.ParseUint(ticks, 10, 64)
	boot := gjson.Get(object, "start_time.boot_id").Str
	other := "00000000-0000-4000-8000-000000000000"
	user := gjson.Get(object, "user").Raw
	me := os.Getpid()
	tests := []struct{ field, from, to, message string }{
		{"host", `"host":"`, `"host":"not-`, `host: the fingerprint has "not-`},
		{"pid", fmt.Sprintf(`"pid":%d,"pgid":%d`, pid, pid), fmt.Sprintf(`"pid":%d,"pgid":%d`, me, me), "the fingerprint has "},
		{"pid", fmt.Sprintf(`"pid":%d,"pgid":%d`, pid, pid), `"pid":4194999,"pgid":4194999`, "pid: the fingerprint has 4194999, the system has no such process"},
		{"pgid", fmt.Sprintf(`"pgid":%d`, pid), fmt.Sprintf(`"pgid":%d`, me), fmt.Sprintf("pgid: the fingerprint has %d, and %d for pid", me, pid)},
		{"start_time.ticks", ticks, strconv.FormatUint(n+1, 10), fmt.Sprintf("start_time: the fingerprint has %d ticks of boot %s, the system has %d ticks", n+1, boot, n)},
		{"start_time.ticks", ticks, strconv.FormatUint(n-1, 10), "start_time: the fingerprint has "},
		{"start_time.boot_id", boot, other, fmt.Sprintf("start_time.boot_id: the fingerprint has %q, the system has %q", other, boot)},
		{"start_time", gjson.Get(object, "start_time").Raw, `{"kind":"ps_seconds","value":1}`, `start_time.kind: the fingerprint has "ps_seconds", the system has "linux_ticks"`},
		{"user", `"user":` + user, `"user":"nobody-else"`, `user: the fingerprint has "nobody-else", the system has ` + user},
		{"uid", `"uid":` + gjson.Get(object, "uid").Raw, `"uid":54321`, "uid: the fingerprint has 54321, the system has "},
		{"attempt", `"attempt":"`, `"attempt":"/elsewhere`, `attempt: the fingerprint has "/elsewhere`},
		{"fingerprint_version", `"fingerprint_version":1`, `"fingerprint_version":2`, "fingerprint_version: the fingerprint has 2, this build reads 1"},
	}
	for _, tt := range tests {
		tampered := strings.Replace(object, tt.from, tt.to, 1)
		if tampered == object {
			t.Fatalf("%s: %q is not in %s", tt.field, tt.from, object)
		}
		j.procctl("stop", j.write("tampered", tampered))
		j.ends(103, tt.message)
		j.ends(103, "; nothing was signalled")
	}
	j.stillUnharmed(pid)
}

// stillUnharmed expects that the victim has seen no signal, and sees the first
// one of a stop that is right.
func (j *job) stillUnharmed(pid int) {
	j.t.Helper()
	if got := j.logged(); got != "" || len(members(pid)) != 1 {
		j.t.Errorf("the victim got %q, its group is %v", got, members(pid))
	}
	j.procctl("stop", j.file)
	j.ends(0, "")
	if got := j.logged(); got != "SIGTERM" {
		j.t.Errorf("the victim got %q, want SIGTERM", got)
	}
	j.nobody(pid)
}

// TestDiagnostic: command lines, the time of launch and what the file has
// besides decide nothing.
func TestDiagnostic(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	pid := j.launch("sleep", "600")
	object := j.read(j.file)
	object = strings.Replace(object, `["sleep","600"]`, `["rm","-rf"]`, 1)
	object = strings.Replace(object, `"sleep 600"`, `"vi"`, 1)
	object = strings.Replace(object, `{`, "{\n  \"comment\": {\"pid\": 1}, ", 1)
	j.procctl("stop", j.write("other", object))
	j.ends(0, "")
	j.nobody(pid)
}

// TestFiles: what is not a plain, whole, small file is refused, at once.
func TestFiles(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	pid := j.launch("victim")
	object := j.read(j.file)
	at := func(name string) string { return filepath.Join(j.dir, name) }
	if err := os.Symlink(j.file, at("symlink")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(at("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, message string }{
		{at("symlink"), "it is a symbolic link"},
		{at("fifo"), "it is not a regular file"},
		{j.dir, "it is not a regular file"},
		{"/dev/zero", "it is not a regular file"},
		{at("nowhere"), "no such file or directory"},
		{strconv.Itoa(pid), "stop takes a fingerprint file, never a name, a pattern or a pid"},
		{"victim", "stop takes a fingerprint file"},
		{"*", "stop takes a fingerprint file"},
		{j.write("empty", ""), "it is not JSON"},
		{j.write("torn", object[:len(object)/2]), "it is not JSON"},
		{j.write("two", object+object), "it is not JSON"},
		{j.write("array", "["+object+"]"), "it is not an object"},
		{j.write("huge", object+strings.Repeat(" ", fingerprint.MaxSize)), "it has more than 4194304 bytes"},
		{j.write("twice", strings.Replace(object, "{", `{"pid":2,`, 1)), "pid is there twice"},
		{j.write("less", strings.Replace(object, `"host"`, `"hosts"`, 1)), "host is missing"},
		{j.write("minus", strings.Replace(object, fmt.Sprintf(`"pid":%d,"pgid":%d`, pid, pid), `"pid":-1,"pgid":-1`, 1)), "pid: -1 is not an integer from 2 to"},
	}
	for _, tt := range tests {
		began := time.Now()
		j.procctl("stop", tt.path)
		j.ends(103, tt.message)
		j.ends(103, "; nothing was signalled")
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("stop %s took %v", tt.path, took)
		}
	}
	if os.Geteuid() != 0 { // who is root may read anything
		if err := os.Chmod(j.write("secret", object), 0); err != nil {
			t.Fatal(err)
		}
		j.procctl("stop", at("secret"))
		j.ends(103, "permission denied")
	}
	j.stillUnharmed(pid)
}

// TestLeaderGone: members without their leader are not stopped, but named.
func TestLeaderGone(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	pid := j.launch("victim", "leaver")
	j.write("leave", "")
	j.eventually("only the member is left", func() bool {
		m := members(pid)
		return len(m) == 1 && m[0] != pid
	})
	member := members(pid)[0]
	j.procctl("stop", j.file)
	j.ends(103, fmt.Sprintf("pid: the fingerprint has %d, the system has no such process; members of group %d are still there: %d (victim)", pid, pid, member))
	if got := j.logged(); got != "" {
		t.Errorf("the member got %q", got)
	}
	_ = unix.Kill(member, unix.SIGKILL)
}

// TestZombie: a leader that nobody has waited for has ended all the same.
func TestZombie(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	pid := j.launch("sh", "-c", `sleep 600 & exec sleep 600`)
	object := j.read(j.file)
	j.procctl("stop", j.file)
	j.ends(0, "")

	// Zombies are made from children of our own, with a fingerprint to match.
	cmd := exec.Command("sleep", "600")
	cmd.Dir = j.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	zombie := cmd.Process.Pid
	_ = cmd.Process.Kill()
	j.eventually("it is a zombie", func() bool { return len(members(zombie)) == 0 })
	old, now := fmt.Sprintf(`"pid":%d,"pgid":%d`, pid, pid), fmt.Sprintf(`"pid":%d,"pgid":%d`, zombie, zombie)
	j.procctl("stop", j.write("zombie", strings.Replace(object, old, now, 1)))
	j.ends(103, "the system has no such process")
}

// TestStubborn: who ignores SIGTERM is killed when the timeout has passed, and
// a leader that went at once does not end the wait.
func TestStubborn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode, timeout, gets string
		least               time.Duration
	}{
		{"stubborn", "300ms", "SIGTERM", 300 * time.Millisecond},
		{"parent", "300ms", "SIGTERM SIGTERM", 300 * time.Millisecond},
		{"stubborn", "0", "", 0}, // SIGTERM may come too late to be seen
	} {
		t.Run(tt.mode+tt.timeout, func(t *testing.T) {
			t.Parallel()
			j := newJob(t)
			pid := j.launch("victim", tt.mode)
			began := time.Now()
			j.procctl("stop", j.file, "--timeout", tt.timeout)
			took := time.Since(began)
			j.ends(0, "")
			j.nobody(pid)
			if took < tt.least || took > tt.least+2*time.Second {
				t.Errorf("stop took %v, want %v", took, tt.least)
			}
			if got := j.logged(); tt.gets != "" && got != tt.gets {
				t.Errorf("the members got %q, want %q", got, tt.gets)
			}
		})
	}
}

// TestStopped: a member that SIGSTOP holds gets to see SIGTERM.
func TestStopped(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	pid := j.launch("victim")
	_ = unix.Kill(pid, unix.SIGSTOP)
	j.eventually("it is stopped", func() bool {
		p, err := proc.Read(pid)
		return err == nil && p.Stopped
	})
	j.procctl("stop", j.file)
	j.ends(0, "")
	if got := j.logged(); !strings.Contains(got, "SIGTERM") {
		t.Errorf("the victim got %q, want SIGTERM among it", got)
	}
	j.nobody(pid)
}

// TestSurvivors: a member that may not be signalled outlives SIGKILL, and is
// named.
func TestSurvivors(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make a member of another user")
	}
	j := newJob(t)
	const nobody = 65534
	for dir := j.dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	pid := j.launch("sh", "-c", `sleep 600 & exec setpriv --reuid=65534 --regid=65534 --clear-groups sleep 599`)
	if err := os.Chmod(j.file, 0o644); err != nil {
		t.Fatal(err)
	}
	self, err := exec.LookPath("pkc-procctl")
	if err != nil {
		t.Fatal(err)
	}
	b := j.read(self)
	tool := j.write("pkc-procctl", b) // where that user may execute it
	if err := os.Chmod(tool, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool, "stop", j.file, "--timeout", "100ms")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	j.finish(cmd)
	left := members(pid)
	if len(left) != 1 {
		t.Fatalf("left: %v, want one", left)
	}
	j.ends(102, fmt.Sprintf("still there after SIGKILL: %d (sleep)", left[0]))
	j.procctl("stop", j.file)
	j.ends(103, "members of group")
	_ = unix.Kill(left[0], unix.SIGKILL)

	// A whole group that may not be signalled is a refusal.
	j.file = filepath.Join(j.dir, "second")
	pid = j.launch("sleep", "600")
	if err := os.Chmod(j.file, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(tool, "stop", j.file)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	j.finish(cmd)
	j.ends(103, "attempt: permission denied; nothing was signalled")
	j.procctl("stop", j.file)
	j.ends(0, "")
	j.nobody(pid)
}
