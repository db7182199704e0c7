package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCheckRunID(t *testing.T) {
	tests := []struct {
		name, in string
		ok       bool
	}{
		{"one letter", "a", true},
		{"spaces and slashes", "build 7/linux", true},
		{"256 code points", strings.Repeat("é", 256), true},
		{"replacement character, typed", "a\uFFFDb", true},
		{"empty", "", false},
		{"257 code points", strings.Repeat("a", 257), false},
		{"257 wide code points", strings.Repeat("é", 257), false},
		{"newline", "a\nb", false},
		{"escape", "\x1b[2J", false},
		{"delete", "a\x7f", false},
		{"C1 control", "a\u009bb", false},
		{"right-to-left override", "a\u202eb", false},
		{"zero width space", "a\u200bb", false},
		{"line separator", "a\u2028b", false},
		{"paragraph separator", "a\u2029b", false},
		{"byte order mark", "\ufeffa", false},
		{"tag character", "a\U000E0041", false},
		{"lone continuation byte", "a\x80", false},
		{"truncated sequence", "a\xe2\x82", false},
		{"encoded surrogate", "\xed\xa0\x80", false},
		{"overlong NUL", "\xc0\x80", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := CheckRunID(tt.in); (err == nil) != tt.ok {
				t.Errorf("CheckRunID(%q) = %v, want ok %v", tt.in, err, tt.ok)
			}
		})
	}
}

func TestParseLabel(t *testing.T) {
	tests := []struct {
		in, key, value string
		ok             bool
	}{
		{"team=x", "team", "x", true},
		{"_a.b-c_9=", "_a.b-c_9", "", true},
		{"k=a=b=", "k", "a=b=", true},
		{"k= spaced ", "k", " spaced ", true},
		{strings.Repeat("k", 64) + "=v", strings.Repeat("k", 64), "v", true},
		{"k=" + strings.Repeat("ü", 256), "k", strings.Repeat("ü", 256), true},
		{in: strings.Repeat("k", 65) + "=v"},
		{in: "k=" + strings.Repeat("ü", 257)},
		{in: ""},
		{in: "k"},
		{in: "=v"},
		{in: "9k=v"},
		{in: ".k=v"},
		{in: "-k=v"},
		{in: "a b=v"},
		{in: "é=v"},
		{in: "k\x00=v"},
		{in: "k=a\tb"},
		{in: "k=a\u202eb"},
		{in: "k=a\u2028b"},
		{in: "k=\xff"},
	}
	for _, tt := range tests {
		key, value, err := ParseLabel(tt.in)
		if key != tt.key || value != tt.value || (err == nil) != tt.ok {
			t.Errorf("ParseLabel(%q) = %q, %q, %v, want %q, %q, ok %v", tt.in, key, value, err, tt.key, tt.value, tt.ok)
		}
	}
}

func FuzzCheckRunID(f *testing.F) {
	f.Add("a")
	f.Add("a\u202e")
	f.Add("\xff")
	f.Fuzz(func(t *testing.T, s string) {
		if CheckRunID(s) != nil {
			return
		}
		if n := utf8.RuneCountInString(s); n < 1 || n > MaxRunes || Clean(s) != s {
			t.Errorf("CheckRunID(%q) = nil, want an error: %d code points, rendered %q", s, n, Clean(s))
		}
	})
}

func FuzzParseLabel(f *testing.F) {
	f.Add("k=v")
	f.Add("=v")
	f.Add("k=\u2028")
	f.Fuzz(func(t *testing.T, s string) {
		key, value, err := ParseLabel(s)
		if err != nil {
			return
		}
		if key+"="+value != s || Clean(value) != value || CheckLabel(key, value) != nil {
			t.Errorf("ParseLabel(%q) = %q, %q, want an error", s, key, value)
		}
	})
}
