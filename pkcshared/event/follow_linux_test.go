package event

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"
)

func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestIdleWaitSleeps(t *testing.T) {
	r, _ := growing(t)
	g := NewGrowth(r)
	defer g.Close()
	if g.n == nil {
		t.Skip("the file system of the temporary directory does not notify")
	}
	before := cpu(t)
	ctx, cancel := context.WithTimeout(t.Context(), 600*time.Millisecond) // more than two polls
	defer cancel()
	if err := g.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait = %v, want %v: nothing was written", err, context.DeadlineExceeded)
	}
	if used := cpu(t) - before; used > 60*time.Millisecond {
		t.Errorf("an idle wait took %v of CPU time", used)
	}
}

func TestNoNotifierForOtherFileSystems(t *testing.T) {
	f, err := Open("/proc/self/status")
	if err != nil {
		t.Skip("no /proc")
	}
	defer f.Close()
	if g := NewGrowth(f); g.n != nil {
		g.Close()
		t.Error("NewGrowth trusts inotify in procfs, which does not notify")
	}
}
