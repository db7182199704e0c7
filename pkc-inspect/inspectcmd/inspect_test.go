package inspectcmd_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"processkit-cli/fixtures/script"
	"processkit-cli/pkc-inspect/inspectcmd"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/control/controltest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pkc-inspect": func() { applet.Main(inspectcmd.New()) },
	})
}

func TestScripts(t *testing.T) {
	script.Run(t, controltest.Commands(), controltest.SetUp)
}
