package runcmd_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"processkit-cli/pkcshared/proc"
	"processkit-cli/pkcshared/registry"
)

// A runner that is killed at any step leaves at most what list calls stale and
// prune removes whole.
func TestKilledAtEveryStep(t *testing.T) {
	steps := []struct {
		name       string
		registered bool
	}{
		{"stream", false},
		{"setup", false},
		{"registered", true},
		{"published", true},
		{"container", true},
		{"race", true},
		{"decided", true},
		{"torn down", true},
		{"captured", true},
		{"withdrawn", false},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			mechanisms(t, func(t *testing.T, use func(*invocation)) {
				dir := filepath.Join(t.TempDir(), "runs")
				r := start(t, func(r *invocation) {
					use(r)
					r.env = append(r.env, stopEnv+"="+step.name, registry.DirEnv+"="+dir)
				}, "--run-id", "doomed", "--capture-dir", "logs", "--timeout", "100ms", "--", "child", "hang")
				runner := r.cmd.Process.Pid
				waitFor(t, "stop at "+step.name, func() bool {
					p, err := proc.Read(runner)
					return err == nil && p.Stopped
				})
				found := scan(t, dir)
				if got := len(found) == 1 && found[0].Probe() == registry.Live; got != step.registered {
					t.Fatalf("live in the registry = %t, want %t", got, step.registered)
				}
				waiting := waitEnded(t, dir)
				if err := syscall.Kill(runner, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				<-r.done
				waiting()
				if found := scan(t, dir); step.registered && (len(found) != 1 || found[0].Probe() != registry.Stale) {
					t.Errorf("after the kill: %+v, want one stale record", found)
				}
				if strings.Contains(r.raw(), "runner_exit") {
					t.Error("a killed runner wrote runner_exit")
				}
				pruned, err := registry.Prune(dir, registry.PruneOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if want := map[bool]int{true: 1}[step.registered]; pruned.Entries != want || len(pruned.Busy) > 0 {
					t.Errorf("pruned %+v, want %d entries", pruned, want)
				}
				if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
					t.Errorf("left in the registry: %v", left)
				}
				if left, _ := filepath.Glob(fmt.Sprintf("/tmp/pkc-%d-*", runner)); len(left) > 0 {
					t.Errorf("left of the socket: %v", left)
				}
				r.gone()
			})
		})
	}
}

func scan(t *testing.T, dir string) []registry.Found {
	t.Helper()
	found, err := registry.Scan(dir)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// waitEnded watches like a waiter, from before the end, and returns a function
// that expects the watch to see that no run is live.
func waitEnded(t *testing.T, dir string) func() {
	t.Helper()
	w := registry.NewWatch(dir)
	ended := make(chan error, 1)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	go func() {
		defer w.Close()
		for {
			found, err := registry.Scan(dir)
			if err != nil {
				ended <- err
				return
			}
			live := 0
			for i := range found {
				if found[i].Probe() == registry.Live {
					live++
				}
			}
			if live == 0 {
				ended <- nil
				return
			}
			if err := w.Wait(ctx, found, nil); err != nil {
				ended <- err
				return
			}
		}
	}()
	return func() {
		defer cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("waiting for the end: %v", err)
			}
		case <-time.After(limit):
			t.Error("the waiter was not woken")
		}
	}
}
