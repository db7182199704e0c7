package event

import (
	"cmp"
	"strconv"
	"strings"
)

// decimal is the exact value of a JSON number: 0.digits times ten to the
// power of point. JSON Schema compares values, so 1, 1.0 and 10e-1 are equal
// and all of them integers.
type decimal struct {
	negative bool
	digits   string // no zero at either end; empty for zero
	point    int
}

// maxExponent clamps exponents: no line has as many digits, so it changes
// neither what is an integer nor any comparison with a number that has a
// smaller one.
const maxExponent = 1 << 30

func parseDecimal(literal string) decimal {
	var d decimal
	literal, d.negative = strings.CutPrefix(literal, "-")
	exponent := 0
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		n, _ := strconv.Atoi(literal[i+1:]) // out of range: the nearest int
		exponent = max(-maxExponent, min(n, maxExponent))
		literal = literal[:i]
	}
	whole, fraction, _ := strings.Cut(literal, ".")
	digits := whole
	if fraction != "" {
		digits += fraction
	}
	significant := strings.TrimLeft(digits, "0")
	d.digits = strings.TrimRight(significant, "0")
	if d.digits == "" {
		return decimal{}
	}
	d.point = len(whole) - (len(digits) - len(significant)) + exponent
	return d
}

func (d decimal) integer() bool { return len(d.digits) <= max(d.point, 0) }

func (d decimal) compare(e decimal) int {
	if s, t := d.sign(), e.sign(); s != t || s == 0 {
		return cmp.Compare(s, t)
	}
	c := cmp.Compare(d.point, e.point)
	if c == 0 {
		c = strings.Compare(d.digits, e.digits)
	}
	return c * d.sign()
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}
