package registry

import (
	"maps"
	"reflect"
	"strings"
	"testing"
)

const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestDecode(t *testing.T) {
	in := `{"registry_version":1,"run_id":"lint\u002d7","endpoint":"/tmp/pkc-a/c.sock","started_at":"` + stamp + `",
		"argv_sha256":"` + digest + `","hint":"go_test","labels":{"team":"x","empty":""},"jsonl":"/r/a.jsonl","capture_dir":"/r/out",
		"cgroup":"/sys/fs/cgroup/pkc-a","liveness":{"kind":"advisory_lock","lock_file":"a.lock","more":[1]},"later":{"x":null}}`
	want := Record{
		RunID: "lint-7", Endpoint: ptr("/tmp/pkc-a/c.sock"), StartedAt: stamp, ArgvSHA256: ptr(digest), Hint: ptr("go_test"),
		Labels: map[string]string{"team": "x", "empty": ""}, JSONL: ptr("/r/a.jsonl"), CaptureDir: ptr("/r/out"), Cgroup: ptr("/sys/fs/cgroup/pkc-a"),
	}
	got, lock, err := decode(in)
	if err != nil || lock != "a.lock" || !reflect.DeepEqual(got, want) {
		t.Errorf("decode(all fields) = %+v, %q, %v, want %+v, a.lock", got, lock, err, want)
	}
}

// TestDecodeRejects holds the rules that make a file no record at all.
func TestDecodeRejects(t *testing.T) {
	ok := record("a", "a", "")
	tests := []struct{ name, in string }{
		{"empty", ""},
		{"blank", " \n"},
		{"torn", ok[:len(ok)-1]},
		{"trailing garbage", ok + "x"},
		{"two documents", ok + ok},
		{"array", "[" + ok + "]"},
		{"string", `"a"`},
		{"null", "null"},
		{"not JSON", "{run_id:1}"},
		{"raw control character", strings.Replace(ok, `"a"`, "\"a\tb\"", 1)},
		{"invalid UTF-8", strings.Replace(ok, `"a"`, "\"a\xff\"", 1)},
		{"invalid UTF-8 in an unknown field", strings.Replace(ok, "{", "{\"x\":\"\xff\",", 1)},
		{"lone high surrogate", strings.Replace(ok, `"a"`, `"\ud800"`, 1)},
		{"lone low surrogate", strings.Replace(ok, `"a"`, `"\udc00x"`, 1)},
		{"reversed surrogates", strings.Replace(ok, `"a"`, `"\udc00\ud800"`, 1)},
		{"high surrogate then letter", strings.Replace(ok, `"a"`, `"\ud800\u0041"`, 1)},

		{"version missing", strings.Replace(ok, `"registry_version":1,`, "", 1)},
		{"version 2", strings.Replace(ok, `_version":1`, `_version":2`, 1)},
		{"version 1.0", strings.Replace(ok, `_version":1`, `_version":1.0`, 1)},
		{"version 1e0", strings.Replace(ok, `_version":1`, `_version":1e0`, 1)},
		{"version as text", strings.Replace(ok, `_version":1`, `_version":"1"`, 1)},
		{"version null", strings.Replace(ok, `_version":1`, `_version":null`, 1)},
		{"version twice", strings.Replace(ok, "{", `{"registry_version":1,`, 1)},

		{"run id missing", strings.Replace(ok, `"run_id":"a",`, "", 1)},
		{"run id null", strings.Replace(ok, `"run_id":"a"`, `"run_id":null`, 1)},
		{"run id number", strings.Replace(ok, `"run_id":"a"`, `"run_id":7`, 1)},
		{"run id twice", record("a", "a", `"run_id":"b",`)},
		{"run id twice, escaped", record("a", "a", `"run\u005fid":"b",`)},

		{"endpoint number", strings.Replace(ok, `"endpoint":null`, `"endpoint":1`, 1)},
		{"digest number", record("a", "a", `"argv_sha256":1,`)},
		{"hint object", record("a", "a", `"hint":{},`)},
		{"hint twice", record("a", "a", `"hint":"a","hint":"a",`)},
		{"jsonl bool", record("a", "a", `"jsonl":true,`)},
		{"capture_dir array", record("a", "a", `"capture_dir":[],`)},
		{"labels null", record("a", "a", `"labels":null,`)},
		{"labels array", record("a", "a", `"labels":["a"],`)},
		{"labels text", record("a", "a", `"labels":"a=b",`)},
		{"label number", record("a", "a", `"labels":{"a":1},`)},

		{"no liveness", `{"registry_version":1,"run_id":"a","endpoint":null,"started_at":"` + stamp + `"}`},
		{"liveness text", strings.Replace(ok, `{"kind":"advisory_lock","lock_file":"a.lock"}`, `"a.lock"`, 1)},
		{"liveness twice", strings.Replace(ok, "{", `{"liveness":{"kind":"advisory_lock","lock_file":"b.lock"},`, 1)},
		{"other kind", strings.Replace(ok, "advisory_lock", "pid", 1)},
		{"no kind", strings.Replace(ok, `"kind":"advisory_lock",`, "", 1)},
		{"kind number", strings.Replace(ok, `"advisory_lock"`, "1", 1)},
		{"no lock file", strings.Replace(ok, `,"lock_file":"a.lock"`, "", 1)},
		{"lock file null", strings.Replace(ok, `"a.lock"`, "null", 1)},
		{"lock file twice", strings.Replace(ok, `"kind"`, `"lock_file":"b.lock","kind"`, 1)},
	}
	if _, _, err := decode(ok); err != nil {
		t.Fatalf("decode(%s) = %v, want it accepted", ok, err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r, _, err := decode(tt.in); err == nil {
				t.Errorf("decode(%s) = %+v, want an error", tt.in, r)
			}
		})
	}
}

// TestDecodeDrops holds the fields that are lost without the record.
func TestDecodeDrops(t *testing.T) {
	tests := []struct{ name, more string }{
		{"nothing given", ""},
		{"nulls", `"argv_sha256":null,"hint":null,"jsonl":null,"capture_dir":null,"cgroup":null,`},
		{"digest short", `"argv_sha256":"abc",`},
		{"digest upper case", `"argv_sha256":"` + strings.ToUpper(digest) + `",`},
		{"digest with a stranger inside", `"argv_sha256":"` + digest[:31] + "g" + digest[32:] + `",`},
		{"hint empty", `"hint":"",`},
		{"hint long", `"hint":"` + strings.Repeat("a", 65) + `",`},
		{"hint upper case", `"hint":"Go",`},
		{"hint with a space", `"hint":"a b",`},
		{"hint with an escape", `"hint":"a\u001b[2Jb",`},
		{"label keys", `"labels":{"9":"a","":"b","a b":"c","é":"d"},`},
		{"label values", `"labels":{"a":"\u202e","b":"\n","c":"` + strings.Repeat("x", 257) + `"},`},
		{"cgroup of another type", `"cgroup":{"path":1},`},
		{"unknown fields", `"pid":7,"pid":8,"kind":1,`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _, err := decode(record("a", "a", tt.more))
			if want := (Record{RunID: "a", StartedAt: stamp, Labels: map[string]string{}}); err != nil || !reflect.DeepEqual(r, want) {
				t.Errorf("decode(%s) = %+v, %v, want %+v", tt.more, r, err, want)
			}
		})
	}
	r, _, err := decode(record("a", "a", `"labels":{"ok":"1","9":"x","_b":"","ok":"2"},`))
	if want := map[string]string{"ok": "2", "_b": ""}; err != nil || !maps.Equal(r.Labels, want) {
		t.Errorf("decode labels = %v, %v, want %v", r.Labels, err, want)
	}
	if r, _, err := decode(record("", "a", "")); err != nil || r.RunID != "" {
		t.Errorf("decode(empty run id) = %+v, %v, want it accepted", r, err)
	}
	for _, id := range []string{"\u202e", "a\nb", `a\ud83d\ude42`, `\\ud800`} {
		if _, _, err := decode(record(id, "a", "")); err != nil {
			t.Errorf("decode(run id %q) = %v, want it accepted", id, err)
		}
	}
}

func TestIsTime(t *testing.T) {
	tests := []struct {
		in   string
		want bool
	}{
		{stamp, true},
		{"2028-02-29T23:59:59.999Z", true},
		{"2000-02-29T00:00:00.000Z", true},
		{"0000-01-01T00:00:00.000Z", true},
		{"9999-12-31T23:59:59.999Z", true},
		{"2027-02-29T00:00:00.000Z", false},
		{"1900-02-29T00:00:00.000Z", false},
		{"2027-04-31T00:00:00.000Z", false},
		{"2027-13-01T00:00:00.000Z", false},
		{"2027-00-01T00:00:00.000Z", false},
		{"2027-01-00T00:00:00.000Z", false},
		{"2027-01-01T24:00:00.000Z", false},
		{"2027-01-01T00:60:00.000Z", false},
		{"2027-01-01T00:00:60.000Z", false},
		{"2027-01-01T00:00:00.00Z", false},
		{"2027-01-01T00:00:00.0000Z", false},
		{"2027-01-01T00:00:00,000Z", false},
		{"2027-01-01T00:00:00.000z", false},
		{"2027-01-01t00:00:00.000Z", false},
		{"2027-01-01 00:00:00.000Z", false},
		{"2027-01-01T00:00:00+00:00", false},
		{"+027-01-01T00:00:00.000Z", false},
		{"\uff12027-01-01T00:00:00.00Z", false},
		{"", false},
	}
	for _, tt := range tests {
		if got := isTime(tt.in); got != tt.want {
			t.Errorf("isTime(%q) = %v, want %v", tt.in, got, tt.want)
		}
	}
}

func TestIsLockName(t *testing.T) {
	tests := []struct {
		in   string
		want bool
	}{
		{"run-0-1.lock", true},
		{"a.b.lock", true},
		{"..lock", true},
		{"con1.lock", true},
		{"com.lock", true},
		{"com0.lock", true},
		{"com10.lock", true},
		{"mycon.lock", true},
		{"ünï.lock", true},
		{"", false},
		{".lock", false},
		{"a", false},
		{"a.LOCK", false},
		{"a.lock ", false},
		{"a.lock/", false},
		{"/a.lock", false},
		{"../a.lock", false},
		{`b\a.lock`, false},
		{"c:a.lock", false},
		{"a.json", false},
		{"a\x00.lock", false},
		{"a\n.lock", false},
		{"a\u0085.lock", false},
		{"CON.lock", false},
		{"con.lock", false},
		{"Prn.x.lock", false},
		{"aux.lock", false},
		{"nul.lock", false},
		{"COM1.lock", false},
		{"com9.lock", false},
		{"lpt1.tar.lock", false},
		{"LPT9.lock", false},
		{"com¹.lock", false},
		{"lpt³.lock", false},
	}
	for _, tt := range tests {
		if got := isLockName(tt.in); got != tt.want {
			t.Errorf("isLockName(%q) = %v, want %v", tt.in, got, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(record("a", "a", `"labels":{"a":"b"},"hint":"go",`))
	f.Add(record(`\ud83d\ude42`, "a", `"cgroup":"/x",`))
	f.Add(`{"run_id":"\ud800`)
	f.Fuzz(func(t *testing.T, s string) {
		r, lock, err := decode(s)
		if err != nil {
			return
		}
		data, err := encode(r, lock)
		if err != nil {
			if len(s) < maxRecord/6 {
				t.Fatalf("encode(%+v) = %v, want it back", r, err)
			}
			return
		}
		again, lock2, err := decode(string(data))
		if err != nil || lock2 != lock || !reflect.DeepEqual(again, r) {
			t.Errorf("decode(encode(%+v)) = %+v, %q, %v", r, again, lock2, err)
		}
	})
}
