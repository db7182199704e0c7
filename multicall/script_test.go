package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"

	"processkit-cli/fixtures/child/childcmd"
	"processkit-cli/fixtures/script"
	"processkit-cli/pkcshared/control"
	"processkit-cli/pkcshared/registry"
)

// The test binary plays the multicall under every name it can be called by,
// and the misbehaving child.
func TestMain(m *testing.M) {
	programs := map[string]func(){
		"child":          func() { os.Exit(childcmd.Main(os.Args[1:])) },
		"processkit-cli": suite().Main,
	}
	for _, tool := range suite().Tools {
		programs["pkc-"+tool.Name] = suite().Main
	}
	testscript.Main(m, programs)
}

// Whole-system scenarios: real runs, found and steered by id.
func TestScripts(t *testing.T) {
	cmds := map[string]script.Command{"killrunner": killRunner, "nothing": nothing, "eventual": eventual}
	script.Run(t, cmds, func(e *testscript.Env) error {
		e.Setenv("PROCESSKIT_CLI_MECHANISM", os.Getenv("PROCESSKIT_CLI_MECHANISM"))
		// A script that fails half-way leaves no run behind.
		e.Defer(func() {
			if left, err := control.Targets(e.Getenv(registry.DirEnv), nil); err == nil {
				control.SendAll(left, control.Kill)
			}
			_, _ = registry.Prune(e.Getenv(registry.DirEnv), registry.PruneOptions{})
		})
		return nil
	})
}

// killRunner FILE: sends SIGKILL to the runner of a snapshot: the parent of the
// root child.
func killRunner(ts *testscript.TestScript, _ bool, args []string) {
	snapshot := gjson.Parse(ts.ReadFile(args[0]))
	root := snapshot.Get("root_pid").Int()
	for _, m := range snapshot.Get("members").Array() {
		if m.Get("pid").Int() == root {
			p, err := os.FindProcess(int(m.Get("ppid").Int()))
			ts.Check(err)
			ts.Check(p.Kill())
			return
		}
	}
	ts.Fatalf("no root child in %s", snapshot.Raw)
}

// nothing GLOB...: expects that no file matches.
func nothing(ts *testscript.TestScript, _ bool, args []string) {
	for _, pattern := range args {
		found, err := filepath.Glob(ts.MkAbs(pattern))
		ts.Check(err)
		if len(found) > 0 {
			ts.Fatalf("still there: %v", found)
		}
	}
}

// eventual FILE TEXT: waits until the file holds the text.
func eventual(ts *testscript.TestScript, _ bool, args []string) {
	const limit = 30 * time.Second
	for deadline := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		b, _ := os.ReadFile(ts.MkAbs(args[0]))
		if strings.Contains(string(b), args[1]) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s does not hold %q after %v:\n%s", args[0], args[1], limit, b)
		}
	}
}
