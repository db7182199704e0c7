//go:build unix

package inspectcmd_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"processkit-cli/pkc-inspect/inspectcmd"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/control/controltest"
	"processkit-cli/pkcshared/registry"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pkc-inspect": func() { applet.Main(inspectcmd.New()) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv(registry.DirEnv, filepath.Join(e.WorkDir, "runs"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "fake": fake},
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

// fake KIND ID [KEY=VALUE...]: a run of a kind of controltest, with labels.
func fake(ts *testscript.TestScript, _ bool, args []string) {
	labels := map[string]string{}
	for _, l := range args[2:] {
		k, v, _ := strings.Cut(l, "=")
		labels[k] = v
	}
	r, err := controltest.Start(ts.Getenv(registry.DirEnv), args[0], args[1], labels)
	ts.Check(err)
	ts.Defer(r.Close)
}
