package procctlcmd

import (
	"context"
	_ "embed"
	"flag"
	"path/filepath"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/exit"
)

//go:embed launch.txt
var launchHelp string

// plan is a judged command line of launch.
type plan struct {
	attempt, fingerprint, log string
	argv                      []string
}

func newLaunch() *applet.Applet {
	var p plan
	fs := flag.NewFlagSet("launch", flag.ContinueOnError)
	fs.StringVar(&p.attempt, "attempt", "", "")
	fs.StringVar(&p.fingerprint, "fingerprint", "", "")
	fs.StringVar(&p.log, "log", "", "")
	return &applet.Applet{
		Name:     "launch",
		Help:     launchHelp,
		Flags:    fs,
		Operands: true,
		Exec: func(ctx context.Context, c *applet.Call) error {
			p.argv = c.Operands
			if err := p.check(); err != nil {
				return err
			}
			return launch(ctx, c, p)
		},
	}
}

func (p *plan) check() error {
	for _, required := range []struct{ value, what string }{
		{p.attempt, "--attempt DIR"},
		{p.fingerprint, "--fingerprint FILE"},
		{p.log, "--log FILE"},
	} {
		if required.value == "" {
			return exit.Errorf(exit.Usage, "%s is required", required.what)
		}
	}
	if len(p.argv) == 0 {
		return exit.Errorf(exit.Usage, "a command is required: -- CMD [ARG...]")
	}
	if filepath.Clean(p.fingerprint) == filepath.Clean(p.log) {
		return exit.Errorf(exit.Usage, "--fingerprint and --log are one file")
	}
	return nil
}
