package text

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AppendJSON appends v as one compact JSON value, in the bytes that
// encoding/json makes of it without HTML escapes. It knows what the documents
// of the suite are made of: booleans, integers, strings, and pointers, slices,
// string maps and structs of them, with the options omitempty and omitzero on
// nil values. Anything else panics.
//
// encoding/json prepares an encoder for each type before its first use, a
// quarter of a millisecond for the events of a run, most of which are written
// once in a process.
func AppendJSON(dst []byte, v any) []byte {
	return appendValue(dst, reflect.ValueOf(v))
}

func appendValue(dst []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(dst, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(dst, v.Uint(), 10)
	case reflect.String:
		return appendString(dst, v.String())
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		if v.IsNil() {
			return append(dst, "null"...)
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return appendValue(dst, v.Elem())
	case reflect.Slice:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, v.Index(i))
		}
		return append(dst, ']')
	case reflect.Map:
		return appendMap(dst, v)
	case reflect.Struct:
		return append(appendFields(append(dst, '{'), v, true), '}')
	}
	panic(fmt.Sprintf("no JSON for %s", v.Type()))
}

func appendMap(dst []byte, v reflect.Value) []byte {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	dst = append(dst, '{')
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, k.String()), ':')
		dst = appendValue(dst, v.MapIndex(k))
	}
	return append(dst, '}')
}

// appendFields appends the fields of a struct, those of embedded ones in their
// place.
func appendFields(dst []byte, v reflect.Value, first bool) []byte {
	t := v.Type()
	for i := range t.NumField() {
		f, field := t.Field(i), v.Field(i)
		if f.Anonymous {
			n := len(dst)
			dst = appendFields(dst, field, first)
			first = first && len(dst) == n
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if option != "" && field.IsNil() {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendString(dst, name), ':')
		dst = appendValue(dst, field)
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0 // of what is copied as it is
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		r, n := rune(c), 1
		if c >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
			if (r != utf8.RuneError || n > 1) && r != '\u2028' && r != '\u2029' {
				i += n
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		switch r {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default: // a control, half a character, or a line separator of JavaScript
			dst = append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
		}
		i += n
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}
