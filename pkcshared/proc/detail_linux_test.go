package proc

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestDetails(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	pid := os.Getpid()
	if got, err := Dir(pid); err != nil || got != dir {
		t.Errorf("Dir(self) = %q, %v, want %q", got, err, dir)
	}
	if got, err := Owner(pid); err != nil || got != os.Geteuid() {
		t.Errorf("Owner(self) = %d, %v, want %d", got, err, os.Geteuid())
	}
	if got, err := Command(pid); err != nil || got != strings.Join(os.Args, " ") {
		t.Errorf("Command(self) = %q, %v, want %q", got, err, os.Args)
	}
	if id, err := BootID(); err != nil || len(id) != 36 {
		t.Errorf("BootID() = %q, %v, want a UUID", id, err)
	}
	if err := Numbers(); err != nil {
		t.Errorf("Numbers() = %v", err)
	}
}

// A zombie has a number and no command line; nothing has neither.
func TestDetailsOfTheDead(t *testing.T) {
	cmd := exec.Command("/bin/true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	for {
		if i, err := Read(pid); err != nil || i.Dead {
			break
		}
	}
	if got, err := Command(pid); err != nil || got != "" {
		t.Errorf("Command of a zombie = %q, %v, want none", got, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	_, dirErr := Dir(pid)
	_, ownerErr := Owner(pid)
	_, commandErr := Command(pid)
	for _, err := range []error{dirErr, ownerErr, commandErr} {
		if err != ErrGone {
			t.Errorf("details of no process: %v, want ErrGone", err)
		}
	}
}
