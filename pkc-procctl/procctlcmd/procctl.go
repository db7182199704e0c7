// Package procctlcmd is the procctl command: it launches a command that
// outlives its terminal, and stops it only when the live process proves to be
// the one that was launched.
package procctlcmd

import (
	_ "embed"

	"processkit-cli/pkcshared/applet"
)

//go:embed help.txt
var help string

// New makes the procctl command with launch and stop inside.
func New() *applet.Applet {
	return &applet.Applet{
		Name:  "procctl",
		Help:  help,
		Inner: []*applet.Applet{newLaunch(), newStop()},
	}
}
