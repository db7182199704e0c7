package text

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestUnsafe holds the table against the Unicode categories it is made of:
// all of Cc and Cf, and the two separators.
func TestUnsafe(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
		if got := Unsafe(r); got != want {
			t.Errorf("Unsafe(%U) = %v, want %v", r, got, want)
		}
		if Unsafe(r) && strconv.IsPrint(r) {
			t.Errorf("strconv.IsPrint(%U) = true: Quote would show an unsafe character", r)
		}
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "build 7", "build 7"},
		{"non-ASCII kept", "größe 漢字 🙂", "größe 漢字 🙂"},
		{"one space each", "a\r\n\tb", "a   b"},
		{"escape sequence", "\x1b[31mred\x1b[0m", " [31mred [0m"},
		{"C1", "a\u009b31m", "a 31m"},
		{"bidi", "a\u202ecba\u2066", "a cba "},
		{"separators", "a\u2028b\u2029c", "a b c"},
		{"invalid byte", "a\xffb", "a\uFFFDb"},
		{"each invalid byte", "\xe2\x82", "\uFFFD\uFFFD"},
		{"256 code points", strings.Repeat("é", 256), strings.Repeat("é", 256)},
		{"257 code points", strings.Repeat("é", 257), strings.Repeat("é", 256) + "..."},
		{"256 bytes", strings.Repeat("x", 256), strings.Repeat("x", 256)},
		{"257 bytes", strings.Repeat("x", 257), strings.Repeat("x", 256) + "..."},
		{"256 invalid bytes", strings.Repeat("\xff", 256), strings.Repeat("\uFFFD", 256)},
		{"unsafe at the cut", strings.Repeat("\n", 257), strings.Repeat(" ", 256) + "..."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestQuote(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", `""`},
		{"/tmp/a b", `"/tmp/a b"`},
		{"a\nb\x1b", `"a\nb\x1b"`},
		{"a\u202eb\u2028", `"a\u202eb\u2028"`},
		{"\U000E0041", `"\U000e0041"`},
		{"\xff", `"\xff"`},
		{`a"b\`, `"a\"b\\"`},
		{strings.Repeat("é", 256), `"` + strings.Repeat("é", 256) + `"`},
		{strings.Repeat("é", 257), `"` + strings.Repeat("é", 256) + `"...`},
		{strings.Repeat("\xff", 257), `"` + strings.Repeat(`\xff`, 256) + `"...`},
	}
	for _, tt := range tests {
		if got := Quote(tt.in); got != tt.want {
			t.Errorf("Quote(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func FuzzRender(f *testing.F) {
	f.Add("a\u202eb\xff")
	f.Add(strings.Repeat("é", 300))
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{Clean(s), Quote(s)} {
			if !utf8.ValidString(got) || strings.ContainsFunc(got, Unsafe) {
				t.Errorf("rendering of %q = %q, want nothing unsafe", s, got)
			}
		}
		if got := utf8.RuneCountInString(Clean(s)); got > MaxRunes+3 {
			t.Errorf("Clean(%q) has %d code points, want at most %d", s, got, MaxRunes+3)
		}
		if len(s) <= MaxRunes {
			if got, err := strconv.Unquote(Quote(s)); got != s || err != nil {
				t.Errorf("Unquote(Quote(%q)) = %q, %v, want it back", s, got, err)
			}
		}
	})
}

func BenchmarkClean(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Clean("an ordinary short label")
	}
}
