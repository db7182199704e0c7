// Pkc-kill ends live runs at once. See killcmd for flags and exit codes.
package main

import (
	"processkit-cli/pkc-kill/killcmd"
	"processkit-cli/pkcshared/applet"
)

func main() { applet.Main(killcmd.New()) }
