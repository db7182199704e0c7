// Package probecmd is the probe command: what this build can do, and whether
// that is what the caller needs.
package probecmd

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"strconv"
	"strings"

	"processkit-cli/fixtures"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

//go:embed help.txt
var help string

// options mirrors the flags, unjudged.
type options struct {
	json, printSchema   bool
	schemaVersion, band string
	surface             applet.List
	given               map[string]bool
}

// New makes the probe command. surface tells what is there besides probe.
func New(surface func() []string) *applet.Applet {
	var o options
	fs := flag.NewFlagSet("probe", flag.ContinueOnError)
	fs.BoolVar(&o.json, "json", false, "")
	fs.BoolVar(&o.printSchema, "print-schema", false, "")
	fs.StringVar(&o.schemaVersion, "require-schema-version", "", "")
	fs.StringVar(&o.band, "require-exit-code-band", "", "")
	fs.Var(&o.surface, "require-surface", "")
	return &applet.Applet{
		Name:  "probe",
		Help:  help,
		Flags: fs,
		Exec: func(_ context.Context, c *applet.Call) error {
			o.given = map[string]bool{}
			fs.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
			want, err := o.demands()
			if err != nil {
				return err
			}
			if o.printSchema {
				return printSchema(c)
			}
			return probe(c, newReport(surface(), want))
		},
	}
}

// Whole is the surface of a binary that holds every tool.
func Whole() []string { return strings.Fields(fixtures.Surface) }

// demands judges the flags.
func (o *options) demands() (demands, error) {
	d := demands{surface: o.surface}
	if !o.json {
		return d, exit.Errorf(exit.Usage, "--json is required: there is no other output")
	}
	for name := range o.given {
		if o.printSchema && strings.HasPrefix(name, "require-") {
			return d, exit.Errorf(exit.Usage, "--print-schema excludes every --require- flag")
		}
	}
	if o.given["require-schema-version"] {
		n, err := parseVersion(o.schemaVersion)
		if err != nil {
			return d, exit.Errorf(exit.Usage, "--require-schema-version: %w", err)
		}
		d.schemaVersion = &n
	}
	if o.given["require-exit-code-band"] {
		start, end, err := text.ParseBand(o.band)
		if err != nil {
			return d, exit.Errorf(exit.Usage, "--require-exit-code-band: %w", err)
		}
		d.band = &band{start, end}
	}
	return d, nil
}

func parseVersion(s string) (uint32, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0, errors.New("want an integer from 0 to 4294967295")
	}
	return uint32(n), nil
}

func printSchema(c *applet.Call) error {
	out := c.Output()
	if _, err := out.WriteString(fixtures.EventSchema); err != nil {
		return err
	}
	return out.Flush()
}

// probe prints the report and ends by its verdict, also where nobody read it.
func probe(c *applet.Call, r report) error {
	out := c.Output()
	err := out.JSON(r)
	if err == nil {
		err = out.Flush()
	}
	if exit.CodeOf(err) != exit.OK || r.Compatible {
		return err
	}
	return exit.Errorf(exit.ProbeIncompatible, "not what is required: %s", strings.Join(r.Mismatches, "; "))
}
