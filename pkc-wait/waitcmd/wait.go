// Package waitcmd is the wait command: it returns when runs are over.
package waitcmd

import (
	"context"
	_ "embed"
	"flag"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/control"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/registry"
	"processkit-cli/pkcshared/text"
)

//go:embed help.txt
var help string

// options is a parsed command line.
type options struct {
	control.Choice
	timeout text.Millis // 0: none
	report  bool
}

// New makes the wait command.
func New() *applet.Applet {
	var (
		o       options
		timeout string
	)
	fs := flag.NewFlagSet("wait", flag.ContinueOnError)
	o.Flags(fs)
	fs.StringVar(&timeout, "timeout", "", "")
	fs.BoolVar(&o.report, "report-outcome", false, "")
	return &applet.Applet{
		Name:  "wait",
		Help:  help,
		Flags: fs,
		Exec: func(ctx context.Context, c *applet.Call) error {
			if err := o.Check(); err != nil {
				return err
			}
			var err error
			fs.Visit(func(f *flag.Flag) {
				if f.Name == "timeout" {
					o.timeout, err = text.ParsePositiveDuration(timeout)
				}
			})
			if err != nil {
				return exit.Errorf(exit.Usage, "--timeout: %w", err)
			}
			return wait(ctx, c, &o)
		},
	}
}

func wait(ctx context.Context, c *applet.Call, o *options) error {
	dir, err := registry.Dir()
	if err != nil {
		return noRegistry(err)
	}
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout.Duration())
		defer cancel()
	}
	var outcome any
	if o.All {
		outcome, err = all(ctx, dir, o)
	} else {
		outcome, err = one(ctx, dir, o)
	}
	if err != nil || !o.report {
		return err
	}
	out := c.Output()
	if err := out.JSON(outcome); err != nil {
		return err
	}
	return out.Flush()
}

// noRegistry has one code for both forms: to wait for an id is not to resolve
// it, since an unknown one is fine.
func noRegistry(err error) error {
	return exit.As(exit.Setup, exit.KindRegistry, "cannot read the registry: %w", err)
}
