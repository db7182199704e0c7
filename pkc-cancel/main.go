// Pkc-cancel asks live runs to end cleanly. See cancelcmd for flags and exit
// codes.
package main

import (
	"processkit-cli/pkc-cancel/cancelcmd"
	"processkit-cli/pkcshared/applet"
)

func main() { applet.Main(cancelcmd.New()) }
