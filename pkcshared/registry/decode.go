package registry

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"processkit-cli/pkcshared/text"
)

// decode reads a record. Its error says which rule makes it no record at all;
// a malformed digest, hint or label only loses that piece.
func decode(data string) (r Record, lockFile string, err error) {
	if !utf8.ValidString(data) || !gjson.Valid(data) || loneSurrogate(data) {
		return r, "", errors.New("not JSON")
	}
	root := gjson.Parse(data)
	if !root.IsObject() {
		return r, "", errors.New("not an object")
	}
	var (
		d    = fields{seen: make([]string, 0, 12)}
		kind string
	)
	r.Labels = map[string]string{}
	root.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "registry_version":
			// By its text: 1.0 and 1e0 are no integers.
			d.take(k, v.Type == gjson.Number && v.Raw == strconv.Itoa(version))
		case "run_id":
			r.RunID = d.str(k, v)
		case "endpoint":
			r.Endpoint = d.optional(k, v)
		case "started_at":
			r.StartedAt = d.str(k, v)
		case "argv_sha256":
			r.ArgvSHA256 = keep(d.optional(k, v), isDigest)
		case "hint":
			r.Hint = keep(d.optional(k, v), isHint)
		case "labels":
			d.take(k, v.IsObject())
			v.ForEach(func(k, v gjson.Result) bool {
				if v.Type != gjson.String {
					d.bad = "labels"
				} else if text.CheckLabel(k.Str, v.Str) == nil {
					r.Labels[k.Str] = v.Str
				}
				return true
			})
		case "jsonl":
			r.JSONL = d.optional(k, v)
		case "capture_dir":
			r.CaptureDir = d.optional(k, v)
		case "cgroup":
			// Our own addition: elsewhere the name may come to mean something else.
			if v.Type == gjson.String {
				r.Cgroup = &v.Str
			}
		case "liveness":
			d.take(k, v.IsObject())
			v.ForEach(func(k, v gjson.Result) bool {
				switch k.Str {
				case "kind":
					kind = d.str(k, v)
				case "lock_file":
					lockFile = d.str(k, v)
				}
				return true
			})
		}
		return true
	})
	switch {
	case d.bad != "":
		return r, "", errors.New("malformed field " + d.bad)
	case !d.has("registry_version"), !d.has("run_id"):
		return r, "", errors.New("missing registry_version or run_id")
	case !isTime(r.StartedAt):
		return r, "", errors.New("started_at is no timestamp")
	case kind != lockKind || !isLockName(lockFile):
		return r, "", errors.New("liveness names no lock file")
	}
	return r, lockFile, nil
}

// fields notes which known names were seen, and the last one that was given
// twice or had the wrong type. The names in liveness are distinct from the
// rest, so one list does.
type fields struct {
	seen []string
	bad  string
}

func (d *fields) has(name string) bool { return slices.Contains(d.seen, name) }

func (d *fields) take(k gjson.Result, ok bool) {
	if !ok || d.has(k.Str) {
		d.bad = k.Str
	}
	d.seen = append(d.seen, k.Str)
}

func (d *fields) str(k, v gjson.Result) string {
	d.take(k, v.Type == gjson.String)
	return v.Str
}

func (d *fields) optional(k, v gjson.Result) *string {
	d.take(k, v.Type == gjson.String || v.Type == gjson.Null)
	if v.Type != gjson.String {
		return nil
	}
	return &v.Str
}

// keep returns s if it has the wanted shape.
func keep(s *string, shape func(string) bool) *string {
	if s == nil || !shape(*s) {
		return nil
	}
	return s
}

func isDigest(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func isHint(s string) bool {
	return 1 <= len(s) && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// isTime reports whether s is a moment that exists, in UTC with milliseconds.
func isTime(s string) bool {
	const shape = "dddd-dd-ddTdd:dd:dd.dddZ"
	if len(s) != len(shape) {
		return false
	}
	for i := range len(s) {
		if digit := '0' <= s[i] && s[i] <= '9'; digit != (shape[i] == 'd') || !digit && s[i] != shape[i] {
			return false
		}
	}
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

// isLockName reports whether s names a lock file next to its record, on every
// system: one path component, and no device of Windows.
func isLockName(s string) bool {
	if len(s) <= len(lockExt) || !strings.HasSuffix(s, lockExt) ||
		strings.ContainsAny(s, `/\:`) || strings.ContainsFunc(s, unicode.IsControl) {
		return false
	}
	base, _, _ := strings.Cut(s, ".")
	base = strings.ToUpper(base)
	switch base {
	case "CON", "PRN", "AUX", "NUL":
		return false
	}
	port, ok := strings.CutPrefix(base, "COM")
	if !ok {
		port, ok = strings.CutPrefix(base, "LPT")
	}
	return !ok || utf8.RuneCountInString(port) != 1 || !strings.Contains("123456789¹²³", port)
}

// loneSurrogate reports whether valid JSON escapes half a character, which no
// string can hold.
func loneSurrogate(data string) bool {
	for {
		i := strings.IndexByte(data, '\\')
		if i < 0 {
			return false
		}
		data = data[i:]
		r, ok := escaped(data)
		switch {
		case !ok:
			data = data[2:]
		case !utf16.IsSurrogate(r):
			data = data[6:]
		default:
			low, _ := escaped(data[6:])
			if utf16.DecodeRune(r, low) == utf8.RuneError {
				return true
			}
			data = data[12:]
		}
	}
}

// escaped returns the code unit of the \uXXXX that s starts with.
func escaped(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
