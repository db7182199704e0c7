package event

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParseAgreesWithEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := []string{
		strings.Repeat("[", 10000) + strings.Repeat("]", 10000),
		strings.Repeat("[", 10001) + strings.Repeat("]", 10001),
		strings.Repeat(`{"a":`, 10000) + "1" + strings.Repeat("}", 10000),
		strings.Repeat("[", 1<<20),
	}
	for _, v := range replacements {
		texts = append(texts, v, "["+v+"]", `{"k":`+v+`}`)
	}
	lines := golden(t)
	for _, l := range lines[:20] {
		texts = append(texts, mutations(l, r)...)
	}
	var d document
	for _, s := range texts {
		if got, want := d.parse(s) == nil, json.Valid([]byte(s)); got != want {
			t.Errorf("parse(%.200q) = %v, want %v", s, got, want)
		}
	}
}

func TestStringsDecodeAsEncodingJSONHasThem(t *testing.T) {
	for _, s := range []string{
		`""`, `"plain"`, `"\"\\\/\b\f\n\r\t"`, `"\u0041\u00e4\u20AC"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`,
		`"\ud83d\ud83d\ude00"`, `"\ud83dx"`, `"\ud83d\n"`, "\"\xff\"", "\"a\xc3\"", "\"\xed\xa0\x80\"", `"ä€😀"`, `"\u0000"`,
	} {
		var want string
		if err := json.Unmarshal([]byte(s), &want); err != nil {
			t.Fatal(err)
		}
		var d document
		if err := d.parse(s); err != nil || d.nodes[0].text != want {
			t.Errorf("parse(%s) = %q, %v, want %q", s, d.nodes[0].text, err, want)
		}
	}
}

func TestDecimalsCompareLikeRationals(t *testing.T) {
	literals := []string{
		"0", "-0", "0.0", "0e9", "1", "1.0", "10e-1", "0.001e3", "-1", "-1.0", "1.5", "15e-1", "-1.5", "2", "10", "1e1", "1e2", "100.00",
		"99.999", "4294967295", "4294967295.0", "4294967296", "429496729500e-2", "0.1", "0.01", "1e-2", "123456789012345678901234567890",
		"1e30", "-1e30", "1e-30", "9007199254740993", "9007199254740992",
	}
	for _, a := range literals {
		x, _ := new(big.Rat).SetString(a)
		if got := parseDecimal(a).integer(); got != x.IsInt() {
			t.Errorf("integer(%s) = %v, want %v", a, got, x.IsInt())
		}
		for _, b := range literals {
			y, _ := new(big.Rat).SetString(b)
			if got, want := parseDecimal(a).compare(parseDecimal(b)), x.Cmp(y); got != want {
				t.Errorf("compare(%s, %s) = %d, want %d", a, b, got, want)
			}
		}
	}
	// Beyond what big.Rat takes.
	huge, tiny := parseDecimal("1e99999999999999999999"), parseDecimal("1e-99999999999999999999")
	if !huge.integer() || tiny.integer() || huge.compare(parseDecimal("1e300")) <= 0 || tiny.compare(parseDecimal("0")) <= 0 {
		t.Errorf("huge and tiny are %+v, %+v", huge, tiny)
	}
}

func BenchmarkParse(b *testing.B) {
	lines := golden(b)
	size := 0
	for _, l := range lines {
		size += len(l)
	}
	b.SetBytes(int64(size))
	var d document
	for b.Loop() {
		for _, l := range lines {
			if d.parse(l) != nil {
				b.Fatal(l)
			}
		}
	}
}
