package main

import (
	"processkit-cli/pkc-run/runcmd"
	"processkit-cli/pkcshared/applet"
)

func suite() *applet.Multicall {
	return &applet.Multicall{
		Name:    "processkit-cli",
		Summary: "Runs one command inside an operating-system container, keeps its exit code, and\nrecords its life as JSON lines.",
		Tools: []applet.Entry{
			{Name: "run", Summary: "run one command, contained and on record", New: runcmd.New},
		},
	}
}
