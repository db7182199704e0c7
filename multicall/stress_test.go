package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"processkit-cli/fixtures/oracle"
	"processkit-cli/pkcshared/registry"
)

// TestStress has a hundred runs at once on one registry, and clients that list,
// prune, inspect and cancel all the while. Every run must end as it was told to
// and for no other reason, and nothing may be left. See `make stress`.
func TestStress(t *testing.T) {
	if os.Getenv("PKC_STRESS") == "" {
		t.Skip("needs PKC_STRESS=1: it keeps the machine busy for up to a minute")
	}
	const runs = 100
	dir := t.TempDir()
	t.Setenv(registry.DirEnv, filepath.Join(dir, "runs"))
	stream := func(i int) string { return filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)) }

	done := make(chan struct{})
	var clients sync.WaitGroup
	for _, args := range [][]string{
		{"pkc-list", "--json"},
		{"pkc-prune", "--json"},
		{"pkc-prune", "--json", "--dry-run"},
		{"pkc-inspect", "--all", "--json"},
	} {
		clients.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					tool(t, 0, args...)
				}
			}
		})
	}

	// A third is cancelled, a third is killed, a third ends by itself.
	var all sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range runs {
		all.Go(func() {
			slots <- struct{}{}
			id := fmt.Sprintf("run-%d", i)
			child := []string{"child", "hang"}
			if i%3 == 2 {
				child = []string{"child", "do", "hang", "2s", "+", "exit", fmt.Sprint(i)}
			}
			tool(t, 0, append([]string{"pkc-run", "--detach", "--run-id", id, "--jsonl", stream(i), "--"}, child...)...)
			<-slots
			time.Sleep(rand.N(time.Second)) // any moment will do
			slots <- struct{}{}
			switch i % 3 {
			case 0:
				tool(t, 0, "pkc-cancel", "--run-id", id)
			case 1:
				tool(t, 0, "pkc-kill", "--run-id", id)
			}
			<-slots
			tool(t, 0, "pkc-wait", "--run-id", id, "--timeout", "50s")
		})
	}
	all.Wait()
	close(done)
	clients.Wait()

	for i := range runs {
		want := [...]string{
			`"code":108,"source":"control_cancel","child_code":null`,
			`"code":109,"source":"control_kill","child_code":null`,
			fmt.Sprintf(`"code":%d,"source":"child_exit","child_code":%[1]d`, i),
		}[i%3]
		b, err := os.ReadFile(stream(i))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for line := range strings.Lines(string(b)) {
			if err := oracle.Line([]byte(line)); err != nil {
				t.Errorf("run %d: %v", i, err)
			}
			names = append(names, gjson.Get(line, "event").Str)
		}
		if err := oracle.Order(names); err != nil {
			t.Errorf("run %d: %v", i, err)
		}
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("run %d ended otherwise, want %s:\n%s", i, want, b)
		}
		if !bytes.Contains(b, []byte(`"remaining":0,"remaining_pids":[]`)) {
			t.Errorf("run %d left something:\n%s", i, b)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "runs", "*")); len(left) > 0 {
		t.Errorf("left in the registry: %v", left)
	}
}

// tool runs a tool to its end, which must be that code.
func tool(t *testing.T, want int, args ...string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Error(err)
		return
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		t.Errorf("%q = %d, want %d: %s", args, got, want, out)
	}
}
