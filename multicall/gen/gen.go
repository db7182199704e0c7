// Package gen makes man pages and shell completions from the tools' own flags
// and help texts.
package gen

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"processkit-cli/pkcshared/applet"
)

// Files returns what is generated for a suite by its path below docs. help is
// what the suite itself prints.
func Files(m *applet.Multicall, help string) (map[string]string, error) {
	s, err := newSuite(m, help)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	s.manPages(files)
	if err := s.completions(files); err != nil {
		return nil, err
	}
	return files, nil
}

// suite is the root of the commands.
type suite struct {
	Name  string
	root  command   // the suite's own flags and help
	tools []command // in the order of its help
}

// command is one that can be called, also one that is only the roof of others.
type command struct {
	Path     string // "run", "procctl stop"; empty for the suite
	Summary  string
	Flags    []option
	Args     []option // what stands among the flags, named by Value only
	Operands bool
	Inner    []command
	help     help
}

// option is one flag.
type option struct {
	Name    string
	Short   string // one letter, or empty
	Value   string // what it takes, such as DURATION; empty for a switch
	Summary string
	Repeats bool
	Kind    kind
	Words   []string // for kind words
}

// kind is how a value is completed.
type kind string

const (
	nothing    kind = ""
	file       kind = "file"
	directory  kind = "dir"
	live       kind = "live"       // id of a live run
	registered kind = "registered" // id of a run in the registry
	words      kind = "words"
)

func newSuite(m *applet.Multicall, text string) (*suite, error) {
	s := &suite{Name: m.Name, root: command{Summary: m.Summary, help: parse(text)}}
	var err error
	if s.root.Flags, err = s.root.options(nil); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	for _, e := range m.Tools {
		c, err := newCommand(e.New(), e.Name, e.Summary)
		if err != nil {
			return nil, err
		}
		s.tools = append(s.tools, c)
	}
	return s, nil
}

func newCommand(a *applet.Applet, path, summary string) (command, error) {
	c := command{Path: path, Summary: summary, Operands: a.Operands, help: parse(a.Help)}
	c.help.rename("-h, --help", "print one screen of help (-h) or all of it (--help)") // there it is "this text"
	for _, in := range a.Inner {
		i := slices.IndexFunc(c.help.items(), func(i item) bool { return i.term == in.Name })
		if i < 0 {
			return c, fmt.Errorf("%s: the help does not tell of %s", path, in.Name)
		}
		inner, err := newCommand(in, path+" "+in.Name, c.help.items()[i].text)
		if err != nil {
			return c, err
		}
		c.Inner = append(c.Inner, inner)
	}
	for _, name := range a.Args {
		c.Args = append(c.Args, option{Value: name, Kind: c.kindOf("", name)})
	}
	real := []string{"error-format", "help"}
	if a.Flags != nil {
		real = append(real, applet.Flags(a.Flags)...)
	}
	var err error
	if c.Flags, err = c.options(real); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	if a.Flags == nil {
		return c, nil
	}
	for i := range c.Flags {
		if f := a.Flags.Lookup(c.Flags[i].Name); f != nil {
			if err := c.Flags[i].compare(f.Value); err != nil {
				return c, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return c, nil
}

// compare adds what the flag itself knows, and holds the help against it.
func (o *option) compare(v flag.Value) error {
	r, ok := v.(interface{ Repeats() bool })
	o.Repeats = ok && r.Repeats()
	b, ok := v.(interface{ IsBoolFlag() bool })
	if isSwitch := ok && b.IsBoolFlag(); isSwitch != (o.Value == "") {
		return fmt.Errorf("the help is wrong on whether --%s takes a value", o.Name)
	}
	return nil
}

// options are the flags in the order of the help. They must be those that are
// real; nil is for a command that has no flag set.
func (c *command) options(real []string) ([]option, error) {
	var all []option
	for _, i := range c.help.items() {
		short := ""
		for term := range strings.SplitSeq(i.term, ", ") {
			name, value, _ := strings.Cut(term, " ")
			long, ok := strings.CutPrefix(name, "--")
			switch known := slices.IndexFunc(all, func(o option) bool { return o.Name == long }); {
			case !ok && strings.HasPrefix(name, "-"):
				short = name[1:]
			case !ok || known >= 0:
			case real != nil && !slices.Contains(real, long):
				return nil, fmt.Errorf("the help tells of --%s, which is not there", long)
			default:
				o := option{Name: long, Short: short, Value: value, Summary: clause(i.text), Kind: c.kindOf(long, value)}
				if o.Kind == words {
					o.Words = c.wordsOf(value)
				}
				all = append(all, o)
			}
		}
	}
	for _, name := range real {
		if !slices.ContainsFunc(all, func(o option) bool { return o.Name == name }) {
			return nil, fmt.Errorf("the help does not tell of --%s", name)
		}
	}
	return all, nil
}

// clause is the first part of a description, enough for a menu.
func clause(text string) string {
	text, _, _ = strings.Cut(text, "; ")
	return strings.TrimSuffix(text, " (required)")
}

func (c *command) kindOf(flag, value string) kind {
	switch {
	case value == "FILE":
		return file
	case value == "DIR":
		return directory
	case flag == "run-id" && c.Path == "events":
		return registered // a stream can be read when its run is over
	case flag == "run-id" && !c.Operands: // who starts a run gives it a new id
		return live
	case c.wordsOf(value) != nil:
		return words
	}
	return nothing
}

// wordsOf are the values of a flag where the help lists them: human|json, or a
// list that is headed by the name of the value.
func (c *command) wordsOf(value string) []string {
	if strings.Contains(value, "|") {
		return strings.Split(value, "|")
	}
	for _, b := range c.help.all {
		if value == "" || !strings.HasPrefix(b.heading, value+" ") {
			continue
		}
		var list []string
		for _, i := range b.items {
			list = append(list, i.term)
		}
		return list
	}
	return nil
}
