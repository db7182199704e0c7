// Pkc-run starts one command in a container of its own, keeps its exit code
// and records its life. See runcmd for flags and exit codes.
package main

import (
	"processkit-cli/pkc-run/runcmd"
	"processkit-cli/pkcshared/applet"
)

func main() { applet.Main(runcmd.New()) }
