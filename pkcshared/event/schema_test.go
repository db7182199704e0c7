package event

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"processkit-cli/fixtures"
	"processkit-cli/fixtures/oracle"
	"processkit-cli/fixtures/streams"
)

// golden returns the distinct lines of all golden streams.
func golden(t testing.TB) []string {
	t.Helper()
	var lines []string
	seen := map[string]bool{}
	names, err := fs.Glob(streams.FS, "*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatalf("golden streams: %v, %v", names, err)
	}
	for _, name := range names {
		b, err := fs.ReadFile(streams.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(string(b)) {
			if l = strings.TrimSuffix(l, "\n"); !seen[l] {
				seen[l] = true
				lines = append(lines, l)
			}
		}
	}
	return lines
}

func eventSchema(t testing.TB) *Schema {
	t.Helper()
	s, err := CompileSchema(fixtures.EventSchema)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// replacements are values that sit on the edges of the schema's rules.
var replacements = []string{
	`null`, `true`, `false`, `0`, `-0`, `-0.0e5`, `1`, `-1`, `1.0`, `10e-1`, `0.1e1`, `1e2`, `1.5`, `1e-400`,
	`255`, `256`, `255.0000000000000000000000001`, `2147483647`, `2147483648`, `-2147483648`, `-2147483649`,
	`4294967295`, `4294967296`, `4294967295.0`, `18446744073709551616`, `1e400`, `123456789e-9`, `0.00000000000000000000e9`,
	`"1"`, `""`, `"exited"`, `"spawn"`, `"unknown"`, `"\u0073pawn"`, `"runner_exit"`, `"killed"`, `"\ud83d\ude00"`, `"\ud83d"`,
	`"2026-01-01T00:00:00.000Z"`, `"2026-01-01T00:00:00.000Z\n"`, `"2026-01-01T00:00:00Z"`, "\"\xff\xfe\"", "\"a\tb\"", `"\x"`, `"\u12"`,
	`[]`, `{}`, `[1]`, `[[1]]`, `["a"]`, `["a",null]`, `{"a":1}`, `{"a":"b"}`, `{"a":1,"a":"b"}`, `{"a":"b","a":1}`, `{"1a":"b"}`, `{"":""}`,
	`01`, `1.`, `.5`, `+1`, `1e`, `-`, `NaN`, `nul`, `'a'`, `[1,]`, `{"a":1,}`, `{,}`, `{a:1}`, "", ` `,
	`"` + strings.Repeat("ä", 256) + `"`, `{"k":"` + strings.Repeat("ä", 256) + `"}`, `{"k":"` + strings.Repeat("ä", 257) + `"}`,
	`{"` + strings.Repeat("k", 64) + `":""}`, `{"` + strings.Repeat("k", 65) + `":""}`,
	`"` + strings.Repeat("a", 64) + `"`, `"` + strings.Repeat("a", 64) + `\n"`, `"` + strings.Repeat("A", 64) + `"`,
}

// span is where a member of an object is: its key, its value.
type span struct{ key, value, end int }

func spans(line string, at int, v gjson.Result, out *[]span) {
	v.ForEach(func(k, e gjson.Result) bool {
		s := span{key: e.Index, value: e.Index, end: e.Index + len(e.Raw)}
		if v.IsObject() {
			s.key = k.Index
		}
		*out = append(*out, s)
		if e.IsObject() || e.IsArray() {
			spans(line, at, e, out)
		}
		return true
	})
}

// mutations returns hostile relatives of a line: every value replaced, members
// doubled, dropped and renamed, bytes changed.
func mutations(line string, r *rand.Rand) []string {
	out := []string{
		line + " ", line + "\t\r", "\ufeff" + line, line + line, line + "}", line + ",", line + "\x00", line + "\n" + line,
		"[" + line + "]", `"` + line + `"`, strings.ReplaceAll(line, ",", " ,\t "), strings.ToUpper(line), "{}", "[]", "1", "",
		strings.Replace(line, "{", `{"later":[{"x":1e5}],`, 1), strings.Replace(line, "{", `{"event":"later",`, 1),
		strings.TrimSuffix(line, "}") + `,"event":"later"}`, strings.TrimSuffix(line, "}") + `,"schema_version":2}`,
		strings.Replace(line, "{", `{"schema_version":2,`, 1),
		strings.Replace(line, `"event"`, `"\u0065vent"`, 1), strings.Replace(line, `"event"`, `"Event"`, 1),
	}
	var all []span
	spans(line, 0, gjson.Parse(line), &all)
	for _, s := range all {
		for _, v := range replacements {
			out = append(out, line[:s.value]+v+line[s.end:])
		}
		member := line[s.key:s.end]
		out = append(out,
			line[:s.end]+","+member+line[s.end:],
			line[:s.key]+line[s.key:s.value]+"0,"+member+line[s.end:],
			line[:s.end]+","+line[s.key:s.value]+"0"+line[s.end:],
			line[:s.key]+strings.Replace(member, `"`, `"x`, 1)+line[s.end:],
			line[:s.key]+strings.TrimPrefix(line[s.end:], ","))
	}
	for range 60 {
		b := []byte(line)
		i := r.IntN(len(b))
		switch r.IntN(4) {
		case 0:
			b[i] = byte(r.IntN(256))
		case 1:
			b = append(b[:i], b[i+1:]...)
		case 2:
			b = append(b[:i], append([]byte{`{}[]",:\0-e.u`[r.IntN(13)]}, b[i:]...)...)
		case 3:
			b = b[:i]
		}
		out = append(out, string(b))
	}
	return out
}

func TestVerdictsAreThoseOfTheOracle(t *testing.T) {
	s := eventSchema(t)
	r := rand.New(rand.NewPCG(1, 2))
	lines, invalid := 0, 0
	judge := func(line string) {
		want := oracle.Line([]byte(line))
		got := s.Check([]byte(line))
		if (got == nil) != (want == nil) {
			t.Errorf("Check(%.300q) = %v, want %v", line, got, want)
		}
		lines++
		if want != nil {
			invalid++
		}
	}
	perEvent := map[string]int{}
	for _, line := range golden(t) {
		judge(line)
		// Two lines of a kind have its nullable fields both ways, mostly.
		name := gjson.Get(line, "event").Str
		if perEvent[name]++; perEvent[name] > 2 {
			continue
		}
		for _, m := range mutations(line, r) {
			judge(m)
		}
	}
	t.Logf("%d lines, %d of them invalid", lines, invalid)
	if lines < 2000 || invalid < lines/4 || invalid == lines {
		t.Errorf("corpus of %d lines, %d invalid: too poor to tell anything", lines, invalid)
	}
}

func TestCheckSaysWhere(t *testing.T) {
	exit := `{"schema_version":1,"time":"2026-03-14T10:24:18.616Z","event":"runner_exit","code":0,"source":"setup","child_code":null}`
	tests := []struct{ line, want string }{
		{exit, "<nil>"},
		{strings.Replace(exit, `"code":0`, `"code":"0"`, 1), `/code: want number, got string`},
		{strings.Replace(exit, `"code":0`, `"code":0.5`, 1), `/code: want an integer, got 0.5`},
		{strings.Replace(exit, `"code":0`, `"code":1e10`, 1), `/code: too large: 1e10`},
		{strings.Replace(exit, `"code":0,`, ``, 1), `no code`},
		{strings.Replace(exit, `null`, `true`, 1), `/child_code: want null or number, got boolean`},
		{strings.Replace(exit, `null`, `-1e10`, 1), `/child_code: too small: -1e10`},
		{strings.Replace(exit, `"setup"`, `"\u001b[31m"`, 1), `/source: want "child_exit" or "timeout" or "output_overflow" or "cancelled" or "control_cancel" or "control_kill" or "spawn_error" or "container_error" or "internal" or "setup", got "\x1b[31m"`},
		{strings.Replace(exit, `runner_exit`, `later`, 1), `unknown event "later"`},
		{strings.Replace(exit, `"event"`, `"evint"`, 1), `no event`},
		{strings.Replace(exit, `"code"`, "\"\u202ecode\"", 1), `unknown field "\u202ecode"`},
		{`[]`, `want object, got array`},
		{exit[:20], `not JSON: it ends too early`},
		{exit + "x", fmt.Sprintf(`not JSON: unexpected "x" at byte %d`, len(exit)+1)},
		{"", "not JSON: it ends too early"},
		{"\xff", `not JSON: unexpected "\xff" at byte 1`},
	}
	s := eventSchema(t)
	for _, tt := range tests {
		if got := fmt.Sprint(s.Check([]byte(tt.line))); got != tt.want {
			t.Errorf("Check(%s) = %s, want %s", tt.line, got, tt.want)
		}
	}
}

func TestCompileSchemaRefusesWhatItDoesNotCheck(t *testing.T) {
	tests := []struct{ schema, want string }{
		{`{"minLength":1}`, `schema: minLength: keyword not supported`},
		{`{"$defs":{"a":{"format":"date"}}}`, `schema: $defs: a: format: keyword not supported`},
		{`{"properties":{"a":{"items":{"uniqueItems":true}}}}`, `schema: properties: a: items: uniqueItems: keyword not supported`},
		{`{"type":["string","null"]}`, `schema: type: want string`},
		{`{"type":"text"}`, `schema: type: no type "text"`},
		{`{"enum":[[1]]}`, `schema: enum: want no array or object`},
		{`{"enum":[]}`, `schema: enum: want at least one value, and no const beside it`},
		{`{"const":{}}`, `schema: const: want null or boolean or number or string`},
		{`{"const":1,"enum":[2]}`, `schema: enum: want at least one value, and no const beside it`},
		{`{"required":"a"}`, `schema: required: want array`},
		{`{"$ref":"other.json"}`, `schema: $ref: no definition "other.json"`},
		{`{"$ref":"#/$defs/a"}`, `schema: $ref: no definition "#/$defs/a"`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#"}`, `schema: $schema: want https://json-schema.org/draft/2020-12/schema`},
		{`{"anyOf":[]}`, `schema: anyOf: want at least one schema`},
		{`{"pattern":"("}`, "schema: pattern: error parsing regexp: missing closing ): `(`"},
		{`{"maxLength":1.5}`, `schema: maxLength: strconv.Atoi: parsing "1.5": invalid syntax`},
		{`{"items":1}`, `schema: items: want boolean or object`},
		{`3`, `schema: number is no schema`},
		{`{`, `schema: not JSON: it ends too early`},
	}
	for _, tt := range tests {
		_, err := CompileSchema(tt.schema)
		if got := fmt.Sprint(err); got != tt.want {
			t.Errorf("CompileSchema(%s) = %s, want %s", tt.schema, got, tt.want)
		}
	}
}

func TestOneOfWithoutChoice(t *testing.T) {
	s, err := CompileSchema(`{"oneOf":[{"type":"integer"},{"maximum":2},{"required":["a"]}],"required":["b"]}`)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ line, want string }{
		{`3`, "matches 2 of the alternatives, not 1"}, // required says nothing about numbers
		{`3.5`, "<nil>"},
		{`{"b":1}`, "<nil>"},
		{`{"a":1,"b":1}`, "matches 2 of the alternatives, not 1"},
		{`{}`, "no b"},
	}
	for _, tt := range tests {
		if got := fmt.Sprint(s.Check([]byte(tt.line))); got != tt.want {
			t.Errorf("Check(%s) = %s, want %s", tt.line, got, tt.want)
		}
	}
}

func TestEventSchemaIsDispatched(t *testing.T) {
	if c := eventSchema(t).root.choice; c == nil || c.property != "event" {
		t.Errorf("choice = %+v, want one by event", c)
	}
}

func BenchmarkCheck(b *testing.B) {
	s := eventSchema(b)
	lines := golden(b)
	size := 0
	for _, l := range lines {
		size += len(l)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range lines {
			if s.Check([]byte(l)) != nil {
				b.Fatal(l)
			}
		}
	}
}

func BenchmarkCompileSchema(b *testing.B) {
	for b.Loop() {
		eventSchema(b)
	}
}
