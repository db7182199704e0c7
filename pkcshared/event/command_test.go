package event

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDigest(t *testing.T) {
	// printf 'ab\0c' | sha256sum, and so on.
	tests := []struct {
		argv []string
		want string
	}{
		{[]string{`C:\Program Files\dotnet\sdk\MSBuild.dll`, "/nodemode:1", "/nodeReuse:true"}, "c50c07732c7cb6ac13a276e99f9091b3b393d7339b260ea3c0329d975d35d17d"},
		{[]string{"true"}, "b5bea41b6c623f7c09f1bf24dcae58ebab3c0cdd90ad966bc43a45b44867e12b"},
		{[]string{""}, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	}
	for _, tt := range tests {
		for _, raw := range []bool{false, true} {
			if got := NewCommand(tt.argv, raw).ArgvSHA256; got != tt.want {
				t.Errorf("NewCommand(%q, %v).ArgvSHA256 = %s, want %s", tt.argv, raw, got, tt.want)
			}
		}
	}
	different := [][]string{
		{"ab", "c"},
		{"a", "bc"},
		{"abc"},
		{"ab", "c", ""},
		{"", "ab", "c"},
		{"ab c"},
		{"\xe9"},
		{"\xe8"},
		{"\ufffd"},
		{`\xe9`},
		{"é"},
	}
	seen := map[string][]string{}
	for _, argv := range different {
		d := NewCommand(argv, false).ArgvSHA256
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q have one digest", argv, other)
		}
		seen[d] = argv
	}
}

func TestRedaction(t *testing.T) {
	argv := []string{"tool", "--password=hunter2"}
	c := NewCommand(argv, false)
	if !c.Redacted || c.Argv != nil {
		t.Errorf("NewCommand(%q, false) = %+v, want it redacted", argv, c)
	}
	text, err := json.Marshal(c)
	if err != nil || strings.Contains(string(text), "hunter2") || !strings.Contains(string(text), `"argv":null`) {
		t.Errorf("redacted command = %s, %v", text, err)
	}
	c = NewCommand(argv, true)
	if c.Redacted || len(c.Argv) != 2 || c.Argv[1] != argv[1] {
		t.Errorf("NewCommand(%q, true) = %+v, want it raw", argv, c)
	}
}

func TestHint(t *testing.T) {
	tests := []struct {
		argv []string
		want bool
	}{
		{[]string{"dotnet", `C:\sdk\MSBuild.dll`, "/nodemode:1", "/nodeReuse:true"}, true},
		{[]string{"DOTNET", "/sdk/msbuild.DLL", "/NODEMODE:1", "/noDeReuse:TRUE"}, true},
		{[]string{"/nodeReuse:true", "/nodemode:1", "MSBuild.dll"}, true},
		{[]string{"x", "MSBuild.dll/nodemode:1/nodeReuse:true"}, true},
		{[]string{"x", "MSBuild.dll", "/nodemode:12", "/nodeReuse:trueish"}, true},
		{[]string{"\xff", "MSBuild.dll", "/nodemode:1", "/nodeReuse:true"}, true},
		{[]string{"MSBuild.dll", "/nodemode:1"}, false},
		{[]string{"MSBuild.dll", "/nodemode:2", "/nodeReuse:true"}, false},
		{[]string{"MSBuild.dll", "/nodemode:1", "/nodeReuse:false"}, false},
		{[]string{"MSBuild.exe", "/nodemode:1", "/nodeReuse:true"}, false},
		{[]string{"MSBuild.dl\u017f", "/nodemode:1", "/node\u212aeuse:true"}, false}, // no folding beyond ASCII
		{[]string{"MSBuild", ".dll", "/nodemode:1", "/nodeReuse:true"}, false},
		{[]string{""}, false},
	}
	for _, tt := range tests {
		got := NewCommand(tt.argv, false).Hint
		if (got != nil) != tt.want || got != nil && *got != "msbuild_node_reuse" {
			t.Errorf("hint of %q = %v, want one: %v", tt.argv, got, tt.want)
		}
	}
}

func TestEscapedArgument(t *testing.T) {
	tests := []struct{ in, json string }{
		{"", `""`},
		{"plain", `"plain"`},
		{`C:\x\n`, `"C:\\x\\n"`},
		{"é\u2028\U0001F600", `"é\u2028😀"`},
		{"\ufffd", `"` + "\ufffd" + `"`},
		{"a\x01<&>", `"a\u0001<&>"`},
		{"a=\xe9", `"\u0000a=\\xe9"`},
		{"\xff", `"\u0000\\xff"`},
		{"é\xe2\x82", `"\u0000é\\xe2\\x82"`},
		{"\xed\xa0\x80", `"\u0000\\xed\\xa0\\x80"`}, // an encoded surrogate is no UTF-8
		{"\\\xff\\x", `"\u0000\\\\\\xff\\\\x"`},
		{"\ufffd\xff", `"\u0000` + "\ufffd" + `\\xff"`},
		{"a\x00b", `"\u0000a\\x00b"`},
	}
	for _, tt := range tests {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(NewCommand([]string{tt.in}, true).Argv[0]); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(b.String(), "\n"); got != tt.json {
			t.Errorf("argument %q = %s, want %s", tt.in, got, tt.json)
		}
	}
}

// unescape is the inverse of escapeArg, as a reader would write it.
func unescape(s string) string {
	rest, escaped := strings.CutPrefix(s, "\x00")
	if !escaped {
		return s
	}
	var b []byte
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] != '\\':
			b = append(b, rest[i])
		case rest[i+1] == '\\':
			b = append(b, '\\')
			i++
		default:
			b = append(b, unhex(rest[i+2])<<4|unhex(rest[i+3]))
			i += 3
		}
	}
	return string(b)
}

func unhex(c byte) byte { return byte(strings.IndexByte("0123456789abcdef", c)) }

func FuzzEscapedArgument(f *testing.F) {
	for _, s := range []string{"", "a", "\xff", `\`, "\\\xff", "\x00", "é\xc3", `\xff`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, err := json.Marshal(NewCommand([]string{s}, true).Argv[0])
		var back string
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || unescape(back) != s {
			t.Errorf("%q came back from %s as %q, %v", s, text, unescape(back), err)
		}
	})
}
