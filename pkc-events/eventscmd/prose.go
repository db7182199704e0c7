package eventscmd

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/text"
)

// prose shows an event as one line for people:
//
//	<time>  <event> key=value key=value
//
// All of it is foreign text, and every piece is cleaned and cut on its own.
type prose struct {
	rejects
	any    bool // anything was shown or reported
	fields []field
	buf    strings.Builder
}

type field struct{ name, value string }

func (p *prose) line(l event.Line) error {
	p.any = true
	ok, err := p.check(l)
	if !ok {
		return err
	}
	e := gjson.ParseBytes(l.Text)
	if !e.IsObject() {
		return p.report(l, "not a JSON object")
	}
	_, err = p.out.WriteString(p.render(e))
	return err
}

func (p *prose) end() error {
	if !p.any {
		if _, err := p.out.WriteString("no events\n"); err != nil {
			return err
		}
	}
	return p.out.Flush()
}

func (p *prose) render(e gjson.Result) string {
	at, name := "-", "-"
	p.fields = p.fields[:0]
	e.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "time":
			at = show(v)
		case "event":
			name = show(v)
		case "schema_version":
		default:
			p.fields = append(p.fields, field{k.Str, show(v)})
		}
		return true
	})
	slices.SortStableFunc(p.fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	p.buf.Reset()
	p.buf.WriteString(at)
	p.buf.WriteString("  ")
	p.buf.WriteString(name)
	for i, f := range p.fields {
		if i+1 < len(p.fields) && p.fields[i+1].name == f.name {
			continue // of a name that is given twice the last one counts
		}
		p.buf.WriteByte(' ')
		p.buf.WriteString(word(f.name))
		p.buf.WriteByte('=')
		p.buf.WriteString(f.value)
	}
	p.buf.WriteByte('\n')
	return p.buf.String()
}

// show renders a value: strings without quotes, the rest as compact JSON.
func show(v gjson.Result) string {
	switch v.Type {
	case gjson.String:
		return word(v.Str)
	case gjson.JSON:
		return text.Clean(compact(v.Raw))
	}
	return text.Clean(v.Raw)
}

func word(s string) string {
	if s == "" {
		return `""`
	}
	return text.Clean(s)
}

// compact drops the white space between the tokens of valid JSON. It returns
// no more than is needed for text.Clean to see that there is more.
func compact(raw string) string {
	const enough = 4 * (text.MaxRunes + 1) // bytes
	var b strings.Builder
	quoted := false
	for i := 0; i < len(raw) && b.Len() < enough; i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\': // only in strings: the next byte ends nothing
			b.WriteByte(c)
			i++
		case !quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			continue
		}
		b.WriteByte(raw[i])
	}
	return b.String()
}
