// Package cancelcmd is the cancel command: a clean end for live runs.
package cancelcmd

import (
	_ "embed"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/control"
)

//go:embed help.txt
var help string

// New makes the cancel command.
func New() *applet.Applet { return control.Command(control.Cancel, help) }
