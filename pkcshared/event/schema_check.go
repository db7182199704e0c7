package event

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// checker holds one document against rules. It is asked for the verdict
// first, which allocates nothing, and for an explanation only if that is no.
type checker struct {
	nodes   []node
	explain bool
	path    []string // to what the reason is about
	reason  string
}

func (c *checker) fail(format string, args ...any) bool {
	if c.explain {
		c.reason = fmt.Sprintf(format, args...)
	}
	return false
}

// within checks the value at i, which its parent knows by name.
func (c *checker) within(r *rule, i int, name string) bool {
	if c.check(r, i) {
		return true
	}
	if c.explain {
		c.path = append([]string{name}, c.path...)
	}
	return false
}

func (c *checker) check(r *rule, i int) bool {
	n := &c.nodes[i]
	switch {
	case r.never:
		return c.fail("not allowed")
	case r.ref != nil && !c.check(r.ref, i),
		r.types != 0 && !c.typed(r, n),
		r.values != nil && !c.listed(r, n),
		r.anyOf != nil && !c.any(r, i),
		r.oneOf != nil && !c.one(r, i):
		return false
	}
	switch n.kind {
	case number:
		return c.number(r, n)
	case str:
		return c.text(r, n)
	case array:
		return c.array(r, i)
	case object:
		return c.object(r, i)
	}
	return true
}

func (c *checker) typed(r *rule, n *node) bool {
	if n.kind&r.types == 0 {
		return c.fail("want %s, got %s", r.types, n.kind)
	}
	if r.integer && n.kind == number && !parseDecimal(n.text).integer() {
		return c.fail("want an integer, got %s", n)
	}
	return true
}

func (c *checker) listed(r *rule, n *node) bool {
	for i := range r.values {
		if r.values[i].equals(n) {
			return true
		}
	}
	if !c.explain {
		return false
	}
	var want []string
	for _, v := range r.values {
		want = append(want, v.String())
	}
	return c.fail("want %s, got %s", strings.Join(want, " or "), n)
}

func (c *checker) any(r *rule, i int) bool {
	quiet := checker{nodes: c.nodes}
	for _, branch := range r.anyOf {
		if quiet.check(branch, i) {
			return true
		}
	}
	if !c.explain {
		return false
	}
	var kinds kind
	for _, branch := range r.anyOf {
		k := branch.accepts()
		if k&c.nodes[i].kind != 0 {
			return c.check(branch, i) // it was meant for this kind of value
		}
		kinds |= k
	}
	return c.fail("want %s, got %s", kinds, c.nodes[i].kind)
}

func (c *checker) one(r *rule, i int) bool {
	if r.choice != nil {
		return c.chosen(r.choice, i)
	}
	quiet := checker{nodes: c.nodes}
	matches := 0
	for _, branch := range r.oneOf {
		if quiet.check(branch, i) {
			matches++
		}
	}
	return matches == 1 || c.fail("matches %d of the alternatives, not 1", matches)
}

func (c *checker) chosen(ch *choice, i int) bool {
	if c.nodes[i].kind != object {
		return c.fail("want object, got %s", c.nodes[i].kind)
	}
	m := member(c.nodes, i, ch.property)
	if m == 0 {
		return c.fail("no %s", ch.property)
	}
	branch := ch.branches[c.nodes[m].text]
	if branch == nil || c.nodes[m].kind != str {
		return c.fail("unknown %s %s", ch.property, c.nodes[m])
	}
	return c.check(branch, i)
}

func (c *checker) number(r *rule, n *node) bool {
	if r.minimum == nil && r.maximum == nil {
		return true
	}
	d := parseDecimal(n.text)
	if r.minimum != nil && d.compare(*r.minimum) < 0 {
		return c.fail("too small: %s", n)
	}
	if r.maximum != nil && d.compare(*r.maximum) > 0 {
		return c.fail("too large: %s", n)
	}
	return true
}

func (c *checker) text(r *rule, n *node) bool {
	if r.maxLength >= 0 && len(n.text) > r.maxLength && utf8.RuneCountInString(n.text) > r.maxLength {
		return c.fail("longer than %d characters", r.maxLength)
	}
	if r.pattern != nil && !r.pattern.MatchString(n.text) {
		return c.fail("want the form %s, got %s", r.pattern, n)
	}
	return true
}

func (c *checker) array(r *rule, i int) bool {
	if r.items == nil {
		return true
	}
	at := 0
	for e := i + 1; e < c.nodes[i].next; e = c.nodes[e].next {
		if !c.within(r.items, e, strconv.Itoa(at)) {
			return false
		}
		at++
	}
	return true
}

func (c *checker) object(r *rule, i int) bool {
	if r.names != nil && !c.named(r, i) {
		return false
	}
	if r.properties == nil && r.additional == nil {
		return true
	}
	var few [32]int
	given := few[:]
	if len(r.properties) > len(few) {
		given = make([]int, len(r.properties))
	}
	var others map[string]int // by name, because the last of a name counts
	for m := i + 1; m < c.nodes[i].next; m = c.nodes[m].next {
		name := c.nodes[m].key
		p, known := r.index[name]
		if known {
			given[p] = m
		}
		switch {
		case known && r.properties[p].rule != nil, r.additional == nil:
		case r.additional.never:
			return c.fail("unknown field %s", node{kind: str, text: name})
		default:
			if others == nil {
				others = make(map[string]int)
			}
			others[name] = m
		}
	}
	for k := range r.properties {
		p := &r.properties[k]
		if given[k] == 0 {
			if p.required {
				return c.fail("no %s", p.name)
			}
		} else if p.rule != nil && !c.within(p.rule, given[k], p.name) {
			return false
		}
	}
	if others == nil {
		return true
	}
	for m := i + 1; m < c.nodes[i].next; m = c.nodes[m].next {
		if name := c.nodes[m].key; others[name] == m && !c.within(r.additional, m, name) {
			return false
		}
	}
	return true
}

// named checks the names of the members of an object.
func (c *checker) named(r *rule, i int) bool {
	for m := i + 1; m < c.nodes[i].next; m = c.nodes[m].next {
		name := checker{nodes: []node{{kind: str, text: c.nodes[m].key, next: 1}}, explain: c.explain}
		if !name.check(r.names, 0) {
			return c.fail("field name %s: %s", name.nodes[0], name.reason)
		}
	}
	return true
}
