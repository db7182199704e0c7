package event

import (
	"regexp"
	"strings"

	"processkit-cli/pkcshared/text"
)

// rule is one compiled schema. What is not set allows everything.
type rule struct {
	never bool // the schema false

	ref          *rule
	anyOf, oneOf []*rule
	choice       *choice // finds the one of oneOf

	types   kind // 0 for all
	integer bool // numbers have no fraction
	values  []scalar

	minimum, maximum *decimal
	maxLength        int // -1 for any
	pattern          *regexp.Regexp
	items            *rule

	properties []property
	index      map[string]int // into properties
	names      *rule          // of members
	additional *rule          // members that are no property
}

// property is a member that properties or required tell of.
type property struct {
	name     string
	rule     *rule // nil if only required does
	required bool
}

// scalar is a value of enum or const.
type scalar struct {
	node
	number decimal
}

// choice replaces trying every branch of a oneOf: each one requires the same
// property, each with another constant, so no other branch than that of the
// value can match.
type choice struct {
	property string
	branches map[string]*rule
}

func (s scalar) equals(n *node) bool {
	if s.kind == number && n.kind == number {
		return s.number.compare(parseDecimal(n.text)) == 0
	}
	return s.kind == n.kind && s.text == n.text
}

// accepts returns the kinds of value that r has something to say about.
func (r *rule) accepts() kind {
	const all = null | boolean | number | str | array | object
	k := all
	if r.types != 0 {
		k = r.types
	}
	if r.ref != nil {
		k &= r.ref.accepts()
	}
	var values kind
	for _, v := range r.values {
		values |= v.kind
	}
	if values != 0 {
		k &= values
	}
	return k
}

// String names the kinds, as in "string or null".
func (k kind) String() string {
	var names []string
	for i, name := range [...]string{"null", "boolean", "number", "string", "array", "object"} {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// show renders foreign text for a message.
func show(s string) string { return text.Clean(s) }

// String shows a value for a message: scalars themselves, the others by kind.
func (n node) String() string {
	switch n.kind {
	case str:
		return text.Quote(n.text)
	case array, object:
		return n.kind.String()
	}
	return show(n.text)
}
