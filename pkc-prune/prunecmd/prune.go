// Package prunecmd is the prune command: it removes what runs left behind that
// did not end in order.
package prunecmd

import (
	"context"
	_ "embed"
	"flag"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/registry"
	"processkit-cli/pkcshared/text"
)

//go:embed help.txt
var help string

// New makes the prune command.
func New() *applet.Applet {
	var (
		labels    applet.List
		dry, json bool
	)
	fs := flag.NewFlagSet("prune", flag.ContinueOnError)
	fs.Var(&labels, "label", "")
	fs.BoolVar(&dry, "dry-run", false, "")
	fs.BoolVar(&json, "json", false, "")
	return &applet.Applet{
		Name:  "prune",
		Help:  help,
		Flags: fs,
		Exec: func(_ context.Context, c *applet.Call) error {
			wanted, err := text.ParseLabels(labels)
			if err != nil {
				return exit.Errorf(exit.Usage, "--label: %w", err)
			}
			return prune(c, registry.PruneOptions{DryRun: dry, Labels: wanted}, json)
		},
	}
}

func prune(c *applet.Call, o registry.PruneOptions, json bool) error {
	dir, err := registry.Dir()
	if err != nil {
		return noRegistry(err)
	}
	p, err := registry.Prune(dir, o)
	if err != nil {
		return noRegistry(err)
	}
	for _, leaf := range p.Busy {
		c.Warn("cgroup %s still holds processes; they and the cgroup were left alone", text.Quote(leaf))
	}
	for _, err := range p.Kept {
		c.Warn("%v", err)
	}
	out := c.Output()
	if json {
		err = out.JSON(newReport(p, o.DryRun))
	} else {
		_, err = out.WriteString(prose(p, o.DryRun))
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

func noRegistry(err error) error {
	return exit.As(exit.Setup, exit.KindRegistry, "cannot read the registry: %w", err)
}
