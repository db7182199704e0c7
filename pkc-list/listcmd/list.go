// Package listcmd is the list command: which runs are registered, and whether
// they live.
package listcmd

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

// filter is what an entry must have to be shown.
type filter struct {
	labels [][2]string
	health registry.Health // empty: any
}

// New makes the list command.
func New() *applet.Applet {
	var (
		labels applet.List
		health string
		json   bool
	)
	fs := flag.NewFlagSet("list", flag.ContinueOnError)
	fs.Var(&labels, "label", "")
	fs.StringVar(&health, "health", "", "")
	fs.BoolVar(&json, "json", false, "")
	return &applet.Applet{
		Name:  "list",
		Help:  help,
		Flags: fs,
		Exec: func(_ context.Context, c *applet.Call) error {
			var f filter
			var err error
			if f.labels, err = text.ParseLabels(labels); err != nil {
				return exit.Errorf(exit.Usage, "--label: %w", err)
			}
			fs.Visit(func(g *flag.Flag) {
				if g.Name == "health" {
					f.health, err = parseHealth(health)
				}
			})
			if err != nil {
				return err
			}
			return list(c, f, json)
		},
	}
}

func parseHealth(s string) (registry.Health, error) {
	switch h := registry.Health(s); h {
	case registry.Live, registry.Stale, registry.Unprobed:
		return h, nil
	}
	return "", exit.Errorf(exit.Usage, "--health: want live, stale or unprobed")
}

func list(c *applet.Call, f filter, json bool) error {
	dir, err := registry.Dir()
	if err != nil {
		return noRegistry(err)
	}
	found, err := registry.Scan(dir)
	if err != nil {
		return noRegistry(err)
	}
	found = registry.Filter(found, f.takes)
	out := c.Output()
	if json {
		err = printLines(out, found)
	} else {
		err = printTable(out, found)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

func noRegistry(err error) error {
	return exit.As(exit.Setup, exit.KindRegistry, "cannot read the registry: %w", err)
}

// takes probes an entry, if its labels match, and reports whether it is to be
// shown. A run that ended in order since it was read is no entry any more.
func (f filter) takes(e *registry.Found) bool {
	if !e.HasLabels(f.labels) {
		return false
	}
	health := e.Probe()
	return (f.health == "" || health == f.health) && (health != registry.Stale || !e.Gone())
}
