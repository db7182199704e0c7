// Pkc-events reads the event stream of a run. See eventscmd for flags and
// exit codes.
package main

import (
	"processkit-cli/pkc-events/eventscmd"
	"processkit-cli/pkcshared/applet"
)

func main() { applet.Main(eventscmd.New()) }
