package control

import (
	"context"
	"flag"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/registry"
	"processkit-cli/pkcshared/text"
)

// Choice is which runs a command is for: --run-id, or --all and --label.
type Choice struct {
	RunID  string
	All    bool
	Labels [][2]string

	flags  *flag.FlagSet
	labels applet.List
}

// Flags adds the flags of a choice to fs, which has the name of the command.
func (c *Choice) Flags(fs *flag.FlagSet) {
	c.flags = fs
	fs.StringVar(&c.RunID, "run-id", "", "")
	fs.BoolVar(&c.All, "all", false, "")
	fs.Var(&c.labels, "label", "")
}

// Check judges the flags once they are parsed.
func (c *Choice) Check() error {
	named := false
	c.flags.Visit(func(f *flag.Flag) { named = named || f.Name == "run-id" })
	switch {
	case named && c.All:
		return exit.Errorf(exit.Usage, "--run-id and --all exclude each other")
	case !named && !c.All:
		return exit.Errorf(exit.Usage, "either --run-id ID or --all is required")
	case named && len(c.labels) > 0:
		return exit.Errorf(exit.Usage, "--label needs --all")
	}
	if named {
		if err := text.CheckRunID(c.RunID); err != nil {
			return exit.Errorf(exit.Usage, "--run-id: %w", err)
		}
	}
	var err error
	if c.Labels, err = text.ParseLabels(c.labels); err != nil {
		return exit.Errorf(exit.Usage, "--label: %w", err)
	}
	return nil
}

// Directory is the registry, or why there is none: for one run id that is a
// fault of control, for all of them one of the setup.
func (c *Choice) Directory() (string, error) {
	dir, err := registry.Dir()
	if err == nil {
		return dir, nil
	}
	if c.All {
		return "", exit.As(exit.Setup, exit.KindRegistry, "%w", err)
	}
	return "", named(Verb(c.flags.Name()), c.RunID, &failure{exit.KindRegistry, err})
}

// Command makes the cancel or the kill command: they differ in their verb.
func Command(verb Verb, help string) *applet.Applet {
	var choice Choice
	fs := flag.NewFlagSet(string(verb), flag.ContinueOnError)
	choice.Flags(fs)
	return &applet.Applet{
		Name:  string(verb),
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
				return sendAll(c, dir, choice.Labels, verb)
			}
			ack, err := Send(dir, choice.RunID, verb)
			if err != nil {
				return err
			}
			return answer(c, ack)
		},
	}
}

func sendAll(c *applet.Call, dir string, labels [][2]string, verb Verb) error {
	targets, err := Targets(dir, labels)
	if err != nil {
		return err
	}
	sent := SendAll(targets, verb)
	failed := 0
	for _, s := range sent {
		if s.Status == Failed {
			failed++
		}
	}
	return Partial(verb, failed, len(sent), answer(c, sent))
}

// Partial is how an aggregate ends: printed is what came of printing the
// report. Failures count even where nobody read the report to its end.
func Partial(verb Verb, failed, total int, printed error) error {
	if failed == 0 || exit.CodeOf(printed) != exit.OK {
		return printed
	}
	return exit.Errorf(exit.Control, "%s failed for %d of %d runs; the report tells why", verb, failed, total)
}

func answer(c *applet.Call, v any) error {
	out := c.Output()
	if err := out.JSON(v); err != nil {
		return err
	}
	return out.Flush()
}
