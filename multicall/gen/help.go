package gen

import "strings"

// help is a help text in its fixed shape:
//
//	usage: NAME ...
//
//	Prose.
//
//	  --flag VALUE   what it does
//
//	Example:
//	  NAME ...
//
//	All options
//
//	Heading:
//	  --flag VALUE   what else there is to say
//
//	Exit codes:
//	  0   done
//	A note on them.
type help struct {
	usage    []string // one for each form, without the word
	about    []block  // what comes before the example
	examples []string
	all      []block // what comes between "All options" and the exit codes
	exits    block
	note     string // on the exit codes
}

// block is a paragraph, or a list under its heading.
type block struct {
	heading string // without its colon
	prose   string
	items   []item
}

type item struct{ term, text string }

// items are those of both parts, the first screen first.
func (h *help) items() []item {
	var all []item
	for _, b := range append(h.about[:len(h.about):len(h.about)], h.all...) {
		all = append(all, b.items...)
	}
	return all
}

// rename gives an item of the second part another text.
func (h *help) rename(term, text string) {
	for _, b := range h.all {
		for i := range b.items {
			if b.items[i].term == term {
				b.items[i].text = text
			}
		}
	}
}

// firstOnly are the flags of which the second part does not tell again.
func (h *help) firstOnly() []item {
	told := map[string]bool{}
	for _, b := range h.all {
		for _, i := range b.items {
			for term := range strings.SplitSeq(i.term, ", ") {
				told[word(term)] = true
			}
		}
	}
	var only []item
	for _, b := range h.about {
		for _, i := range b.items {
			if isFlag(i) && !told[word(i.term)] {
				only = append(only, i)
			}
		}
	}
	return only
}

// word is the first one: a term without its value.
func word(s string) string {
	s, _, _ = strings.Cut(s, " ")
	return s
}

func isFlag(i item) bool { return strings.HasPrefix(i.term, "-") }

func parse(text string) help {
	var h help
	usage, text, _ := strings.Cut(text, "\n\n")
	h.usage = forms(strings.TrimPrefix(usage, "usage: "))
	text, exits, _ := strings.Cut(text, "\nExit codes:")
	first, all, _ := strings.Cut(text, "\nAll options\n")
	for _, b := range blocks(first) {
		switch {
		case b.heading == "Example":
			for line := range strings.SplitSeq(strings.TrimSuffix(b.prose, "\n"), "\n") {
				h.examples = append(h.examples, strings.TrimSpace(line))
			}
		default:
			h.about = append(h.about, b)
		}
	}
	h.all = blocks(all)
	for _, b := range blocks(columns(exits)) {
		if h.exits.items = append(h.exits.items, b.items...); b.items == nil {
			h.note = b.prose
		}
	}
	return h
}

// forms separates the ways to call a command. Each starts with its name, on a
// line of its own or behind a bar.
func forms(usage string) []string {
	name, _, _ := strings.Cut(usage, " ")
	usage = strings.Join(strings.Fields(usage), " ")
	usage = strings.ReplaceAll(usage, " | "+name+" ", " "+name+" ")
	list := strings.Split(usage, " "+name+" ")
	for i := range list[1:] {
		list[i+1] = name + " " + list[i+1]
	}
	return list
}

// blocks cuts a text at blank lines, and where the indent begins or ends.
func blocks(text string) []block {
	var all []block
	var lines []string
	end := func() {
		if len(lines) == 0 {
			return
		}
		b := newBlock(lines)
		if last := len(all) - 1; last >= 0 && lines[0][0] == ' ' && all[last].headed() {
			b.heading = strings.TrimSuffix(all[last].prose, ":")
			if b.heading == "Example" {
				b = block{heading: b.heading, prose: strings.Join(lines, "\n")}
			}
			all = all[:last]
		}
		all, lines = append(all, b), nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || len(lines) > 0 && (line[0] == ' ') != (lines[0][0] == ' ') {
			end()
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	end()
	return all
}

// headed tells a paragraph that a list belongs to.
func (b block) headed() bool { return strings.HasSuffix(b.prose, ":") }

const indent = "  "

// newBlock reads lines of one kind. In a list each item starts at the indent;
// its text comes after two spaces, or further in on the next lines.
func newBlock(lines []string) block {
	_, _, listed := term(lines, 0)
	if !listed {
		return block{prose: strings.Join(strings.Fields(strings.Join(lines, " ")), " ")}
	}
	var b block
	for n := range lines {
		if t, text, ok := term(lines, n); ok {
			b.items = append(b.items, item{t, text})
			continue
		}
		last := &b.items[len(b.items)-1]
		last.text = strings.TrimSpace(last.text + " " + strings.TrimSpace(lines[n]))
	}
	return b
}

// term is the start of an item in line n.
func term(lines []string, n int) (term, text string, ok bool) {
	line, ok := strings.CutPrefix(lines[n], indent)
	if !ok || line[0] == ' ' {
		return "", "", false
	}
	term, text, ok = strings.Cut(line, "  ")
	further := n+1 < len(lines) && strings.HasPrefix(lines[n+1], indent+indent)
	return term, strings.TrimSpace(text), ok || further
}

// columns puts the second half of a list in two columns below the first.
func columns(text string) string {
	var left, right, rest []string
	for line := range strings.SplitSeq(text, "\n") {
		code, said, _ := strings.Cut(strings.TrimSpace(line), "  ")
		one, two, double := strings.Cut(strings.TrimSpace(said), "  ")
		switch {
		case !strings.HasPrefix(line, indent):
			rest = append(rest, line)
		case double:
			left = append(left, indent+code+"  "+one)
			right = append(right, indent+strings.TrimSpace(two))
		default:
			left = append(left, line)
		}
	}
	return strings.Join(append(append(left, right...), rest...), "\n")
}
