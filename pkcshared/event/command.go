package event

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// Command is the child's command line, redacted unless asked for.
type Command struct {
	Redacted   bool     `json:"redacted"`
	Argv       []string `json:"argv"`
	ArgvSHA256 string   `json:"argv_sha256"`
	Hint       *string  `json:"hint"`
}

// NewCommand describes argv. Without raw only its digest and hint are told.
func NewCommand(argv []string, raw bool) Command {
	c := Command{Redacted: !raw, ArgvSHA256: digest(argv), Hint: hint(argv)}
	if raw {
		c.Argv = make([]string, len(argv))
		for i, a := range argv {
			c.Argv[i] = escapeArg(a)
		}
	}
	return c
}

// digest hashes the raw argument bytes, joined by single NULs: no argument
// can hold one, so ["ab","c"] and ["a","bc"] differ.
func digest(argv []string) string {
	h := sha256.New()
	for i, a := range argv {
		if i > 0 {
			h.Write([]byte{0})
		}
		h.Write([]byte(a))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hint names the shape of a well-known command without telling its arguments.
func hint(argv []string) *string {
	line := strings.Map(asciiLower, strings.Join(argv, " "))
	for _, marker := range [...]string{"msbuild.dll", "/nodemode:1", "/nodereuse:true"} {
		if !strings.Contains(line, marker) {
			return nil
		}
	}
	name := "msbuild_node_reuse"
	return &name
}

func asciiLower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// escapeArg keeps an argument that is not valid UTF-8 lossless in JSON: a
// leading U+0000, which no argument can hold, marks the escaped form.
func escapeArg(a string) string {
	if utf8.ValidString(a) && strings.IndexByte(a, 0) < 0 {
		return a
	}
	const digits = "0123456789abcdef"
	b := []byte{0}
	for i := 0; i < len(a); {
		r, n := utf8.DecodeRuneInString(a[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(b, '\\', 'x', digits[a[i]>>4], digits[a[i]&15])
		case r == '\\':
			b = append(b, '\\', '\\')
		case r == 0:
			b = append(b, `\x00`...)
		default:
			b = append(b, a[i:i+n]...)
		}
		i += n
	}
	return string(b)
}
