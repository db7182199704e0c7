package text

import (
	"slices"
	"strings"
	"testing"
)

func TestParseEnvEntry(t *testing.T) {
	tests := []struct {
		in, key, value string
		ok             bool
	}{
		{"A=b", "A", "b", true},
		{"A=", "A", "", true},
		{"A=b=c=", "A", "b=c=", true},
		{"a.b-c(x86)=1", "a.b-c(x86)", "1", true},
		{"ключ=значение", "ключ", "значение", true},
		{"A=two\nlines\t\x01", "A", "two\nlines\t\x01", true},
		{"A=\xff\xfe", "A", "\xff\xfe", true},
		{in: ""},
		{in: "A"},
		{in: "=b"},
		{in: " A=b"},
		{in: "A =b"},
		{in: "A\u00a0=b"},
		{in: "A\u2028=b"},
		{in: "A\u0085=b"},
		{in: "A\x1b=b"},
		{in: "A\x00=b"},
		{in: "A=b\x00c"},
	}
	for _, tt := range tests {
		key, value, err := ParseEnvEntry(tt.in)
		if key != tt.key || value != tt.value || (err == nil) != tt.ok {
			t.Errorf("ParseEnvEntry(%q) = %q, %q, %v, want %q, %q, ok %v", tt.in, key, value, err, tt.key, tt.value, tt.ok)
		}
	}
}

func TestCheckEnvKey(t *testing.T) {
	for _, key := range []string{"", "A=", "=", "A B", "\n", "A\u3000"} {
		if CheckEnvKey(key) == nil {
			t.Errorf("CheckEnvKey(%q) = nil, want an error", key)
		}
	}
	if err := CheckEnvKey("RUN_ID"); err != nil {
		t.Errorf("CheckEnvKey(RUN_ID) = %v, want nil", err)
	}
}

func TestParseEnvFile(t *testing.T) {
	tests := []struct {
		name, in string
		want     [][2]string
		err      string // a part of it; "": none
	}{
		{"empty", "", nil, ""},
		{"last line unterminated", "A=1\nB=2", [][2]string{{"A", "1"}, {"B", "2"}}, ""},
		{"order and repeats kept", "A=1\nA=2\n", [][2]string{{"A", "1"}, {"A", "2"}}, ""},
		{"CRLF", "A=1\r\n\r\nB=\r\n", [][2]string{{"A", "1"}, {"B", ""}}, ""},
		{"one carriage return only", "A=1\r\r\n", [][2]string{{"A", "1\r"}}, ""},
		{"comments and blanks", "# A=0\n \t\n\u00a0# B\nA=1\n", [][2]string{{"A", "1"}}, ""},
		{"nothing is trimmed or unquoted", "A= \"x\" # no comment \n", [][2]string{{"A", " \"x\" # no comment "}}, ""},
		{"form feed is part of the value", "A=1\f2", [][2]string{{"A", "1\f2"}}, ""},
		{"leading space", "A=1\n B=2\n", nil, `line 2: key " B"`},
		{"export is no syntax", "export A=1", nil, `line 1: key "export A"`},
		{"no equals sign", "\n\nsecret", nil, "line 3: want KEY=VALUE"},
		{"empty key", "A=1\n=x", nil, "line 2: want a non-empty key"},
		{"invalid UTF-8 in a comment", "A=1\n# \xff\n", nil, "line 2: want UTF-8"},
		{"NUL", "A=1\nB=x\x00", nil, `line 2: the value of "B" holds a NUL byte`},
		{"control characters shown escaped", "A\x1b[2J=x", nil, `line 1: key "A\x1b[2J"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseEnvFile([]byte(tt.in))
			if !slices.Equal(got, tt.want) {
				t.Errorf("ParseEnvFile(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("ParseEnvFile(%q) error = %v, want %q", tt.in, err, tt.err)
			}
		})
	}
}

func TestEnvErrorsKeepValues(t *testing.T) {
	for _, in := range []string{"hunter2", " A=hunter2", "=hunter2", "A=hunter2\x00", "A\n=hunter2"} {
		if _, _, err := ParseEnvEntry(in); err == nil || strings.Contains(err.Error(), "hunter2") || strings.ContainsAny(err.Error(), "\n\x00") {
			t.Errorf("ParseEnvEntry(%q) error = %v, want one line without the value", in, err)
		}
		if _, err := ParseEnvFile([]byte(in)); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("ParseEnvFile(%q) error = %v, want one without the value", in, err)
		}
	}
}

func FuzzParseEnvEntry(f *testing.F) {
	f.Add("A=b")
	f.Add(" A=b")
	f.Add("=C:=x")
	f.Fuzz(func(t *testing.T, s string) {
		key, value, err := ParseEnvEntry(s)
		if err == nil && (key+"="+value != s || CheckEnvKey(key) != nil) {
			t.Errorf("ParseEnvEntry(%q) = %q, %q, want an error", s, key, value)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("ParseEnvEntry(%q) error = %q, want one line", s, err)
		}
	})
}

func FuzzParseEnvFile(f *testing.F) {
	f.Add([]byte("A=1\r\n# c\n\nB=2"))
	f.Add([]byte("\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := ParseEnvFile(data)
		if err != nil {
			return
		}
		var b strings.Builder
		for _, e := range entries {
			b.WriteString(e[0] + "=" + e[1] + "\r\n")
		}
		if again, err := ParseEnvFile([]byte(b.String())); err != nil || !slices.Equal(again, entries) {
			t.Errorf("ParseEnvFile(%q) = %q, %v, want %q", b.String(), again, err, entries)
		}
	})
}
