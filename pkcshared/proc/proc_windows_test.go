package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

const lingers = "PKC_PROC_TEST_LINGERS"

func TestMain(m *testing.M) {
	if os.Getenv(lingers) != "" {
		_, _ = os.Stdin.Read(make([]byte, 1))
		return
	}
	os.Exit(m.Run())
}

func of(t *testing.T, pid int) Info {
	t.Helper()
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		t.Fatal(err)
	}
	defer windows.CloseHandle(h)
	return Of(h, pid)
}

func TestOf(t *testing.T) {
	self := of(t, os.Getpid())
	name := filepath.Base(os.Args[0])
	if self.PID != os.Getpid() || self.PPID != os.Getppid() || !strings.EqualFold(self.Name, name) {
		t.Errorf("Of(self) = %+v, want pid %d, parent %d and name %s", self, os.Getpid(), os.Getppid(), name)
	}
	const epoch = 116444736000000000 // 1970 in 100 ns since 1601
	started := time.Unix(0, int64(self.Start-epoch)*100)
	if age := time.Since(started); age < 0 || age > time.Hour {
		t.Errorf("this process started at %v, want a moment ago", started)
	}
	if again := of(t, os.Getpid()); !again.Same(self) {
		t.Errorf("Of(self) = %+v and %+v, want one process", self, again)
	}

	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), lingers+"=1")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	got := of(t, child.Process.Pid)
	in.Close()
	_ = child.Wait()
	if got.PPID != self.PID || got.Start < self.Start || got.Same(self) {
		t.Errorf("Of(child) = %+v, want a child of %+v", got, self)
	}
}

// TestParentsThatAreNone: the number of a maker that has ended can be that of
// somebody else.
func TestParentsThatAreNone(t *testing.T) {
	self := of(t, os.Getpid())
	if got := parent(uint32(self.PID), self.Start-1); got != -1 {
		t.Errorf("parent(younger than the child) = %d, want -1", got)
	}
	if got := parent(uint32(self.PID), self.Start); got != self.PID {
		t.Errorf("parent(as old as the child) = %d, want %d", got, self.PID)
	}
}
