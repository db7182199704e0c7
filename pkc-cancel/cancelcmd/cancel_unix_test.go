//go:build unix

package cancelcmd_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"processkit-cli/fixtures/script"
	"processkit-cli/pkc-cancel/cancelcmd"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/control/controltest"
	"processkit-cli/pkcshared/registry"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pkc-cancel": func() { applet.Main(cancelcmd.New()) },
	})
}

func TestScripts(t *testing.T) {
	script.Run(t, map[string]script.Command{"fake": fake, "heard": heard}, func(e *testscript.Env) error {
		e.Values["runs"] = map[string]*controltest.Run{}
		return nil
	})
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
