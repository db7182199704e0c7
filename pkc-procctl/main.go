// Pkc-procctl launches a command that outlives its terminal, and stops it only
// when it proves to be the one. See procctlcmd for flags and exit codes.
package main

import (
	"processkit-cli/pkc-procctl/procctlcmd"
	"processkit-cli/pkcshared/applet"
)

func main() { applet.Main(procctlcmd.New()) }
