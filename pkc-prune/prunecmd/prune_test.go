package prunecmd_test

import (
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"processkit-cli/fixtures/script"
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
	script.Run(t, map[string]script.Command{"live": live, "age": age})
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
