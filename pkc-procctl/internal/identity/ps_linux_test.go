package identity

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestParsePS(t *testing.T) {
	want := Process{PID: 77, PGID: 70, UID: 1001, Start: Start{Kind: PSSeconds, Sec: 1772323206}}
	got, err := parsePS("   77    70  1001 Ss+  Sun Mar  1 00:00:06 2026")
	if err != nil || got != want {
		t.Errorf("parsePS = %v, %v, want %v", got, err, want)
	}
	if _, err := parsePS("77 70 1001 Z Sun Mar 1 00:00:06 2026"); err != ErrEnded {
		t.Errorf("parsePS of a zombie = %v, want ErrEnded", err)
	}
	for _, line := range []string{
		"", "77", "77 70 1001 S Sun Mar 1 2026", "77 70 root S Sun Mar 1 00:00:06 2026",
		"77 70 1001 S Sun Mar 1 25:00:06 2026", "77 70 1001 S dim. mars 1 00:00:06 2026", "77 70 1001 S Sun Mar 1 00:00:06 2026 x",
	} {
		if got, err := parsePS(line); err == nil {
			t.Errorf("parsePS(%q) = %v, want an error", line, got)
		}
	}
}

// TestPS: what ps says is what the kernel says, less exactly.
func TestPS(t *testing.T) {
	if err := exec.Command("/bin/ps", "-p", "1", "-o", "lstart=").Run(); err != nil {
		t.Skipf("needs a ps that knows lstart: %v", err)
	}
	cmd := exec.Command("sleep", "600")
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	want, err := Read(t.Context(), pid)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readPS(t.Context(), pid)
	if err != nil || got.PID != pid || got.PGID != want.PGID || got.UID != want.UID || got.Dir != want.Dir {
		t.Errorf("readPS = %v, %v, want %v", got, err, want)
	}
	if d := time.Unix(got.Start.Sec, 0).Sub(began).Abs(); d > 3*time.Second {
		t.Errorf("readPS: started at %d, %v away", got.Start.Sec, d)
	}
	if c, err := psCommand(t.Context(), pid); err != nil || c != "sleep 600" {
		t.Errorf("psCommand = %q, %v", c, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readPS(ctx, pid); err == nil || errors.Is(err, ErrEnded) {
		t.Errorf("readPS without time = %v, want that it failed", err)
	}
	_ = cmd.Process.Kill()
	for {
		if _, err := Read(t.Context(), pid); err == ErrEnded {
			break
		}
	}
	for _, how := range []string{"zombie", "nobody"} {
		if _, err := readPS(t.Context(), pid); err != ErrEnded {
			t.Errorf("readPS of a %s = %v, want ErrEnded", how, err)
		}
		if _, err := Read(t.Context(), pid); err != ErrEnded {
			t.Errorf("Read of a %s = %v, want ErrEnded", how, err)
		}
		_ = cmd.Wait()
	}
}

func TestObserve(t *testing.T) {
	s, err := Observe(t.Context(), os.Getpid())
	dir, _ := os.Getwd()
	if err != nil || s.Command != strings.Join(os.Args, " ") || s.Dir != dir || s.UID != os.Geteuid() || s.User == "" || s.Start.Kind != StartKind {
		t.Errorf("Observe(self) = %v, %v", s, err)
	}
	if _, err := Observe(t.Context(), 1<<30); err != ErrEnded {
		t.Errorf("Observe of nobody = %v, want ErrEnded", err)
	}
}
