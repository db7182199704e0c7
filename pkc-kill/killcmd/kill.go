// Package killcmd is the kill command: an end without delay for live runs.
package killcmd

import (
	_ "embed"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/control"
)

//go:embed help.txt
var help string

// New makes the kill command.
func New() *applet.Applet { return control.Command(control.Kill, help) }
