package prunecmd_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"processkit-cli/pkc-prune/prunecmd"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/registry"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pkc-prune": func() { applet.Main(prunecmd.New()) },
	})
}

const stamp = "2027-02-03T04:05:06.007Z"

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv(registry.DirEnv, filepath.Join(e.WorkDir, "runs"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "live": live, "age": age,
		},
	})
}

// exits CODE PROGRAM ARG...: runs it to its end, which must be that code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		code = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("%q exits %d, want %s", args[1:], code, args[0])
	}
}

// live ID: registers a run that lives as long as the script.
func live(ts *testscript.TestScript, _ bool, args []string) {
	e, err := registry.Register(ts.Getenv(registry.DirEnv), registry.Record{RunID: args[0], StartedAt: stamp})
	ts.Check(err)
	ts.Defer(func() { e.Remove() })
}

// age FILE...: makes each a minute old.
func age(ts *testscript.TestScript, _ bool, files []string) {
	past := time.Now().Add(-time.Minute)
	for _, f := range files {
		ts.Check(os.Chtimes(ts.MkAbs(f), past, past))
	}
}
