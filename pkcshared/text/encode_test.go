package text

import (
	"bytes"
	"encoding/json"
	"testing"
)

// oracle is what encoding/json makes of v.
func oracle(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func TestAppendJSON(t *testing.T) {
	type head struct {
		Version int `json:"version"`
	}
	type empty struct{}
	type kind string
	type inner struct {
		Ratio *uint64 `json:"ratio"`
	}
	type doc struct {
		head
		Name   kind              `json:"name"`
		OK     bool              `json:"ok"`
		Code   int32             `json:"code"`
		Big    uint64            `json:"big"`
		Text   *string           `json:"text"`
		Inner  *inner            `json:"inner"`
		Plain  inner             `json:"plain"`
		List   []string          `json:"list"`
		Nested []inner           `json:"nested"`
		Map    map[string]string `json:"map"`
		Any    []any             `json:"any,omitzero"`
		Gone   *string           `json:"gone,omitempty"`
	}
	s, n := "a", uint64(1<<64-1)
	tests := []any{
		doc{},
		&doc{
			head: head{1}, Name: "k", OK: true, Code: -1, Big: n, Text: &s, Inner: &inner{&n},
			List: []string{}, Nested: []inner{{}, {&n}}, Map: map[string]string{"b": "1", "a": "2", "": "<&>"},
			Any: []any{1, "x", inner{}}, Gone: &s,
		},
		struct{}{},
		struct {
			empty
			A int `json:"a"`
		}{},
		map[string]string{},
		[]int(nil),
		"\x00\x1f\b\f\n\r\t\"\\/<>&\x7f\u0080\u2028\u2029\U0001F600\xff\xc3(\xed\xa0\x80\ufffd",
		nil,
	}
	for _, v := range tests {
		if v == nil {
			v = (*int)(nil)
		}
		if got, want := string(AppendJSON([]byte("x"), v)), "x"+oracle(t, v); got != want {
			t.Errorf("AppendJSON(%#v)\n got %s\nwant %s", v, got, want)
		}
	}
}

func TestAppendJSONRefuses(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("AppendJSON of a float does not panic")
		}
	}()
	AppendJSON(nil, 1.5)
}

func FuzzAppendJSON(f *testing.F) {
	f.Add("plain", "\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		v := struct {
			A []string          `json:"a"`
			M map[string]string `json:"m"`
		}{[]string{a, b}, map[string]string{"a": a, "b": b}}
		if got, want := string(AppendJSON(nil, v)), oracle(t, v); got != want {
			t.Errorf("AppendJSON(%q)\n got %s\nwant %s", v, got, want)
		}
	})
}

func BenchmarkAppendJSON(b *testing.B) {
	v := struct {
		Version int               `json:"version"`
		Name    string            `json:"name"`
		Labels  map[string]string `json:"labels"`
		Pids    []uint32          `json:"pids"`
	}{1, "build", map[string]string{"team": "web"}, []uint32{1, 2, 3}}
	var buf []byte
	for b.Loop() {
		buf = AppendJSON(buf[:0], v)
	}
}
