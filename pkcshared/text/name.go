package text

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// CheckRunID reports what keeps s from being a run id: 1 to 256 code points
// of valid UTF-8, none Unsafe.
func CheckRunID(s string) error {
	if s == "" {
		return errors.New("a run id may not be empty")
	}
	return checkVisible(s, "a run id")
}

// ParseLabel splits KEY=VALUE at the first "=" and checks both halves.
func ParseLabel(s string) (key, value string, err error) {
	key, value, ok := strings.Cut(s, "=")
	if !ok {
		return "", "", errors.New("want KEY=VALUE")
	}
	if err := CheckLabel(key, value); err != nil {
		return "", "", err
	}
	return key, value, nil
}

// CheckLabel reports what keeps a pair, typed or read back, from being a label.
func CheckLabel(key, value string) error {
	if !isLabelKey(key) {
		return errors.New("want a key of 1 to 64 letters, digits, '.', '-' and '_', starting with a letter or '_'")
	}
	return checkVisible(value, "a label value")
}

func isLabelKey(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_':
		case i > 0 && (isDigit(c) || c == '.' || c == '-'):
		default:
			return false
		}
	}
	return true
}

// checkVisible holds s against the rules that run ids and label values share.
func checkVisible(s, what string) error {
	n := 0
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return errors.New(what + " must be valid UTF-8")
			}
		}
		if Unsafe(r) {
			return errors.New(what + " may not hold control or invisible formatting characters")
		}
		if n++; n > MaxRunes {
			return errors.New(what + " may have at most 256 characters")
		}
	}
	return nil
}
