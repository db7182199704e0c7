package main

import (
	"processkit-cli/pkc-cancel/cancelcmd"
	"processkit-cli/pkc-events/eventscmd"
	"processkit-cli/pkc-inspect/inspectcmd"
	"processkit-cli/pkc-kill/killcmd"
	"processkit-cli/pkc-list/listcmd"
	"processkit-cli/pkc-probe/probecmd"
	"processkit-cli/pkc-procctl/procctlcmd"
	"processkit-cli/pkc-prune/prunecmd"
	"processkit-cli/pkc-run/runcmd"
	"processkit-cli/pkc-wait/waitcmd"
	"processkit-cli/pkcshared/applet"
)

func suite() *applet.Multicall {
	return &applet.Multicall{
		Name:    "processkit-cli",
		Summary: "Runs one command inside an operating-system container, keeps its exit code, and\nrecords its life as JSON lines.",
		Tools: []applet.Entry{
			{Name: "run", Summary: "run one command, contained and on record", New: runcmd.New},
			{Name: "inspect", Summary: "ask live runs what they are and who is inside", New: inspectcmd.New},
			{Name: "cancel", Summary: "ask live runs to end cleanly", New: cancelcmd.New},
			{Name: "kill", Summary: "end live runs at once", New: killcmd.New},
			{Name: "wait", Summary: "return when runs are over", New: waitcmd.New},
			{Name: "events", Summary: "show, follow or check an event stream", New: eventscmd.New},
			{Name: "list", Summary: "show the registered runs and whether they live", New: listcmd.New},
			{Name: "prune", Summary: "remove what dead runs left behind", New: prunecmd.New},
			{Name: "probe", Summary: "tell what this build can do", New: func() *applet.Applet { return probecmd.New(probecmd.Whole) }},
			{Name: "procctl", Summary: "launch a command on its own, stop it by its fingerprint", New: procctlcmd.New},
		},
	}
}
