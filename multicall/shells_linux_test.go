package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/fixtures/need"
	"processkit-cli/pkcshared/registry"
)

// A completion is tried as a user does: the line is typed into the shell, and
// what all candidates make of it is run. Words are what the shell then passes.
type completion struct {
	typed string
	want  []string // the words that the last one becomes
}

// odd are run ids that a shell can stumble over.
var odd = []string{"alpha", "job:1", "two words", "$(touch pwned)", `quo"te'd \ back`, "äöü", "~"}

func completions(t *testing.T) []completion {
	var tools []string
	for _, e := range suite().Tools {
		tools = append(tools, e.Name)
	}
	return []completion{
		{"processkit-cli ca", []string{"cancel"}},
		{"processkit-cli ", append(tools, "help")},
		{"processkit-cli --er", []string{"--error-format"}},
		{"processkit-cli --error-format ", []string{"human", "json"}},
		{"processkit-cli --error-format json pro", []string{"probe", "procctl"}},
		{"processkit-cli help pru", []string{"prune"}},
		{"processkit-cli help procctl ", []string{"launch", "stop"}},
		{"processkit-cli run --ca", []string{"--capture-dir", "--capture-max-bytes", "--capture-overflow"}},
		{"processkit-cli run --label list --det", []string{"--detach"}},
		{"processkit-cli run --capture-overflow ", []string{"cancel", "truncate"}},
		{"processkit-cli run --jsonl ev", []string{"events.jsonl"}},
		{"processkit-cli run --cwd f", []string{"folder"}},
		{"processkit-cli run --jsonl=x -- procctl-ch", []string{"procctl-child"}},
		{"processkit-cli procctl l", []string{"launch"}},
		{"processkit-cli procctl launch --", []string{"--attempt", "--error-format", "--fingerprint", "--help", "--log"}},
		{"pkc-procctl stop --t", []string{"--timeout"}},
		{"pkc-procctl stop e", []string{"events.jsonl"}},
		{"pkc-run --max", []string{"--max-memory", "--max-processes"}},
		{"pkc-list --health ", []string{"live", "stale", "unprobed"}},
		{"pkc-list --health=un", []string{"--health=unprobed"}},
		{"pkc-kill --run-id ", odd},
		{"processkit-cli cancel --run-id ", odd},
		{"processkit-cli inspect --run-id=al", []string{"--run-id=alpha"}},
		{"processkit-cli wait --run-id two", []string{"two words"}},
		{`processkit-cli wait --run-id job:`, []string{"job:1"}},
		{"processkit-cli events --run-id d", []string{"dead"}},
		{"processkit-cli kill --run-id dea", nil},
	}
}

// place is a directory with files to complete and a registry of odd runs.
func place(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	runs := filepath.Join(dir, "folder", "runs")
	t.Setenv(registry.DirEnv, runs)
	for _, id := range odd {
		e, err := registry.Register(runs, registry.Record{RunID: id, StartedAt: "2027-02-03T04:05:06.007Z"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Remove() })
	}
	litter(t, runs)
	bin := filepath.Join(dir, ".bin")
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "events.jsonl"), nil, 0o600),
		os.Mkdir(bin, 0o700),
		os.WriteFile(filepath.Join(bin, "procctl-child"), nil, 0o700),
	); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", os.Getenv("PATH")+":"+bin)
	t.Setenv("HOME", dir)
	return dir
}

// complete types every line and compares what becomes of its last word. Start
// is typed first; it defines show, which appends its arguments to the file out,
// each ended by NUL, and an empty one. Key inserts all candidates.
func complete(t *testing.T, dir, start, key string, args ...string) {
	out := filepath.Join(dir, ".out")
	tty := terminal(t, dir, args...)
	tty.enter(start + "\r")
	for i, c := range completions(t) {
		tty.enter(c.typed + key + "\x01show \r")
		words := strings.Fields(c.typed)
		if !strings.HasSuffix(c.typed, " ") {
			words = words[:len(words)-1]
		}
		want := append(words, c.want...)
		if c.want == nil {
			want = strings.Fields(c.typed)
		}
		got := tty.shown(out, i)
		slices.Sort(got[min(len(words), len(got)):])
		slices.Sort(want[len(words):])
		if !slices.Equal(got, want) {
			t.Errorf("%q becomes %q, want %q", c.typed, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("a run id was executed")
	}
}

func docs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs("../docs/completions/" + path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

func TestBash(t *testing.T) {
	bash, dir := need.Program(t, "bash"), place(t)
	start := `show() { printf '%s\0' "$@" '' >>.out; }; . '` + docs(t, "bash/pkc-run") + "'"
	complete(t, dir, start, "\x1b*", bash, "--norc", "--noprofile", "-i")
}

func TestZsh(t *testing.T) {
	zsh, dir := need.Program(t, "zsh"), place(t)
	start := `show() { printf '%s\0' "$@" '' >>.out }; fpath=('` + docs(t, "zsh") + `' $fpath); autoload -U compinit; compinit -D -u; ` +
		`all() { _main_complete; compstate[insert]=all }; zle -C all complete-word all; bindkey -e; bindkey '\e*' all`
	complete(t, dir, start, "\x1b*", zsh, "-f", "-i")
}

func TestFish(t *testing.T) {
	fish, dir := need.Program(t, "fish"), place(t)
	for _, c := range completions(t) {
		cmd := exec.Command(fish, "-N", "-c", "set fish_complete_path '"+docs(t, "fish")+"' $fish_complete_path; complete -C $argv[1]", c.typed)
		cmd.Dir = dir
		b, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", c.typed, err)
		}
		var got []string
		for line := range strings.Lines(string(b)) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			got = append(got, strings.TrimSuffix(word, "/"))
		}
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(c.want)); !slices.Equal(got, want) {
			t.Errorf("%q offers %q, want %q", c.typed, got, want)
		}
	}
}

// TestElvish asks the completers, for no key inserts all candidates there.
func TestElvish(t *testing.T) {
	elvish, dir := need.Program(t, "elvish"), place(t)
	tty := terminal(t, dir, elvish, "-norc")
	tty.enter(`use str; eval (slurp < '` + docs(t, "elvish/processkit-cli.elv") + `'); ` +
		`fn show {|@words| { print "x\x00"; $edit:completion:arg-completer[$words[0]] $@words | each {|c| ` +
		`var w = $c; if (not-eq (kind-of $c) string) { set w = $c[stem] }; if (str:has-prefix $w $words[-1]) { print $w"\x00" } }; print "\x00" } >> .out }` + "\r")
	for i, c := range completions(t) {
		words := strings.Fields(c.typed)
		if strings.HasSuffix(c.typed, " ") {
			words = append(words, "")
		}
		tty.enter("show '" + strings.Join(words, "' '") + "'\r")
		got := tty.shown(filepath.Join(dir, ".out"), i)[1:]
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(c.want)); !slices.Equal(got, want) {
			t.Errorf("%q offers %q, want %q", c.typed, got, want)
		}
	}
}

// tty is a program in a terminal of its own.
type tty struct {
	t      *testing.T
	master *os.File
	screen bytes.Buffer
	done   chan struct{}
}

func terminal(t *testing.T, dir string, args ...string) *tty {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err := errors.Join(err, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)); err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 500}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TERM=vt100", "INPUTRC=/dev/null", "HISTFILE=", "LC_ALL=C.UTF-8")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &tty{t: t, master: master, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		_, _ = io.Copy(&c.screen, master) // ends by EIO once the shell is gone
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		<-c.done
		master.Close()
		if t.Failed() {
			t.Logf("the screen:\n%s", &c.screen)
		}
	})
	return c
}

func (c *tty) enter(s string) {
	c.t.Helper()
	if _, err := io.WriteString(c.master, s); err != nil {
		c.t.Fatal(err)
	}
}

// shown waits for record n of the file and returns its words.
func (c *tty) shown(path string, n int) []string {
	c.t.Helper()
	const patience = 30 * time.Second
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		b, _ := os.ReadFile(path)
		if records := strings.SplitAfter(string(b), "\x00\x00"); len(records) > n+1 {
			words := strings.Split(strings.TrimSuffix(records[n], "\x00\x00"), "\x00")
			for i := range words {
				words[i] = strings.TrimSuffix(words[i], "/") // some shells mark directories
			}
			return words
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("nothing was shown in %v", patience)
		}
	}
}
