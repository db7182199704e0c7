// Package text holds the grammars of values that people type and the
// rendering of text that nobody vouches for.
//
// Every Parse function returns an error that says what was expected, in one
// short line without a prefix. None of them repeats a value of an environment
// entry. Run ids, labels and records come from other processes: Clean and
// Quote make them fit for a terminal; JSON output keeps the originals, escaped.
package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxRunes is the longest piece of foreign text, in code points, that human
// output shows whole. Run ids and label values have the same limit.
const MaxRunes = 256

// Unsafe reports whether r could move the cursor, reorder or hide the text
// around it: control characters (Cc), the format characters (Cf), and the
// line and paragraph separators.
func Unsafe(r rune) bool {
	if r < 0xAD {
		return r < 0x20 || r >= 0x7F && r <= 0x9F
	}
	switch {
	case r == 0xAD,
		r >= 0x0600 && r <= 0x0605, r == 0x061C, r == 0x06DD, r == 0x070F,
		r == 0x0890, r == 0x0891, r == 0x08E2, r == 0x180E,
		r >= 0x200B && r <= 0x200F,
		r >= 0x2028 && r <= 0x202E, // separators, then embeddings and overrides
		r >= 0x2060 && r <= 0x2064,
		r >= 0x2066 && r <= 0x206F,
		r == 0xFEFF,
		r >= 0xFFF9 && r <= 0xFFFB,
		r == 0x110BD, r == 0x110CD,
		r >= 0x13430 && r <= 0x1343F,
		r >= 0x1BCA0 && r <= 0x1BCA3,
		r >= 0x1D173 && r <= 0x1D17A,
		r == 0xE0001,
		r >= 0xE0020 && r <= 0xE007F:
		return true
	}
	return false
}

// Clean returns s for human output: each unsafe character becomes a space,
// each invalid byte U+FFFD, and what is longer than MaxRunes ends in "...".
func Clean(s string) string {
	if len(s) <= MaxRunes && plain(s) {
		return s
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == MaxRunes {
			b.WriteString("...")
			break
		}
		if Unsafe(r) {
			r = ' '
		}
		b.WriteRune(r) // an invalid byte arrives here as U+FFFD
		n++
	}
	return b.String()
}

// Quote returns s as one escaped line in double quotes, for keys and paths in
// messages. What is longer than MaxRunes is cut and "..." follows the quotes.
func Quote(s string) string {
	// strconv escapes whatever is not printable, which holds all of Unsafe.
	if cut := head(s, MaxRunes); cut < len(s) {
		return strconv.Quote(s[:cut]) + "..."
	}
	return strconv.Quote(s)
}

// head returns the byte length of the first n code points of s, an invalid
// byte counting as one.
func head(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// plain reports whether s is printable ASCII.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7E {
			return false
		}
	}
	return true
}
