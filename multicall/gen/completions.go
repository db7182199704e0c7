package gen

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"processkit-cli/pkcshared/applet"
)

// Templates of the scripts. What a shell does is in them, what there is to be
// completed comes from the tools.
//
//go:embed templates
var templates embed.FS

func (s *suite) completions(files map[string]string) error {
	t, err := template.New("").Funcs(template.FuncMap{
		"sq":    quote(`'\''`),
		"fishq": quote(`\'`),
		"twice": quote(`''`), // PowerShell, Elvish
		"zshq": func(s string) string {
			return strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(s)
		},
		"ident":  func(s string) string { return strings.ReplaceAll(s, " ", "_") },
		"join":   strings.Join,
		"prefix": func() string { return applet.LinkPrefix },
	}).ParseFS(templates, "templates/*.tmpl")
	if err != nil {
		return err
	}
	for template, path := range map[string]string{
		"bash":       "bash/" + s.Name,
		"zsh":        "zsh/_" + s.Name,
		"fish":       "fish/" + s.Name + ".fish",
		"powershell": "powershell/" + s.Name + ".ps1",
		"elvish":     "elvish/" + s.Name + ".elv",
	} {
		var b strings.Builder
		if err := t.ExecuteTemplate(&b, template+".tmpl", s); err != nil {
			return err
		}
		files["completions/"+path] = b.String()
	}
	// These two look for a file by the name of the command.
	for _, c := range s.tools {
		tool := applet.LinkPrefix + c.Path
		files["completions/bash/"+tool] = fmt.Sprintf(". \"${BASH_SOURCE[0]%%/*}/%s\"\n", s.Name)
		files["completions/fish/"+tool+".fish"] = fmt.Sprintf("complete -c %s -w '%s %s'\n", tool, s.Name, c.Path)
	}
	return nil
}

// quote makes a text fit for between single quotes.
func quote(apostrophe string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, "'", apostrophe) }
}

// Tools, Commands and Root are for the templates.

// Tools are the commands that are also tools of their own.
func (s *suite) Tools() []command { return s.tools }

// Root is the suite itself: its flags, and all tools inside.
func (s *suite) Root() command {
	c := s.root
	c.Inner = append(s.tools[:len(s.tools):len(s.tools)], command{Path: "help", Summary: "print the help of a command"})
	return c
}

// Commands are all that words can lead to, the suite first. "help" has the
// same inside, without their flags.
func (s *suite) Commands() []command {
	all := []command{s.Root()}
	asked := command{Path: "help"}
	for _, c := range s.tools {
		all = append(append(all, c), c.Inner...)
		asked.Inner = append(asked.Inner, command{Path: "help " + c.Path, Summary: c.Summary})
	}
	all = append(all, asked)
	for _, c := range s.tools {
		if len(c.Inner) > 0 {
			h := command{Path: "help " + c.Path}
			for _, in := range c.Inner {
				h.Inner = append(h.Inner, command{Path: "help " + in.Path, Summary: in.Summary})
			}
			all = append(all, h)
		}
	}
	return all
}

// Word is the last word of the path: what is to be typed.
func (c command) Word() string { return c.Path[strings.LastIndex(c.Path, " ")+1:] }

// Depth is the number of words in the path.
func (c command) Depth() int { return len(strings.Fields(c.Path)) }

// Spec is a flag in one word: --name for a switch, --name=<kind> or
// --name=word|word for one that takes a value, and ... if it repeats.
func (o option) Spec() string {
	s := "--" + o.Name
	if o.Value != "" {
		s += "=" + o.Takes()
	}
	if o.Repeats {
		s += "..."
	}
	return s
}

// Takes is the part of a spec behind the equals sign.
func (o option) Takes() string {
	switch o.Kind {
	case nothing:
		return ""
	case words:
		return strings.Join(o.Words, "|")
	}
	return fmt.Sprintf("<%s>", o.Kind)
}

// Specs are those of all flags.
func (c command) Specs() string {
	var list []string
	for _, o := range c.Flags {
		list = append(list, o.Spec())
		if o.Short != "" {
			list = append(list, "-"+o.Short)
		}
	}
	return strings.Join(list, " ")
}

// Words are the commands inside.
func (c command) Words() string {
	var list []string
	for _, in := range c.Inner {
		list = append(list, in.Word())
	}
	return strings.Join(list, " ")
}
