package event

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const dialect = "https://json-schema.org/draft/2020-12/schema"

// CompileSchema reads a schema document. It refuses keywords and forms that a
// Schema would not check rather than to ignore them.
func CompileSchema(source string) (*Schema, error) {
	c := compiler{rules: map[int]*rule{}}
	if err := c.parse(source); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	root, err := c.rule(0)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Schema{root: root}, nil
}

type compiler struct {
	document
	rules map[int]*rule // by node
}

// children runs from the first node inside node i to behind the last.
func (c *compiler) children(i int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for m := i + 1; m < c.nodes[i].next; m = c.nodes[m].next {
			if !yield(m) {
				return
			}
		}
	}
}

func (c *compiler) rule(i int) (*rule, error) {
	if r := c.rules[i]; r != nil {
		return r, nil
	}
	r := &rule{maxLength: -1}
	c.rules[i] = r // before its parts: they can refer to it
	switch n := c.nodes[i]; {
	case n.kind == boolean:
		r.never = n.text == "false"
		return r, nil
	case n.kind != object:
		return nil, fmt.Errorf("%s is no schema", n.kind)
	}
	for m := range c.children(i) {
		if err := c.keyword(r, i, m); err != nil {
			return nil, fmt.Errorf("%s: %w", c.nodes[m].key, err)
		}
	}
	r.choice = newChoice(r.oneOf)
	return r, nil
}

// form returns the kinds of value that a keyword can have, none for one that
// is not supported.
func form(keyword string) kind {
	switch keyword {
	case "$schema", "$id", "title", "description", "$ref", "type", "pattern":
		return str
	case "const":
		return null | boolean | number | str
	case "minimum", "maximum", "maxLength":
		return number
	case "enum", "required", "anyOf", "oneOf":
		return array
	case "$defs", "properties":
		return object
	case "items", "propertyNames", "additionalProperties":
		return object | boolean
	}
	return 0
}

func (c *compiler) keyword(r *rule, i, m int) (err error) {
	n := c.nodes[m]
	switch want := form(n.key); {
	case want == 0:
		return errors.New("keyword not supported")
	case n.kind&want == 0:
		return fmt.Errorf("want %s", want)
	}
	switch n.key {
	case "$schema":
		if n.text != dialect {
			err = errors.New("want " + dialect)
		}
	case "$id":
		if i != 0 {
			err = errors.New("only for the whole document")
		}
	case "$defs":
		for d := range c.children(m) {
			if _, err := c.rule(d); err != nil {
				return fmt.Errorf("%s: %w", c.nodes[d].key, err)
			}
		}
	case "$ref":
		r.ref, err = c.refer(n)
	case "type":
		err = r.setType(n)
	case "const":
		if r.values != nil {
			return errors.New("want no enum beside it")
		}
		r.values, err = scalars(c.nodes[m : m+1])
	case "enum":
		if n.next == m+1 || r.values != nil {
			return errors.New("want at least one value, and no const beside it")
		}
		r.values, err = scalars(c.nodes[m+1 : n.next])
	case "minimum":
		r.minimum = bound(n)
	case "maximum":
		r.maximum = bound(n)
	case "maxLength":
		r.maxLength, err = strconv.Atoi(n.text)
	case "pattern":
		r.pattern, err = regexp.Compile(n.text)
	case "items":
		r.items, err = c.rule(m)
	case "propertyNames":
		r.names, err = c.rule(m)
	case "additionalProperties":
		r.additional, err = c.rule(m)
	case "properties":
		for p := range c.children(m) {
			name := c.nodes[p].key
			part, err := c.rule(p)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			r.property(name).rule = part
		}
	case "required":
		for p := range c.children(m) {
			r.property(c.nodes[p].text).required = true
		}
	case "anyOf":
		r.anyOf, err = c.list(m)
	case "oneOf":
		r.oneOf, err = c.list(m)
	}
	return err
}

func (c *compiler) list(i int) (rules []*rule, err error) {
	for m := range c.children(i) {
		r, err := c.rule(m)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, errors.New("want at least one schema")
	}
	return rules, nil
}

// refer finds what a $ref means: a definition of the same document.
func (c *compiler) refer(n node) (*rule, error) {
	name, ok := strings.CutPrefix(n.text, "#/$defs/")
	if ok && !strings.ContainsAny(name, "/~%") {
		if defs := member(c.nodes, 0, "$defs"); defs > 0 {
			if d := member(c.nodes, defs, name); d > 0 {
				return c.rule(d)
			}
		}
	}
	return nil, errors.New("no definition " + n.String())
}

func (r *rule) setType(n node) error {
	if n.text == "integer" {
		r.types, r.integer = number, true
		return nil
	}
	for k := null; k <= object; k <<= 1 {
		if k.String() == n.text {
			r.types = k
			return nil
		}
	}
	return errors.New("no type " + n.String())
}

// property returns the entry of a name, which it makes if need be.
func (r *rule) property(name string) *property {
	i, ok := r.index[name]
	if !ok {
		if r.index == nil {
			r.index = map[string]int{}
		}
		i = len(r.properties)
		r.index[name] = i
		r.properties = append(r.properties, property{name: name})
	}
	return &r.properties[i]
}

func bound(n node) *decimal {
	d := parseDecimal(n.text)
	return &d
}

func scalars(nodes []node) (values []scalar, err error) {
	for _, n := range nodes {
		if n.kind&(array|object) != 0 {
			return nil, errors.New("want no array or object")
		}
		s := scalar{node: n}
		if n.kind == number {
			s.number = parseDecimal(n.text)
		}
		values = append(values, s)
	}
	return values, nil
}

// newChoice returns how to choose among branches, nil if that needs trying.
func newChoice(branches []*rule) *choice {
	if len(branches) == 0 {
		return nil
	}
	first := branches[0].target()
	for _, p := range first.properties {
		ch := &choice{p.name, map[string]*rule{}}
		if !slices.ContainsFunc(branches, func(b *rule) bool { return !ch.add(b) }) {
			return ch
		}
	}
	return nil
}

// add takes a branch, false if the property does not tell it from the others.
func (ch *choice) add(branch *rule) bool {
	r := branch.target()
	i, ok := r.index[ch.property]
	if !ok || r.types != object || !r.properties[i].required {
		return false
	}
	p := r.properties[i].rule
	if p == nil || len(p.values) != 1 || p.values[0].kind != str || ch.branches[p.values[0].text] != nil {
		return false
	}
	ch.branches[p.values[0].text] = branch
	return true
}

// target follows references.
func (r *rule) target() *rule {
	for r.ref != nil {
		r = r.ref
	}
	return r
}
