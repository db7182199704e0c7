// Pkc-prune removes what runs left behind that did not end in order. See
// prunecmd for flags and exit codes.
package main

import (
	"processkit-cli/pkc-prune/prunecmd"
	"processkit-cli/pkcshared/applet"
)

func main() { applet.Main(prunecmd.New()) }
