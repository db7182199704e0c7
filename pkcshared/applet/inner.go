package applet

import (
	"strings"

	"processkit-cli/pkcshared/exit"
)

// Commands are what can be executed: the applet itself, or those inside it
// under their whole names, such as "procctl stop".
func (a *Applet) Commands() []*Applet {
	if len(a.Inner) == 0 {
		return []*Applet{a}
	}
	all := make([]*Applet, len(a.Inner))
	for i, in := range a.Inner {
		whole := *in
		whole.Name = a.Name + " " + in.Name
		all[i] = &whole
	}
	return all
}

// inner finds a command inside a, or nil.
func (a *Applet) inner(name string) *Applet {
	for i, in := range a.Inner {
		if in.Name == name {
			return a.Commands()[i]
		}
	}
	return nil
}

func runInner(a *Applet, c *Call, args []string, format string) exit.Code {
	format, args, err := leadingFormat(format, args)
	if err != nil {
		return usage(c, a.Name, err)
	}
	if len(args) == 0 {
		c.print(c.Err, c.asCalled(a.Help, a.Name))
		return exit.Usage
	}
	switch args[0] {
	case "-h":
		return c.print(c.Out, c.asCalled(short(a.Help), a.Name))
	case "--help":
		return c.print(c.Out, c.asCalled(a.Help, a.Name))
	}
	in := a.inner(args[0])
	if in == nil {
		return usage(c, a.Name, exit.Errorf(exit.Usage, "unknown command %s %s", a.Name, clip(args[0])))
	}
	return run(in, c, args[1:], format)
}

// leadingFormat takes --error-format from the front of args. format is the
// one that was given further ahead, or "".
func leadingFormat(format string, args []string) (string, []string, error) {
	for len(args) > 0 {
		name, value, attached := strings.Cut(args[0], "=")
		if name != "--error-format" {
			break
		}
		if format != "" {
			return "", nil, exit.Errorf(exit.Usage, "--error-format is given twice")
		}
		if !attached {
			if len(args) < 2 {
				return "", nil, exit.Errorf(exit.Usage, "--error-format needs a value: human or json")
			}
			value, args = args[1], args[1:]
		}
		if value != "human" && value != "json" {
			return "", nil, exit.Errorf(exit.Usage, "--error-format: want human or json")
		}
		format, args = value, args[1:]
	}
	return format, args, nil
}

// usage reports a bad command line before there is a command to report it;
// name is the roof it stands under, or "".
func usage(c *Call, name string, err error) exit.Code {
	c.report(name, "human", nil, err)
	return exit.Usage
}
