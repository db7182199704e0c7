package contain

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

const limit = 30 * time.Second

func newTestJob(t *testing.T) *job {
	t.Helper()
	g, err := Create(Limits{}, 0, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g.(*job)
}

// shell is a command of the system's own shell.
func shell(t *testing.T, line string) Command {
	t.Helper()
	dir, err := windows.GetSystemDirectory()
	if err != nil {
		t.Fatal(err)
	}
	return Command{Path: filepath.Join(dir, "cmd.exe"), Argv: []string{"cmd", "/d", "/c", line}, Env: os.Environ()}
}

func TestSpawn(t *testing.T) {
	g := newTestJob(t)
	child, err := g.Spawn(shell(t, "exit 7"))
	if err != nil {
		t.Fatal(err)
	}
	select {
	case st := <-child.Exited:
		if st.Code != 7 || st.Err != nil {
			t.Errorf("status = %+v, want code 7", st)
		}
	case <-time.After(limit):
		t.Fatal("the child does not end")
	}
	if !g.WaitEmpty(limit) {
		t.Error("the job is not empty")
	}
}

// A child that is to join the job afterwards has done nothing before.
func TestStartThenJoin(t *testing.T) {
	g := newTestJob(t)
	mark := filepath.Join(t.TempDir(), "mark")
	c := shell(t, "echo x>"+mark)
	p, err := createProcess(c, [3]windows.Handle{}, windows.CREATE_SUSPENDED, 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = windows.TerminateProcess(p.Process, 1)
	if held, err := windows.ResumeThread(p.Thread); err != nil || held != 1 {
		t.Errorf("the child was suspended %d times, %v, want once", held, err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a suspended child has written its file")
	}
	_ = windows.CloseHandle(p.Thread)
	_ = windows.CloseHandle(p.Process)

	p, err = g.startThenJoin(c, [3]windows.Handle{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer windows.CloseHandle(p.Process)
	defer windows.CloseHandle(p.Thread)
	if st := ending(p.Process); st.Err != nil || st.Code != 0 {
		t.Errorf("status = %+v", st)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Errorf("the child has not run: %v", err)
	}
	var a basicAccounting
	if err := queryJob(g.handle, windows.JobObjectBasicAccountingInformation, &a); err != nil || a.total != 1 {
		t.Errorf("accounting = %+v, %v, want one process", a, err)
	}
}

// The list of members grows with the job, and the wait for its end is woken.
func TestManyMembers(t *testing.T) {
	const n = 20 // more than the first list has room for
	g := newTestJob(t)
	in, out, err := os.Pipe() // nobody writes to it
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	c := shell(t, "pause")
	c.Stdio[0] = in.Fd()
	for range n {
		p, err := g.start(c)
		if err != nil {
			t.Fatal(err)
		}
		_ = windows.CloseHandle(p.Thread)
		_ = windows.CloseHandle(p.Process)
	}
	members, err := g.Members()
	if err != nil || len(members) != n {
		t.Errorf("Members() = %d, %v, want %d", len(members), err, n)
	}
	for _, m := range members {
		if m.Name != "cmd.exe" || m.PPID != os.Getpid() || m.Start == 0 {
			t.Errorf("member = %+v", m)
		}
	}
	if g.WaitEmpty(10 * time.Millisecond) {
		t.Error("WaitEmpty with all alive")
	}
	woken := make(chan bool, 1)
	go func() { woken <- g.WaitEmpty(limit) }()
	if err := windows.TerminateJobObject(g.handle, 1); err != nil {
		t.Fatal(err)
	}
	if !<-woken {
		t.Error("WaitEmpty is not woken by the end")
	}
	if err := g.Kill(limit); err != nil {
		t.Errorf("Kill of nobody: %v", err)
	}
}

func TestRateOf(t *testing.T) {
	tests := []struct {
		cores      float64
		processors uint32
		want       uint32 // 0 for refused
	}{
		{1, 4, 2500},
		{0.5, 1, 5000},
		{4, 4, 10_000},
		{9, 4, 10_000},
		{0.0004, 4, 1},
		{0.0001, 4, 0},
		{1, 0, 0},
	}
	for _, tt := range tests {
		if got, err := rateOf(tt.cores, tt.processors); got != tt.want || (err != nil) != (tt.want == 0) {
			t.Errorf("rateOf(%v, %d) = %d, %v, want %d", tt.cores, tt.processors, got, err, tt.want)
		}
	}
}
