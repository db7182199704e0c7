package gen

import (
	"slices"
	"strings"

	"processkit-cli/pkcshared/applet"
)

// manPages makes a page for every tool, and one for the suite.
func (s *suite) manPages(files map[string]string) {
	for _, c := range s.tools {
		files["man/"+applet.LinkPrefix+c.Path+".1"] = s.toolPage(c)
	}
	files["man/"+s.Name+".1"] = s.suitePage()
}

func (s *suite) toolPage(c command) string {
	p := s.page(applet.LinkPrefix+c.Path, c.Summary)
	p.synopsis(&c)
	p.section(1, "Description")
	p.about(&c)
	p.paragraph(s.Name + " " + c.Path + " is the same command.")
	p.command(&c, 1)
	for _, in := range c.Inner {
		p.section(1, applet.LinkPrefix+in.Path)
		p.forms(&in)
		p.about(&in)
		p.command(&in, 2)
	}
	p.seeAlso(s, c.Path)
	return p.String()
}

func (s *suite) suitePage() string {
	summary, _, _ := strings.Cut(oneLine(s.root.Summary), ", ")
	p := s.page(s.Name, strings.ToLower(summary[:1])+summary[1:])
	p.synopsis(&s.root)
	p.section(1, "Description")
	var options []item
	for _, b := range s.root.help.about {
		switch {
		case b.heading == "Commands":
			p.section(1, "Commands")
			for _, c := range s.tools {
				p.entry(bold(c.Path), c.Summary+"; see")
				p.line(reference(applet.LinkPrefix+c.Path, "."))
			}
		case b.items != nil:
			options = b.items
		default:
			p.paragraph(b.prose)
		}
	}
	p.section(1, "Options")
	for _, i := range options {
		p.entry(flags(i.term), i.text)
	}
	p.section(1, "Exit status")
	p.prose(s.root.help.note)
	p.seeAlso(s, "")
	return p.String()
}

// page is a man page under construction.
type page struct{ roff }

// edition is the date in the pages, raised by hand with a release: they must
// not differ from one day to the next.
const edition = "2026-11-29"

// page starts with the title.
func (s *suite) page(name, summary string) *page {
	p := new(page)
	p.line(`.\" Made from the help text by make docs.`)
	p.line(".TH", escape(strings.ToUpper(name)), "1", edition, escape(s.Name))
	p.section(1, "Name")
	p.line(escape(name), `\-`, escape(summary))
	return p
}

func (p *page) synopsis(c *command) {
	p.section(1, "Synopsis")
	p.forms(c)
}

// forms are the ways to call a command, under the name of the tool.
func (p *page) forms(c *command) {
	for i, form := range c.help.usage {
		if i > 0 {
			p.line(".br")
		}
		name, rest := c.called(form)
		p.line(bold(name))
		p.prose(rest)
	}
}

// called turns "procctl stop FILE" into "pkc-procctl stop" and the rest.
func (c *command) called(line string) (name, rest string) {
	if c.Path == "" {
		name, rest, _ = strings.Cut(line, " ")
		return name, rest
	}
	if rest, ok := strings.CutPrefix(line, c.Path+" "); ok {
		return applet.LinkPrefix + c.Path, rest
	}
	return line, ""
}

func (p *page) about(c *command) {
	for _, b := range c.help.about {
		if b.items == nil {
			p.paragraph(b.prose)
			continue
		}
		for _, i := range b.items { // flags come below, with all that there is to say
			if !strings.HasPrefix(i.term, "-") && !slices.ContainsFunc(c.Args, func(a option) bool { return a.Value == i.term }) {
				p.entry(bold(i.term), i.text)
			}
		}
	}
}

// command is what follows the description: the options and the rest of the
// help, the exit codes, the example.
func (p *page) command(c *command, level int) {
	last := -1
	for i, b := range c.help.all {
		if slices.ContainsFunc(b.items, isFlag) {
			last = i
		}
	}
	p.section(level, "Options")
	for _, i := range c.help.firstOnly() {
		p.entry(flags(i.term), i.text)
	}
	for _, b := range c.help.all[:last+1] {
		p.part(c, b, level+1)
	}
	var titled []block
	rest := c.help.all[last+1:]
	for i, b := range rest {
		if b.heading != "" && !strings.Contains(b.heading, " ") {
			titled = append(titled, b)
			continue
		}
		if i == len(titled) { // the first of these
			p.section(level, "Details")
		}
		p.part(c, b, level+1)
	}
	for _, b := range titled {
		p.section(level, b.heading)
		b.heading = ""
		p.part(c, b, level+1)
	}
	p.section(level, "Exit status")
	for _, i := range c.help.exits.items {
		p.entry(bold(i.term), i.text)
	}
	if c.help.note != "" {
		p.paragraph(c.help.note)
	}
	p.section(level, "Examples")
	var lines []string
	for _, l := range c.help.examples {
		name, rest := c.called(l)
		lines = append(lines, strings.TrimSpace(name+" "+rest))
	}
	p.verbatim(lines)
}

// part writes one block. The heading of a list of flags is a title and, behind
// a semicolon, what holds for all of them.
func (p *page) part(c *command, b block, level int) {
	if b.heading != "" {
		title, more, _ := strings.Cut(b.heading, "; ")
		switch {
		case !slices.ContainsFunc(b.items, isFlag):
			p.paragraph(b.heading + ":")
		case level == 2:
			p.section(2, title)
			if more != "" {
				p.prose(strings.ToUpper(more[:1]) + more[1:] + ".")
			}
		default:
			p.paragraph(b.heading + ":")
		}
	}
	if b.prose != "" {
		p.paragraph(b.prose)
	}
	for _, i := range b.items {
		p.item(c, i)
	}
}

// item takes what the second part of the help says of a flag. It says "as above"
// where the first has all or most of it, then of several at once.
func (p *page) item(c *command, i item) {
	more, again := strings.CutPrefix(i.text, "as above")
	more = strings.TrimPrefix(more, "; ")
	if !again {
		p.entry(flags(i.term), i.text)
		return
	}
	for term := range strings.SplitSeq(i.term, ", ") {
		p.entry(flags(term), join(c.first(term), more))
		more = ""
	}
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// first is what the first screen says of a term.
func (c *command) first(term string) string {
	for _, b := range c.help.about {
		for _, i := range b.items {
			if word(i.term) == word(term) {
				return i.text
			}
		}
	}
	return ""
}

func (p *page) seeAlso(s *suite, self string) {
	p.section(1, "See also")
	var names []string
	if self != "" {
		names = append(names, s.Name)
	}
	for _, c := range s.tools {
		if c.Path != self {
			names = append(names, applet.LinkPrefix+c.Path)
		}
	}
	slices.Sort(names)
	for i, n := range names {
		after := ","
		if i == len(names)-1 {
			after = ""
		}
		p.line(reference(n, after))
	}
}

func reference(name, after string) string { return ".BR " + escape(name) + " (1)" + after }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
