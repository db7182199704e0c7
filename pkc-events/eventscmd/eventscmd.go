// Package eventscmd is the events command: a stream for people, for programs,
// or against its schema.
package eventscmd

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"io"

	"processkit-cli/fixtures"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

//go:embed help.txt
var help string

// options mirrors the flags, unjudged.
type options struct {
	runID, file            string
	json, follow, validate bool
	given                  map[string]bool
}

// New makes the events command.
func New() *applet.Applet {
	var o options
	fs := flag.NewFlagSet("events", flag.ContinueOnError)
	fs.StringVar(&o.runID, "run-id", "", "")
	fs.StringVar(&o.file, "file", "", "")
	fs.BoolVar(&o.json, "json", false, "")
	fs.BoolVar(&o.follow, "follow", false, "")
	fs.BoolVar(&o.validate, "validate", false, "")
	return &applet.Applet{
		Name:  "events",
		Help:  help,
		Flags: fs,
		Exec: func(ctx context.Context, c *applet.Call) error {
			o.given = map[string]bool{}
			fs.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
			if err := o.check(); err != nil {
				return err
			}
			return events(ctx, c, &o)
		},
	}
}

func (o *options) check() error {
	switch {
	case o.given["run-id"] && o.given["file"]:
		return exit.Errorf(exit.Usage, "--run-id and --file exclude each other")
	case !o.given["run-id"] && !o.given["file"]:
		return exit.Errorf(exit.Usage, "either --run-id ID or --file FILE is required")
	case o.json && o.validate:
		return exit.Errorf(exit.Usage, "--json and --validate exclude each other")
	case o.given["file"] && o.file == "":
		return exit.Errorf(exit.Usage, "--file: want a path")
	}
	if o.given["run-id"] {
		if err := text.CheckRunID(o.runID); err != nil {
			return exit.Errorf(exit.Usage, "--run-id: %v", err)
		}
	}
	return nil
}

func events(ctx context.Context, c *applet.Call, o *options) error {
	s, err := openStream(o)
	if err != nil {
		return err
	}
	defer s.file.Close()
	var schema *event.Schema
	if o.validate || o.follow {
		if schema, err = event.CompileSchema(fixtures.EventSchema); err != nil {
			return err
		}
	}
	out := c.Output()
	p := newPrinter(c, out, o, schema)
	whole := false
	if o.follow {
		whole, err = newFollower(s, schema, p, out).follow(ctx, c)
	} else {
		err = drain(s.reader, p)
	}
	if l, ok := s.reader.Tail(); err == nil && !whole && ok {
		err = p.line(l)
	}
	if err != nil {
		_ = out.Flush()
		return err
	}
	return p.end()
}

// drain prints all lines that are complete.
func drain(r *event.Reader, p printer) error {
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return unreadable(err)
		}
		if err := p.line(l); err != nil {
			return err
		}
	}
}

func unreadable(err error) error { return exit.Errorf(exit.Setup, "cannot read the stream: %w", err) }
