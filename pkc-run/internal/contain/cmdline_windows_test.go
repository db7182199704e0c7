package contain

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/sys/windows"
)

// The system's own parser takes a command line apart into what it was made of.
func TestCommandLine(t *testing.T) {
	check := func(argv []string) {
		t.Helper()
		line := commandLine(argv)
		if got, err := windows.DecomposeCommandLine(line); err != nil || !slices.Equal(got, argv) {
			t.Errorf("CommandLineToArgvW(%q) = %q, %v, want %q", line, got, err, argv)
		}
	}
	for _, program := range []string{"a", `c:\a b\c.exe`, `c:\a\`, `c:\a b\`, "a\tb", `\\host\share\x`, "é"} {
		check([]string{program})
		check([]string{program, "", `"`, `\`, `\"`, `a\\ b\`, `a "b" c`})
	}
	const alphabet = "aé \t\\\\\\\"\"\n'^&|%*?\u3000"
	letters := []rune(alphabet)
	source := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		argv := []string{"program"}
		for range 1 + source.IntN(4) {
			var b strings.Builder
			for range source.IntN(9) {
				b.WriteRune(letters[source.IntN(len(letters))])
			}
			argv = append(argv, b.String())
		}
		check(argv)
	}
}

func TestEnvBlock(t *testing.T) {
	tests := []struct {
		env  []string
		want string // with | for a zero
	}{
		{nil, "||"},
		{[]string{"A=1"}, "A=1||"},
		{[]string{"b=2", "A=1", "=C:=C:\\x", "C=", "_=u"}, "=C:=C:\\x|A=1|b=2|C=|_=u||"},
		{[]string{"é=1", "É2=2", "Z=3"}, "Z=3|é=1|É2=2||"},
		{[]string{"a=\xed\xa0\x80"}, "a=\ufffd||"}, // a lone surrogate, for Decode
	}
	for _, tt := range tests {
		block, err := envBlock(tt.env)
		got := strings.ReplaceAll(string(utf16.Decode(block)), "\x00", "|")
		if err != nil || got != tt.want {
			t.Errorf("envBlock(%q) = %q, %v, want %q", tt.env, got, err, tt.want)
		}
	}
	if _, err := envBlock([]string{"KEY=secret\x00"}); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "KEY") {
		t.Errorf("envBlock of a value with a zero: %v", err)
	}
}

func TestCompareNames(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"Path", "PATH", 0},
		{"é", "É", 0},
		{"a", "B", -1},
		{"_", "a", 1}, // after Z, as letters are compared in upper case
		{"ab", "a", 1},
	}
	for _, tt := range tests {
		if got := CompareNames(tt.a, tt.b); got != tt.want {
			t.Errorf("CompareNames(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
