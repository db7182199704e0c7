package waitcmd_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/notify"
	"processkit-cli/pkcshared/registry"
)

// gate plants a stale entry, started after all others so that it is asked last
// of its run id. What it returns waits until a pkc-wait has asked its lock: its
// view of the registry is then complete.
func gate(t *testing.T, dir, runID string) (passed func()) {
	t.Helper()
	record := fmt.Sprintf(`{"registry_version":1,"run_id":%q,"endpoint":null,"started_at":"2028-01-01T00:00:00.000Z",`+
		`"liveness":{"kind":"advisory_lock","lock_file":"gate.lock"}}`, runID)
	lock := filepath.Join(dir, "gate.lock")
	for path, content := range map[string]string{lock: "", filepath.Join(dir, "gate.json"): record} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opened, err := notify.Watch(lock, unix.IN_CLOSE_NOWRITE)
	if err != nil {
		t.Skipf("needs a local file system that notifies: %v", err)
	}
	t.Cleanup(func() { opened.Close() })
	return func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if _, err := opened.Read(ctx); err != nil {
			t.Fatalf("nobody asked the lock: %v", err)
		}
	}
}

// TestAllSnapshot: runs that start later are not waited for; endings are told in order, each as soon as its run is over.
func TestAllSnapshot(t *testing.T) {
	dir := t.TempDir()
	early, late := stream(t, "b"), stream(t, "c")
	killed := ready(t, dir, "a", stream(t, "a"))
	b := register(t, dir, registry.Record{RunID: "b", JSONL: &early})
	c := register(t, dir, registry.Record{RunID: "c", JSONL: &late})
	passed := gate(t, dir, "z")
	plain := waiter(t, dir, "--all", "--report-outcome", "--timeout=1h")
	passed()
	register(t, dir, registry.Record{RunID: "later"})
	b.Remove()
	add(t, early, fmt.Sprintf(runnerExit, "3", "child_exit", "3"))
	killed.Process.Kill()
	c.Remove()
	add(t, late, fmt.Sprintf(runnerExit, "106", "timeout", "null"))
	plain.ends(0, "["+`{"run_id":"a","status":"unknown","code":null,"source":null,"child_code":null}`+
		`,{"run_id":"b","status":"reported","code":3,"source":"child_exit","child_code":3}`+
		`,{"run_id":"c","status":"reported","code":106,"source":"timeout","child_code":null}]`+"\n")
}

// TestAllVanished: a run whose record is taken away is not waited for any more,
// though its lock is held.
func TestAllVanished(t *testing.T) {
	dir := t.TempDir()
	register(t, dir, registry.Record{RunID: "a"})
	records, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(records) != 1 {
		t.Fatalf("records %q, %v, want one", records, err)
	}
	passed := gate(t, dir, "z")
	p := waiter(t, dir, "--all")
	passed()
	if err := os.Remove(records[0]); err != nil {
		t.Fatal(err)
	}
	p.ends(0, "")
}

// TestAllUnprobed: a run that stops being probeable is still waited for, and
// no more is said of it than is known.
func TestAllUnprobed(t *testing.T) {
	dir := t.TempDir()
	register(t, dir, registry.Record{RunID: "a"})
	locks, err := filepath.Glob(filepath.Join(dir, "*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("locks %q, %v, want one", locks, err)
	}
	register(t, dir, registry.Record{RunID: "b"})
	passed := gate(t, dir, "z")
	p := waiter(t, dir, "--all", "--report-outcome", "--timeout=1500ms")
	passed()
	link := filepath.Join(dir, "link") // no lock goes by a link; without any the run would be over
	if err := errors.Join(os.Symlink("nowhere", link), os.Rename(link, locks[0])); err != nil {
		t.Fatal(err)
	}
	p.ends(112, "")
	if want := "gave up after 1500ms: 2 runs are outstanding, 1 of them unprobed"; !strings.Contains(p.err.String(), want) {
		t.Errorf("wait says %q, want %q", p.err.String(), want)
	}
}

// TestOutcome: the last event comes a moment after the record is gone. The
// gate shows when the live run has been seen.
func TestOutcome(t *testing.T) {
	dir, path := t.TempDir(), stream(t, "a")
	e := register(t, dir, registry.Record{RunID: "a", JSONL: &path})
	passed := gate(t, dir, "a")
	p := waiter(t, dir, "--run-id=a", "--report-outcome")
	passed()
	e.Remove()
	time.Sleep(100 * time.Millisecond)
	add(t, path, fmt.Sprintf(runnerExit, "0", "child_exit", "0"))
	p.ends(0, `{"run_id":"a","status":"reported","code":0,"source":"child_exit","child_code":0}`+"\n")
}

// BenchmarkWake measures from the end of a runner to the end of pkc-wait.
func BenchmarkWake(b *testing.B) {
	for _, how := range []string{"in-order", "killed"} {
		b.Run(how, func(b *testing.B) {
			var delays []time.Duration
			for b.Loop() {
				delays = append(delays, wake(b, how == "killed"))
			}
			slices.Sort(delays)
			b.ReportMetric(float64(delays[len(delays)/2].Microseconds()), "median-µs")
			b.ReportMetric(float64(delays[len(delays)-1].Microseconds()), "max-µs")
		})
	}
}

func wake(b *testing.B, kill bool) time.Duration {
	dir := b.TempDir()
	run := ready(b, dir, "a")
	p := waiter(b, dir, "--run-id=a")
	asleep(b, p.Process.Pid)
	if kill {
		run.Process.Kill()
	} else {
		run.in.Close()
	}
	<-run.done
	begin := time.Now()
	<-p.done
	return time.Since(begin)
}

// asleep returns when no thread of the process has run for a while.
func asleep(t testing.TB, pid int) {
	t.Helper()
	last, since := "", time.Now()
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(time.Millisecond) {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
		if err != nil {
			t.Fatal(err)
		}
		now := ""
		for _, task := range tasks {
			ran, _ := os.ReadFile(filepath.Join(task, "schedstat"))
			stat, _ := os.ReadFile(filepath.Join(task, "stat"))
			now += string(ran)
			if !strings.Contains(string(stat), ") S ") {
				since = time.Now()
			}
		}
		if now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) > 50*time.Millisecond {
			return
		}
	}
	t.Fatal("it never sleeps")
}
