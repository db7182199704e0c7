// Pkc-wait returns when runs are over. See waitcmd for flags and exit codes.
package main

import (
	"processkit-cli/pkc-wait/waitcmd"
	"processkit-cli/pkcshared/applet"
)

func main() { applet.Main(waitcmd.New()) }
