package text

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// Millis is a duration in whole milliseconds.
type Millis uint64

// Duration converts m; what does not fit becomes the longest duration, some
// 292 years.
func (m Millis) Duration() time.Duration {
	if m > Millis(math.MaxInt64/time.Millisecond) {
		return math.MaxInt64
	}
	return time.Duration(m) * time.Millisecond
}

// String returns whole seconds as "5s" and anything else as "1500ms". Both
// parse back to m.
func (m Millis) String() string {
	if m > 0 && m%1000 == 0 {
		return strconv.FormatUint(uint64(m/1000), 10) + "s"
	}
	return strconv.FormatUint(uint64(m), 10) + "ms"
}

// ParseDuration reads digits with an optional unit; without one they are
// seconds. Zero is a duration.
func ParseDuration(s string) (Millis, error) {
	var scale uint64
	num, unit := split(s)
	switch unit {
	case "ms":
		scale = 1
	case "", "s":
		scale = 1000
	case "m":
		scale = 60 * 1000
	case "h":
		scale = 60 * 60 * 1000
	}
	if num == "" || scale == 0 {
		return 0, errors.New("want digits with an optional unit ms, s, m or h")
	}
	n, ok := scaled(num, scale)
	if !ok {
		return 0, errors.New("too long: at most 18446744073709551615ms")
	}
	return Millis(n), nil
}

// ParsePositiveDuration is ParseDuration without zero.
func ParsePositiveDuration(s string) (Millis, error) {
	m, err := ParseDuration(s)
	if err == nil && m == 0 {
		return 0, errors.New("want more than zero")
	}
	return m, err
}

// ParseSize reads a number of bytes: digits with an optional unit in powers
// of 1024, in either case. Zero is refused.
func ParseSize(s string) (uint64, error) {
	var scale uint64
	num, unit := split(s)
	switch unit {
	case "", "b", "B":
		scale = 1
	case "k", "K":
		scale = 1 << 10
	case "m", "M":
		scale = 1 << 20
	case "g", "G":
		scale = 1 << 30
	}
	if num == "" || scale == 0 {
		return 0, errors.New("want digits with an optional unit b, k, m or g")
	}
	n, ok := scaled(num, scale)
	switch {
	case !ok:
		return 0, errors.New("too large: at most 18446744073709551615 bytes")
	case n == 0:
		return 0, errors.New("want at least 1 byte")
	}
	return n, nil
}

// ParseCount reads an integer from 1 to 4294967295.
func ParseCount(s string) (uint32, error) {
	num, rest := split(s)
	n, err := strconv.ParseUint(num, 10, 32)
	if err != nil || rest != "" || n == 0 {
		return 0, errors.New("want an integer from 1 to 4294967295")
	}
	return uint32(n), nil
}

// ParseQuota reads a decimal number greater than zero, such as 1.5. An
// exponent may be signed, the number may not.
func ParseQuota(s string) (float64, error) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !decimal(s) || n <= 0 {
		return 0, errors.New("want a decimal number greater than zero, such as 1.5")
	}
	return n, nil
}

// ParseBand reads START-END, an inclusive range of exit codes.
func ParseBand(s string) (start, end int, err error) {
	from, to, _ := strings.Cut(s, "-")
	a, okA := exitCode(from)
	b, okB := exitCode(to)
	if !okA || !okB || a > b {
		return 0, 0, errors.New("want START-END, integers from 0 to 255 with START not above END")
	}
	return a, b, nil
}

func exitCode(s string) (int, bool) {
	num, rest := split(s)
	n, err := strconv.ParseUint(num, 10, 8)
	return int(n), err == nil && rest == ""
}

// split cuts s behind its leading ASCII digits.
func split(s string) (num, rest string) {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return s[:i], s[i:]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// scaled returns num times scale, false when that overflows.
func scaled(num string, scale uint64) (uint64, bool) {
	n, err := strconv.ParseUint(num, 10, 64)
	if err != nil || n > math.MaxUint64/scale {
		return 0, false
	}
	return n * scale, true
}

// decimal reports whether s has only the characters of an unsigned decimal
// float: strconv would also take signs, hex, underscores, inf and nan.
func decimal(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case isDigit(c) || c == '.':
		case c == 'e' || c == 'E':
		case (c == '+' || c == '-') && i > 0 && (s[i-1] == 'e' || s[i-1] == 'E'):
		default:
			return false
		}
	}
	return true
}
