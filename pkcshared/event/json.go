package event

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// maxDepth of nesting is that of encoding/json.
const maxDepth = 10000

type kind uint8

const (
	null kind = 1 << iota
	boolean
	number
	str
	array
	object
)

// node is one value of a document.
type node struct {
	kind kind
	key  string // its name in the object around it
	text string // of a string what it says, else the value as it is written
	next int    // index behind the value and all that is in it
}

// document is a parsed JSON text: its values in the order in which they
// begin. What is in nodes[i] runs from i+1 to its next.
type document struct {
	src   string
	at    int
	nodes []node
}

// Syntax tells JSON from other text.
type Syntax struct{ doc document }

// Check returns what keeps line from being JSON. A Syntax belongs to one
// goroutine.
func (s *Syntax) Check(line []byte) error {
	return s.doc.parse(unsafe.String(unsafe.SliceData(line), len(line))) // read only until it returns
}

// parse reads src strictly as RFC 8259 has it, except that bytes which are not
// UTF-8 and halves of surrogate pairs become U+FFFD. It reuses d.
func (d *document) parse(src string) error {
	d.src, d.at, d.nodes = src, 0, d.nodes[:0]
	if !d.value("", 0) || d.peek() != 0 || d.at < len(src) {
		if d.at >= len(src) {
			return fmt.Errorf("not JSON: it ends too early")
		}
		return fmt.Errorf("not JSON: unexpected %s at byte %d", strconv.QuoteToASCII(src[d.at:min(d.at+1, len(src))]), d.at+1)
	}
	return nil
}

// peek skips white space and returns the next byte, 0 at the end.
func (d *document) peek() byte {
	for ; d.at < len(d.src); d.at++ {
		switch c := d.src[d.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (d *document) value(key string, depth int) bool {
	i := len(d.nodes)
	d.nodes = append(d.nodes, node{key: key})
	var (
		k  kind
		s  string
		ok bool
	)
	c := d.peek()
	start := d.at
	switch {
	case c == '"':
		k = str
		s, ok = d.str()
	case c == '{':
		k = object
		ok = d.members(depth + 1)
		s = d.src[start:d.at]
	case c == '[':
		k = array
		ok = d.elements(depth + 1)
		s = d.src[start:d.at]
	case c == '-' || '0' <= c && c <= '9':
		k = number
		s, ok = d.number()
	case c == 't':
		k, s = boolean, "true"
		ok = d.word(s)
	case c == 'f':
		k, s = boolean, "false"
		ok = d.word(s)
	case c == 'n':
		k, s = null, "null"
		ok = d.word(s)
	}
	n := &d.nodes[i]
	n.kind, n.text, n.next = k, s, len(d.nodes)
	return ok
}

func (d *document) members(depth int) bool {
	if depth > maxDepth {
		return false
	}
	d.at++
	if d.peek() == '}' {
		d.at++
		return true
	}
	for {
		if d.peek() != '"' {
			return false
		}
		key, ok := d.str()
		if !ok || d.peek() != ':' {
			return false
		}
		d.at++
		if !d.value(key, depth) {
			return false
		}
		switch d.peek() {
		case ',':
			d.at++
		case '}':
			d.at++
			return true
		default:
			return false
		}
	}
}

func (d *document) elements(depth int) bool {
	if depth > maxDepth {
		return false
	}
	d.at++
	if d.peek() == ']' {
		d.at++
		return true
	}
	for {
		if !d.value("", depth) {
			return false
		}
		switch d.peek() {
		case ',':
			d.at++
		case ']':
			d.at++
			return true
		default:
			return false
		}
	}
}

func (d *document) word(w string) bool {
	ok := strings.HasPrefix(d.src[d.at:], w)
	if ok {
		d.at += len(w)
	}
	return ok
}

func (d *document) number() (string, bool) {
	start := d.at
	if d.src[d.at] == '-' {
		d.at++
	}
	if d.at < len(d.src) && d.src[d.at] == '0' {
		d.at++
	} else if !d.digits() {
		return "", false
	}
	if d.at < len(d.src) && d.src[d.at] == '.' {
		d.at++
		if !d.digits() {
			return "", false
		}
	}
	if d.at < len(d.src) && d.src[d.at]|0x20 == 'e' {
		d.at++
		if d.at < len(d.src) && (d.src[d.at] == '+' || d.src[d.at] == '-') {
			d.at++
		}
		if !d.digits() {
			return "", false
		}
	}
	return d.src[start:d.at], true
}

// digits skips at least one.
func (d *document) digits() bool {
	start := d.at
	for d.at < len(d.src) && '0' <= d.src[d.at] && d.src[d.at] <= '9' {
		d.at++
	}
	return d.at > start
}

// str reads a string. Most have nothing to decode and share the source.
func (d *document) str() (string, bool) {
	rest := d.src[d.at+1:]
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		if plain(c) {
			continue
		}
		start := d.at + 1
		d.at = start + i
		switch {
		case c == '"':
			d.at++
			return rest[:i], true
		case c < ' ':
			return "", false
		}
		return d.decode(start)
	}
	d.at = len(d.src)
	return "", false
}

// plain reports whether c is ASCII that means itself in a string.
func plain(c byte) bool { return c-' ' < utf8.RuneSelf-' ' && c != '"' && c != '\\' }

// decode goes on reading the string that began at start.
func (d *document) decode(start int) (string, bool) {
	b := []byte(d.src[start:d.at])
	for d.at < len(d.src) {
		switch c := d.src[d.at]; {
		case c == '"':
			d.at++
			return string(b), true
		case c == '\\':
			r, ok := d.escape()
			if !ok {
				return "", false
			}
			b = utf8.AppendRune(b, r)
		case c < ' ':
			return "", false
		default:
			r, size := utf8.DecodeRuneInString(d.src[d.at:])
			b = utf8.AppendRune(b, r)
			d.at += size
		}
	}
	return "", false
}

// escape reads what a backslash starts.
func (d *document) escape() (rune, bool) {
	if d.at+1 >= len(d.src) {
		d.at = len(d.src)
		return 0, false
	}
	const names, values = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if i := strings.IndexByte(names, d.src[d.at+1]); i >= 0 {
		d.at += 2
		return rune(values[i]), true
	}
	r, ok := d.unit(d.at)
	if !ok {
		return 0, false
	}
	d.at += 6
	if utf16.IsSurrogate(r) {
		low, _ := d.unit(d.at)
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			d.at += 6
		}
	}
	return r, true
}

// unit returns the UTF-16 code unit of the \uXXXX at i.
func (d *document) unit(i int) (rune, bool) {
	if i+6 > len(d.src) || d.src[i] != '\\' || d.src[i+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(d.src[i+2:i+6], 16, 16)
	return rune(n), err == nil
}
