// Pkc-list shows the registered runs and whether they live. See listcmd for
// flags and exit codes.
package main

import (
	"processkit-cli/pkc-list/listcmd"
	"processkit-cli/pkcshared/applet"
)

func main() { applet.Main(listcmd.New()) }
