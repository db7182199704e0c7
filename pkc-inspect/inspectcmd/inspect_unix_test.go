//go:build unix

package inspectcmd_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"processkit-cli/fixtures/script"
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
	script.Run(t, map[string]script.Command{"fake": fake})
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
