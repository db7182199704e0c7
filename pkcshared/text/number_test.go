package text

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	const bad = math.MaxUint64
	tests := []struct {
		in   string
		want Millis
	}{
		{"0", 0},
		{"0ms", 0},
		{"5", 5000},
		{"5s", 5000},
		{"007s", 7000},
		{"1500ms", 1500},
		{"2m", 120_000},
		{"3h", 10_800_000},
		{"18446744073709551614ms", math.MaxUint64 - 1},
		{"18446744073709551s", 18446744073709551000},
		{"18446744073709552s", bad},
		{"18446744073709551616ms", bad},
		{"99999999999999999999999h", bad},
		{"", bad},
		{"s", bad},
		{"ms", bad},
		{"+5", bad},
		{"-5", bad},
		{"1.5s", bad},
		{"5 s", bad},
		{" 5s", bad},
		{"5s ", bad},
		{"5S", bad},
		{"5MS", bad},
		{"5sec", bad},
		{"5d", bad},
		{"1h30m", bad},
		{"0x10", bad},
		{"1_000", bad},
		{"1e3", bad},
		{"٥s", bad},      // ARABIC-INDIC DIGIT FIVE
		{"\uff15s", bad}, // FULLWIDTH DIGIT FIVE
		{"5s\x00", bad},
	}
	for _, tt := range tests {
		got, err := ParseDuration(tt.in)
		if (err != nil) != (tt.want == bad) || err == nil && got != tt.want {
			t.Errorf("ParseDuration(%q) = %d, %v, want %d", tt.in, got, err, tt.want)
		}
	}
	if got, err := ParseDuration("18446744073709551615ms"); got != math.MaxUint64 || err != nil {
		t.Errorf("ParseDuration(the longest) = %d, %v, want it accepted", got, err)
	}
}

func TestParsePositiveDuration(t *testing.T) {
	for _, in := range []string{"0", "0ms", "0s", "0m", "0h", "000", "", "-1"} {
		if got, err := ParsePositiveDuration(in); err == nil {
			t.Errorf("ParsePositiveDuration(%q) = %d, want an error", in, got)
		}
	}
	if got, err := ParsePositiveDuration("1ms"); got != 1 || err != nil {
		t.Errorf("ParsePositiveDuration(1ms) = %d, %v, want 1", got, err)
	}
}

func TestMillis(t *testing.T) {
	tests := []struct {
		in   Millis
		text string
		d    time.Duration
	}{
		{0, "0ms", 0},
		{1, "1ms", time.Millisecond},
		{1500, "1500ms", 1500 * time.Millisecond},
		{5000, "5s", 5 * time.Second},
		{60_000, "60s", time.Minute},
		{9223372036854, "9223372036854ms", 9223372036854 * time.Millisecond},
		{9223372036855, "9223372036855ms", math.MaxInt64},
		{math.MaxUint64, "18446744073709551615ms", math.MaxInt64},
	}
	for _, tt := range tests {
		if got := tt.in.String(); got != tt.text {
			t.Errorf("Millis(%d).String() = %q, want %q", uint64(tt.in), got, tt.text)
		}
		if got := tt.in.Duration(); got != tt.d {
			t.Errorf("Millis(%d).Duration() = %d, want %d", uint64(tt.in), got, tt.d)
		}
	}
}

func TestParseSize(t *testing.T) {
	tests := []struct {
		in   string
		want uint64 // 0: refused
	}{
		{"1", 1},
		{"1b", 1},
		{"1B", 1},
		{"1k", 1 << 10},
		{"2K", 2 << 10},
		{"3m", 3 << 20},
		{"4M", 4 << 20},
		{"5g", 5 << 30},
		{"6G", 6 << 30},
		{"18446744073709551615", math.MaxUint64},
		{"18014398509481983k", 18014398509481983 << 10},
		{"18014398509481984k", 0},
		{"18446744073709551616", 0},
		{"0", 0},
		{"0g", 0},
		{"", 0},
		{"k", 0},
		{"1kb", 0},
		{"1ki", 0},
		{"1t", 0},
		{"1 k", 0},
		{"+1", 0},
		{"-1", 0},
		{"1.5k", 0},
		{"1_0", 0},
		{"1\u212a", 0}, // KELVIN SIGN, which folds to k
	}
	for _, tt := range tests {
		got, err := ParseSize(tt.in)
		if (err != nil) != (tt.want == 0) || got != tt.want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", tt.in, got, err, tt.want)
		}
	}
}

func TestParseCount(t *testing.T) {
	tests := []struct {
		in   string
		want uint32 // 0: refused
	}{
		{"1", 1},
		{"01", 1},
		{"4294967295", math.MaxUint32},
		{"4294967296", 0},
		{"0", 0},
		{"", 0},
		{"+1", 0},
		{"-1", 0},
		{"1.0", 0},
		{"1k", 0},
		{" 1", 0},
		{"1_0", 0},
		{"١", 0},
	}
	for _, tt := range tests {
		got, err := ParseCount(tt.in)
		if (err != nil) != (tt.want == 0) || got != tt.want {
			t.Errorf("ParseCount(%q) = %d, %v, want %d", tt.in, got, err, tt.want)
		}
	}
}

func TestParseQuota(t *testing.T) {
	tests := []struct {
		in   string
		want float64 // 0: refused
	}{
		{"1", 1},
		{"1.5", 1.5},
		{".5", .5},
		{"2.", 2},
		{"1e3", 1000},
		{"5E-1", .5},
		{"1e+2", 100},
		{"0", 0},
		{"0.0", 0},
		{"1e-400", 0},
		{"1e400", 0},
		{"+1", 0},
		{"-1", 0},
		{"", 0},
		{".", 0},
		{"e3", 0},
		{"1e", 0},
		{"1.2.3", 0},
		{"1,5", 0},
		{"inf", 0},
		{"Infinity", 0},
		{"nan", 0},
		{"0x1p2", 0},
		{"1_0", 0},
		{" 1", 0},
		{"1 ", 0},
		{"\uff11", 0},
	}
	for _, tt := range tests {
		got, err := ParseQuota(tt.in)
		if (err != nil) != (tt.want == 0) || err == nil && got != tt.want {
			t.Errorf("ParseQuota(%q) = %v, %v, want %v", tt.in, got, err, tt.want)
		}
	}
}

func TestParseBand(t *testing.T) {
	tests := []struct {
		in         string
		start, end int // -1: refused
	}{
		{"100-119", 100, 119},
		{"0-255", 0, 255},
		{"7-7", 7, 7},
		{"119-100", -1, -1},
		{"0-256", -1, -1},
		{"256-300", -1, -1},
		{"100", -1, -1},
		{"100-", -1, -1},
		{"-119", -1, -1},
		{"-", -1, -1},
		{"", -1, -1},
		{"1-2-3", -1, -1},
		{"1--2", -1, -1},
		{"+1-2", -1, -1},
		{"1-+2", -1, -1},
		{"1 - 2", -1, -1},
		{"1..2", -1, -1},
		{"1–2", -1, -1}, // EN DASH
	}
	for _, tt := range tests {
		start, end, err := ParseBand(tt.in)
		if bad := tt.start < 0; (err != nil) != bad || !bad && (start != tt.start || end != tt.end) {
			t.Errorf("ParseBand(%q) = %d, %d, %v, want %d, %d", tt.in, start, end, err, tt.start, tt.end)
		}
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"0", "5s", "1500ms", "2m", "3h", "18446744073709551615ms", "+1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ParseDuration(s)
		if err != nil {
			return
		}
		if again, err := ParseDuration(m.String()); again != m || err != nil {
			t.Errorf("ParseDuration(%q) = %d, %v, want %d", m.String(), again, err, m)
		}
		if m.Duration() < 0 {
			t.Errorf("Millis(%d).Duration() = %d, want no overflow", uint64(m), m.Duration())
		}
	})
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"1", "1k", "2M", "18014398509481984k", "0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseSize(s)
		if err != nil {
			return
		}
		if n == 0 || strings.ContainsAny(s, "+-. ") {
			t.Errorf("ParseSize(%q) = %d, want an error", s, n)
		}
		lower, upper := strings.ToLower(s), strings.ToUpper(s)
		if l, err := ParseSize(lower); l != n || err != nil {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", lower, l, err, n)
		}
		if u, err := ParseSize(upper); u != n || err != nil {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", upper, u, err, n)
		}
	})
}

func FuzzParseNumbers(f *testing.F) {
	for _, s := range []string{"1", "4294967295", "1.5", "1e3", "100-119", "inf", "0x1p2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseCount(s); err == nil && (n == 0 || strings.Trim(s, "0123456789") != "") {
			t.Errorf("ParseCount(%q) = %d, want an error", s, n)
		}
		if q, err := ParseQuota(s); err == nil && (!(q > 0) || math.IsInf(q, 0) || strings.Trim(s, "0123456789.eE+-") != "") {
			t.Errorf("ParseQuota(%q) = %v, want an error", s, q)
		}
		if a, b, err := ParseBand(s); err == nil && (a < 0 || a > b || b > 255) {
			t.Errorf("ParseBand(%q) = %d, %d, want an error", s, a, b)
		}
	})
}
