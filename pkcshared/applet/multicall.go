package applet

import (
	"fmt"
	"os"
	"strings"

	"processkit-cli/pkcshared/exit"
)

// Entry is one tool of a multicall. New is a function so that only the tool
// that is called gets built.
type Entry struct {
	Name    string
	Summary string
	New     func() *Applet
}

// Multicall is many tools in one binary: chosen by the name it is called by,
// or by its first argument.
type Multicall struct {
	Name    string // of the binary
	Summary string
	Tools   []Entry
}

// LinkPrefix starts the name of every stand-alone tool.
const LinkPrefix = "pkc-"

// Main runs the multicall and ends the process.
func (m *Multicall) Main() {
	c := newCall()
	if name, ok := strings.CutPrefix(c.Prog, LinkPrefix); ok {
		if e := m.find(name); e != nil {
			single(e.New(), c)
		}
	}
	os.Exit(int(m.run(c, os.Args[1:])))
}

func (m *Multicall) run(c *Call, args []string) exit.Code {
	c.Prog, c.alone = m.Name, false
	format, args, err := leadingFormat("", args)
	if err != nil {
		return usage(c, "", err)
	}
	if len(args) == 0 {
		c.print(c.Err, m.help())
		return exit.Usage
	}
	if dir, ok := strings.CutPrefix(args[0], "--install="); ok {
		args = append([]string{"--install", dir}, args[1:]...)
	}
	switch args[0] {
	case "-h", "--help":
		return c.print(c.Out, m.help())
	case "-V", "--version":
		if len(args) > 1 {
			return m.usage(c, args[0]+" stands alone")
		}
		return c.print(c.Out, m.Name+" "+Version+"\n")
	case "--install":
		if len(args) != 2 {
			return m.usage(c, "--install needs one directory")
		}
		return m.install(c, args[1])
	case "help":
		return m.helpFor(c, args[1:])
	}
	e := m.find(args[0])
	if e == nil {
		return m.usage(c, m.unknown(args[0]))
	}
	return run(e.New(), c, args[1:], format)
}

func (m *Multicall) find(name string) *Entry {
	for i := range m.Tools {
		if m.Tools[i].Name == name {
			return &m.Tools[i]
		}
	}
	return nil
}

// unknown names what was taken for a command, and the one probably meant.
func (m *Multicall) unknown(arg string) string {
	if strings.HasPrefix(arg, "-") {
		name, _, _ := strings.Cut(arg, "=")
		return "unknown flag " + clip(name)
	}
	names := make([]string, len(m.Tools))
	for i, e := range m.Tools {
		names[i] = e.Name
	}
	if best := nearest(names, arg); best != "" {
		return "unknown command " + clip(arg) + ", did you mean " + best + "?"
	}
	return "unknown command " + clip(arg)
}

func (m *Multicall) usage(c *Call, message string) exit.Code {
	return usage(c, "", exit.Errorf(exit.Usage, "%s", message))
}

func (m *Multicall) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s COMMAND [FLAG...]\n\n%s\n\nCommands:\n", m.Name, m.Summary)
	for _, e := range m.Tools {
		fmt.Fprintf(&b, "  %-9s %s\n", e.Name, e.Summary)
	}
	fmt.Fprintf(&b, `
Every command is also a tool of its own, pkc-COMMAND.

  --install DIR               link this binary as every pkc-COMMAND in DIR
  --error-format human|json   shape of a failure on stderr, for any command
  -V, --version               print the version
  -h, --help                  print this; COMMAND --help tells about one command

Runs are registered below XDG_RUNTIME_DIR or HOME, on Windows LOCALAPPDATA, or
in the directory that PROCESSKIT_CLI_REGISTRY_DIR names; see list --help.

Exit codes: %d to %d are this suite's own, see COMMAND --help.
`, exit.BandStart, exit.BandEnd)
	return b.String()
}

func (m *Multicall) helpFor(c *Call, args []string) exit.Code {
	if len(args) == 0 {
		return c.print(c.Out, m.help())
	}
	if e := m.find(args[0]); e != nil {
		a := e.New()
		if len(args) == 2 {
			a = a.inner(args[1])
		}
		if a != nil && len(args) <= 2 {
			return c.print(c.Out, c.asCalled(a.Help, a.Name))
		}
	}
	return m.usage(c, "help takes the name of one command")
}
