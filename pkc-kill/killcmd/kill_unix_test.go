//go:build unix

package killcmd_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"processkit-cli/pkc-kill/killcmd"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/control/controltest"
	"processkit-cli/pkcshared/registry"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pkc-kill": func() { applet.Main(killcmd.New()) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Values["runs"] = map[string]*controltest.Run{}
			e.Setenv(registry.DirEnv, filepath.Join(e.WorkDir, "runs"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "fake": fake, "heard": heard},
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
	ts.Value("runs").(map[string]*controltest.Run)[args[1]] = r
}

// heard ID [VERB...]: that is all the run was passed, now or soon.
func heard(ts *testscript.TestScript, _ bool, args []string) {
	r, want := ts.Value("runs").(map[string]*controltest.Run)[args[0]], fmt.Sprint(args[1:])
	for end := time.Now().Add(10 * time.Second); fmt.Sprint(r.Heard()) != want; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("%s was passed %v, want %s", args[0], r.Heard(), want)
		}
	}
}
