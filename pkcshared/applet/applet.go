// Package applet is the shell around every tool of the suite: strict flags,
// help, one line per failure, the exit code. A tool is a value made by its
// New; it runs alone or inside the multicall and behaves the same.
package applet

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"processkit-cli/pkcshared/exit"
)

// Applet is one command.
type Applet struct {
	Name string // as a subcommand, such as "run"

	// Help is the whole help text. Its part before a line that starts with
	// "All options" is what -h shows.
	Help string

	// Flags holds the command's own flags. Their Set must accept any text:
	// values are judged by Exec, which can name a flag without its value.
	Flags *flag.FlagSet

	// Args names the arguments that stand among the flags, such as "FILE".
	// Each is given once.
	Args []string

	// Operands is set for a command that takes "-- PROGRAM ARG...".
	Operands bool

	// Inner are the commands of one that is only their roof: the first
	// argument chooses, and Flags, Args, Operands and Exec stay unset.
	Inner []*Applet

	// Early, if set, is called before the arguments are read.
	Early func()

	// Exec runs the command. The error says how it ended, see package exit.
	Exec func(ctx context.Context, c *Call) error
}

// Call is one invocation of an applet.
type Call struct {
	In, Out, Err *os.File
	Prog         string   // the name it was called by, for messages
	Args         []string // one for each of the applet's Args
	Operands     []string // what followed "--"

	alone bool // Prog is a tool of its own, not the multicall
}

// words are what a user types to call the command of that name.
func (c *Call) words(name string) string {
	if c.alone {
		_, name, _ = strings.Cut(name, " ") // Prog says the first word
	}
	return strings.TrimSpace(c.Prog + " " + name)
}

// asCalled puts those words into a help text, where its usage and examples
// have the bare name.
func (c *Call) asCalled(help, name string) string {
	words := c.words(name)
	for _, indent := range [...]string{"\n  ", "\n       "} { // examples, further usage
		help = strings.ReplaceAll(help, indent+name+" ", indent+words+" ")
	}
	help = strings.Replace(help, shortEnd, "\nMore: "+words+" --help\n", 1)
	if rest, ok := strings.CutPrefix(help, "usage: "+name); ok {
		return "usage: " + words + rest
	}
	return help
}

// Warn prints a notice that does not end the command.
func (c *Call) Warn(format string, args ...any) {
	fmt.Fprintf(c.messages(), "%s: warning: %s\n", c.Prog, oneLine(fmt.Sprintf(format, args...)))
}

// Version is stamped by the linker.
var Version = "0.0.0-dev"

// Main runs a stand-alone tool and ends the process.
func Main(a *Applet) { single(a, newCall()) }

func single(a *Applet, c *Call) {
	c.alone = true
	args := os.Args[1:]
	if len(args) == 1 && (args[0] == "--version" || args[0] == "-V") {
		os.Exit(int(c.print(c.Out, c.Prog+" "+Version+"\n")))
	}
	os.Exit(int(run(a, c, args, "")))
}

func newCall() *Call {
	return &Call{In: os.Stdin, Out: survivor(os.Stdout, 1), Err: survivor(os.Stderr, 2), Prog: progName(os.Args[0])}
}

// progName is the name that a program was called by.
func progName(arg0 string) string {
	return strings.TrimSuffix(folded(filepath.Base(arg0)), ".exe")
}

// run parses args and executes. format is an --error-format that was given
// before the subcommand, or "".
func run(a *Applet, c *Call, args []string, format string) exit.Code {
	if len(a.Inner) > 0 {
		return runInner(a, c, args, format)
	}
	format, err := execute(a, c, args, format)
	if err == nil {
		return exit.OK
	}
	var help errHelp
	if errors.As(err, &help) {
		return c.print(c.Out, c.asCalled(help.text, a.Name))
	}
	c.report(a.Name, format, runIDOf(a.Flags), err)
	return exit.CodeOf(err)
}

// errHelp ends parsing with a text instead of a command.
type errHelp struct{ text string }

func (errHelp) Error() string { return "help requested" }

func execute(a *Applet, c *Call, args []string, format string) (string, error) {
	if a.Early != nil {
		a.Early()
	}
	given := format != ""
	formatFlag := a.Flags.String("error-format", "human", "")
	scanned, err := scan(a, args)
	if err != nil {
		return "human", err
	}
	if given && scanned.seen["error-format"] {
		return "human", exit.Errorf(exit.Usage, "--error-format is given twice")
	}
	a.Flags.SetOutput(io.Discard)
	cmd := &ffcli.Command{
		Name:    a.Name,
		FlagSet: a.Flags,
		Exec:    func(ctx context.Context, _ []string) error { return a.Exec(ctx, c) },
	}
	if err := cmd.Parse(scanned.args); err != nil {
		return "human", exit.Errorf(exit.Usage, "%v", err)
	}
	if !given {
		format = *formatFlag
	}
	if format != "human" && format != "json" {
		return "human", exit.Errorf(exit.Usage, "--error-format: want human or json")
	}
	c.Args, c.Operands = scanned.plain, scanned.operands
	return format, cmd.Run(context.Background())
}

// print writes a result that is all the command does. A reader that went away
// has seen what it wanted.
func (c *Call) print(to *os.File, text string) exit.Code {
	if _, err := io.WriteString(to, text); err != nil && !isClosedPipe(err) {
		fmt.Fprintf(c.messages(), "%s: cannot write: %v\n", c.Prog, err)
		return exit.Setup
	}
	return exit.OK
}
