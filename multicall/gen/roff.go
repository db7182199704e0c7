package gen

import (
	"regexp"
	"strings"
)

// roff writes a page in the man macros.
type roff struct {
	strings.Builder
	headed bool // nothing has followed the last heading
}

// line writes a macro or a line of text that is roff already.
func (r *roff) line(parts ...string) {
	r.headed = parts[0] == ".SH" || parts[0] == ".SS"
	r.WriteString(strings.Join(parts, " ") + "\n")
}

// prose writes text, wrapped, and each sentence on a line of its own.
func (r *roff) prose(text string) {
	const width = 76 // linters frown at 80, and emphasis adds to it
	n := 0
	for _, word := range strings.Fields(text) {
		word = emphasis(word)
		switch {
		case n == 0:
			word = protect(word)
		case n+1+len(word) > width:
			word = "\n" + protect(word)
			n = -1
		default:
			word = " " + word
		}
		r.WriteString(word)
		n += len(word)
		if strings.HasSuffix(word, ".") || strings.HasSuffix(word, ":") {
			r.WriteByte('\n')
			n = 0
		}
	}
	if n > 0 {
		r.WriteByte('\n')
	}
}

// apart separates a paragraph from the one before.
func (r *roff) apart() {
	if !r.headed {
		r.line(".PP")
	}
	r.headed = false
}

func (r *roff) paragraph(text string) {
	r.apart()
	r.prose(text)
}

// entry is a term and what it means.
func (r *roff) entry(term, text string) {
	r.line(".TP")
	r.line(term)
	r.prose(text)
}

// section is a heading of the first or the second level.
func (r *roff) section(level int, title string) {
	if level == 1 {
		r.line(".SH", escape(strings.ToUpper(title)))
	} else {
		r.line(".SS", escape(title))
	}
}

// verbatim is text in which nothing is filled.
func (r *roff) verbatim(lines []string) {
	r.apart()
	r.line(".RS 4")
	r.line(".nf")
	for _, l := range lines {
		r.line(protect(escape(l)))
	}
	r.line(".fi")
	r.line(".RE")
}

// escape makes text stand for itself; a hyphen is the one that can be typed.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(s)
}

// protect keeps a line from being read as a request.
func protect(s string) string {
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}

// emphasis escapes a word, and sets a flag in it in bold.
func emphasis(word string) string {
	at := regexp.MustCompile(`(^|[^\w-])(--?[a-z][a-z0-9-]*)`).FindStringSubmatchIndex(word)
	if at == nil {
		return escape(word)
	}
	return escape(word[:at[4]]) + bold(word[at[4]:at[5]]) + escape(word[at[5]:])
}

func bold(s string) string   { return `\fB` + escape(s) + `\fR` }
func italic(s string) string { return `\fI` + escape(s) + `\fR` }

// flags sets a list such as "-h, --help" or "--label KEY=VALUE".
func flags(term string) string {
	var list []string
	for t := range strings.SplitSeq(term, ", ") {
		name, value, ok := strings.Cut(t, " ")
		switch {
		case !strings.HasPrefix(name, "-"):
			name = escape(t)
		case ok:
			name = bold(name) + " " + italic(value)
		default:
			name = bold(name)
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}
