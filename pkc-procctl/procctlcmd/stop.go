package procctlcmd

import (
	"context"
	_ "embed"
	"flag"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

//go:embed stop.txt
var stopHelp string

func newStop() *applet.Applet {
	fs := flag.NewFlagSet("stop", flag.ContinueOnError)
	timeout := fs.String("timeout", "10s", "")
	return &applet.Applet{
		Name:  "stop",
		Help:  stopHelp,
		Flags: fs,
		Args:  []string{"FILE"},
		Exec: func(ctx context.Context, c *applet.Call) error {
			d, err := text.ParseDuration(*timeout)
			if err != nil {
				return exit.Errorf(exit.Usage, "--timeout: %w", err)
			}
			return stop(ctx, c.Args[0], d)
		},
	}
}
