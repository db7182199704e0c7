// Pkc-probe tells what the installed tools can do. See probecmd for flags and
// exit codes.
package main

import (
	"processkit-cli/pkc-probe/internal/installed"
	"processkit-cli/pkc-probe/probecmd"
	"processkit-cli/pkcshared/applet"
)

func main() { applet.Main(probecmd.New(installed.Surface)) }
