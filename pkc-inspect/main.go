// Pkc-inspect shows live runs. See inspectcmd for flags and exit codes.
package main

import (
	"processkit-cli/pkc-inspect/inspectcmd"
	"processkit-cli/pkcshared/applet"
)

func main() { applet.Main(inspectcmd.New()) }
