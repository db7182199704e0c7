// Package inspectcmd is the inspect command: what live runs tell of themselves.
package inspectcmd

import (
	"context"
	_ "embed"
	"flag"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/control"
)

//go:embed help.txt
var help string

// New makes the inspect command.
func New() *applet.Applet {
	var (
		choice control.Choice
		json   bool
	)
	fs := flag.NewFlagSet("inspect", flag.ContinueOnError)
	choice.Flags(fs)
	fs.BoolVar(&json, "json", false, "")
	return &applet.Applet{
		Name:  "inspect",
		Help:  help,
		Flags: fs,
		Exec: func(_ context.Context, c *applet.Call) error {
			if err := choice.Check(); err != nil {
				return err
			}
			dir, err := choice.Directory()
			if err != nil {
				return err
			}
			if choice.All {
				return all(c, dir, choice.Labels, json)
			}
			return one(c, dir, choice.RunID, json)
		},
	}
}

func one(c *applet.Call, dir, runID string, json bool) error {
	s, err := control.InspectRun(dir, runID)
	if err != nil {
		return err
	}
	if json {
		return printJSON(c, s)
	}
	return printText(c, block(s))
}

func all(c *applet.Call, dir string, labels [][2]string, json bool) error {
	targets, err := control.Targets(dir, labels)
	if err != nil {
		return err
	}
	seen := control.InspectAll(targets)
	if json {
		err = printJSON(c, seen)
	} else {
		err = printText(c, overview(seen))
	}
	failed := 0
	for _, s := range seen {
		if s.Status == control.Failed {
			failed++
		}
	}
	return control.Partial(control.Inspect, failed, len(seen), err)
}
