package text

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

const del = 0x7f

// EscapeJSON escapes the terminal-unsafe characters of a JSON document, which
// can only stand within its strings. Line feeds between values stay.
func EscapeJSON(doc []byte) []byte {
	if plainASCII(doc) {
		return doc
	}
	out := make([]byte, 0, len(doc)+64)
	for len(doc) > 0 {
		r, n := utf8.DecodeRune(doc)
		switch {
		case r < del || !Unsafe(r): // encoders escape the other controls
			out = append(out, doc[:n]...)
		case r > 0xFFFF:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		doc = doc[n:]
	}
	return out
}

func plainASCII(b []byte) bool {
	for _, c := range b {
		if c >= del {
			return false
		}
	}
	return true
}
