package text

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseEnvEntry splits KEY=VALUE at the first "=". The value may be empty and
// may hold further "=". Errors show at most the key.
func ParseEnvEntry(s string) (key, value string, err error) {
	key, value, ok := strings.Cut(s, "=")
	if !ok {
		// Without "=" the whole of s may be a secret in the wrong place.
		return "", "", errors.New("want KEY=VALUE")
	}
	if err := CheckEnvKey(key); err != nil {
		return "", "", err
	}
	if strings.IndexByte(value, 0) >= 0 {
		// No system can pass it on: environment strings end at a NUL.
		return "", "", fmt.Errorf("the value of %s holds a NUL byte", Quote(key))
	}
	return key, value, nil
}

// CheckEnvKey reports what keeps s from naming an environment variable.
func CheckEnvKey(s string) error {
	if s == "" {
		return errors.New("want a non-empty key")
	}
	if key, _, ok := strings.Cut(s, "="); ok {
		// What follows is a value.
		return fmt.Errorf("key %s: want it alone, without '='", Quote(key))
	}
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return fmt.Errorf("key %s: want no whitespace or control characters", Quote(s))
		}
	}
	return nil
}

// ParseEnvFile reads one entry a line, in order, as key and value. Blank lines
// and lines that start with "#" behind any whitespace are skipped; every other
// line counts as written, without quoting, expansion or trimming. Errors name
// the line.
func ParseEnvFile(data []byte) ([][2]string, error) {
	var entries [][2]string
	n := 0
	for line := range strings.SplitSeq(string(data), "\n") {
		n++
		line = strings.TrimSuffix(line, "\r")
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("line %d: want UTF-8", n)
		}
		if rest := strings.TrimLeftFunc(line, unicode.IsSpace); rest == "" || rest[0] == '#' {
			continue
		}
		key, value, err := ParseEnvEntry(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		entries = append(entries, [2]string{key, value})
	}
	return entries, nil
}
