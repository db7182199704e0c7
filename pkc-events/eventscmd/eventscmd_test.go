package eventscmd_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"processkit-cli/fixtures/streams"
	"processkit-cli/pkc-events/eventscmd"
	"processkit-cli/pkcshared/applet"
)

const (
	started = `{"schema_version":1,"time":"2026-03-14T10:24:17.661Z","event":"cleanup_started","members_before":2,"read_error":false}` + "\n"
	ended   = `{"schema_version":1,"time":"2026-03-14T10:24:18.616Z","event":"runner_exit","code":0,"source":"child_exit","child_code":0}` + "\n"

	startedProse = "2026-03-14T10:24:17.661Z  cleanup_started members_before=2 read_error=false\n"
	endedProse   = "2026-03-14T10:24:18.616Z  runner_exit child_code=0 code=0 source=child_exit\n"
)

func golden(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(streams.FS, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestUsage(t *testing.T) {
	p := newPlace(t, started)
	for _, args := range [][]string{
		{},
		{"--json"},
		{"--run-id", "a", "--file", p.stream},
		{"--file", p.stream, "--file", p.stream},
		{"--file="},
		{"--run-id="},
		{"--run-id", "a\x1b[31m"},
		{"--run-id", strings.Repeat("a", 257)},
		{"--file", p.stream, "--json", "--validate"},
		{"--file", p.stream, "--json=true"},
		{"--file", p.stream, "--raw"},
		{"--file", p.stream, "extra"},
		{"--file", p.stream, "--label", "a=b"},
	} {
		out, errs := p.call(100, args...)
		if out != "" || !strings.HasPrefix(errs, "pkc-events: ") || strings.Count(errs, "\n") != 1 {
			t.Errorf("pkc-events %q printed %q and %q, want one line on stderr", args, out, errs)
		}
	}
}

func TestHelpMentionsEveryFlag(t *testing.T) {
	a := eventscmd.New()
	for _, name := range applet.Flags(a.Flags) {
		if !strings.Contains(a.Help, "--"+name) {
			t.Errorf("help does not mention --%s", name)
		}
	}
	p := newPlace(t, "")
	if out, _ := p.call(0, "--help"); strings.TrimPrefix(out, "usage: pkc-") != strings.TrimPrefix(strings.ReplaceAll(a.Help, "\n  events ", "\n  pkc-events "), "usage: ") {
		t.Errorf("--help = %q, want the whole text", out)
	}
}

func TestProse(t *testing.T) {
	deep := `{"event":"e","a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}\n"
	tests := []struct{ name, stream, out, err string }{
		{"events", started + ended, startedProse + endedProse, ""},
		{"empty", "", "no events\n", ""},
		{"blank", "\n \r\n", "no events\n", ""},
		{"CRLF", strings.ReplaceAll(started, "\n", "\r\n"), startedProse, ""},
		{"tail", started + strings.TrimSuffix(ended, "\n"), startedProse + endedProse, ""},
		{"half a tail", started + ended[:20], startedProse, "line 2: not JSON: it ends too early: " + ended[:20]},
		{"unknown event and fields", `{"event":"later","time":"soon","z":1.50,"a":null,"b":true,"c":"x y","d":""}` + "\n", `soon  later a=null b=true c=x y d="" z=1.50` + "\n", ""},
		{"composites", `{"event":"e","a": [ 1 , "x  y\" ]", { } ],"b":{"k" : [ ]}}` + "\n", `-  e a=[1,"x  y\" ]",{}] b={"k":[]}` + "\n", ""},
		{"no envelope", "{}\n", "-  -\n", ""},
		{"odd envelope", `{"time":1,"event":["x"],"schema_version":"9"}` + "\n", `1  ["x"]` + "\n", ""},
		{"twice", `{"event":"a","k":1,"event":"b","k":2}` + "\n", "-  b k=2\n", ""},
		{"escapes", `{"event":"\u0061","\u006b":"\u00e4\ud83d\ude00"}` + "\n", "-  a k=ä😀\n", ""},
		{
			"injection", `{"event":"a\u001b[2Jb","time":"\r\n","k\n2026  fake":"\u202egnp\u0007","c":["\u001b","` + "\u202e" + `"],"":0}` + "\n",
			`    a [2Jb ""=0 c=["\u001b"," "] k 2026  fake= gnp ` + "\n", "",
		},
		{"invalid UTF-8", "{\"event\":\"a\xffb\",\"c\":[\"\xfe\"]}\n", "-  a\ufffdb c=[\"\ufffd\"]\n", ""},
		{
			"long values", `{"event":"` + strings.Repeat("ä", 300) + `","k":["` + strings.Repeat("x", 300) + `"]}` + "\n",
			"-  " + strings.Repeat("ä", 256) + `... k=["` + strings.Repeat("x", 254) + "...\n", "",
		},
		{"deep", deep, "-  e a=" + strings.Repeat("[", 256) + "...\n", ""},
		{
			"rejects are numbered", "\n" + started + "oops\x1b]0;t\a\n\n[1]\n3\n" + ended, startedProse + endedProse,
			"line 3: not JSON: unexpected \"o\" at byte 1: oops ]0;t \n" + "line 5: not a JSON object: [1]\n" + "line 6: not a JSON object: 3",
		},
		{
			"too long", `{"event":"` + strings.Repeat("x", 1<<20) + "\"}\n" + ended, endedProse,
			`line 1: longer than 1048576 bytes: {"event":"` + strings.Repeat("x", 246),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, errs := newPlace(t, tt.stream).do(0)
			if out != tt.out {
				t.Errorf("stdout = %q, want %q", out, tt.out)
			}
			checkWarnings(t, errs, tt.err)
		})
	}
}

// checkWarnings compares the notices on stderr, given without their prefix.
func checkWarnings(t *testing.T, got, want string) {
	t.Helper()
	var b strings.Builder
	if want != "" {
		for l := range strings.SplitSeq(want, "\n") {
			b.WriteString("pkc-events: warning: " + l + "\n")
		}
	}
	if got != b.String() {
		t.Errorf("stderr = %q, want %q", got, b.String())
	}
}

func TestProseOfGoldenStreams(t *testing.T) {
	names, err := fs.Glob(streams.FS, "*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		stream := golden(t, name)
		out, errs := newPlace(t, stream).do(0)
		if got, want := strings.Count(out, "\n"), strings.Count(stream, "\n"); got != want || errs != "" {
			t.Errorf("%s has %d lines of prose, want %d; stderr: %s", name, got, want, errs)
		}
	}
}

func TestJSONPassesBytesThrough(t *testing.T) {
	tests := []struct{ name, stream, out, err string }{
		{"events", started + ended, started + ended, ""},
		{"empty", "", "", ""},
		{"any JSON", "[1, 2]\n\"x\"\n{\"a\" : 1e5 }\n", "[1, 2]\n\"x\"\n{\"a\" : 1e5 }\n", ""},
		{"CRLF and blanks", "{}\r\n\r\n\n[]\n", "{}\r\n[]\n", ""},
		{"invalid UTF-8", "\"\xff\"\n", "\"\xff\"\n", ""},
		{"tail gets its newline", "{}\n[]", "{}\n[]\n", ""},
		{"rejects", "{}\n{\n[]\n", "{}\n[]\n", "line 2: not JSON: it ends too early: {"},
		{"longest", `"` + strings.Repeat("x", 1<<20-2) + "\"\n", `"` + strings.Repeat("x", 1<<20-2) + "\"\n", ""},
		{"too long", `"` + strings.Repeat("x", 1<<20-1) + "\"\n{}\n", "{}\n", `line 1: longer than 1048576 bytes: "` + strings.Repeat("x", 255)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, errs := newPlace(t, tt.stream).do(0, "--json")
			if out != tt.out {
				t.Errorf("stdout = %.300q, want %.300q", out, tt.out)
			}
			checkWarnings(t, errs, tt.err)
		})
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name, stream, out string
		code              int
	}{
		{"events", started + ended, "checked 2, valid 2, invalid 0\n", 0},
		{"nothing", "", "checked 0, valid 0, invalid 0\n", 0},
		{"blank lines count for numbers only", "\n" + started + "\r\n1\n", "line 4: want object, got number\nchecked 2, valid 1, invalid 1\n", 114},
		{"CRLF", strings.ReplaceAll(started, "\n", "\r\n"), "checked 1, valid 1, invalid 0\n", 0},
		{"tail", started + strings.TrimSuffix(ended, "\n"), "checked 2, valid 2, invalid 0\n", 0},
		{"half a tail", started + ended[:30], "line 2: not JSON: it ends too early\nchecked 2, valid 1, invalid 1\n", 114},
		{
			"violations", strings.Replace(started, "2,", "-2,", 1) + "x\n" + strings.Replace(ended, "runner_exit", "later", 1),
			"line 1: /members_before: too small: -2\nline 2: not JSON: unexpected \"x\" at byte 1\nline 3: unknown event \"later\"\nchecked 3, valid 0, invalid 3\n", 114,
		},
		{"injection", `{"event":"\u001b[2J\n"}` + "\n", `line 1: unknown event "\x1b[2J\n"` + "\nchecked 1, valid 0, invalid 1\n", 114},
		{"too long", strings.Repeat("x", 2<<20) + "\n" + ended, "line 1: longer than 1048576 bytes\nchecked 2, valid 1, invalid 1\n", 114},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, errs := newPlace(t, tt.stream).do(tt.code, "--validate")
			if out != tt.out {
				t.Errorf("stdout = %q, want %q", out, tt.out)
			}
			if (errs != "") != (tt.code != 0) {
				t.Errorf("stderr = %q", errs)
			}
		})
	}
	p := newPlace(t, "x\n")
	_, errs := p.do(114, "--validate", "--error-format", "json")
	if gjson.Get(errs, "kind").Str != "events_invalid" || gjson.Get(errs, "message").Str != "1 of 1 lines do not conform" {
		t.Errorf("envelope = %s", errs)
	}
}

func TestUnreadableStreams(t *testing.T) {
	p := newPlace(t, "")
	dir := filepath.Dir(p.stream)
	for _, path := range []string{filepath.Join(dir, "missing"), dir} {
		for _, mode := range [][]string{nil, {"--json"}, {"--validate"}, {"--follow"}} {
			out, errs := p.call(111, append([]string{"--file", path, "--error-format=json"}, mode...)...)
			if out != "" || gjson.Get(errs, "kind").Str != "setup" || gjson.Get(errs, "run_id").Type != gjson.Null {
				t.Errorf("%s %v: stdout %q, stderr %q", path, mode, out, errs)
			}
		}
	}
}

func TestStreamByRunID(t *testing.T) {
	p := newPlace(t, started)
	other := p.stream + ".other"
	relative := "events.jsonl"
	p.register("one", &p.stream)
	p.register("twins", &p.stream)
	p.register("twins", &p.stream)
	p.register("twins", nil)
	p.register("rivals", &p.stream)
	p.register("rivals", &other)
	p.register("silent", nil)
	p.register("relative", &relative)
	p.register("lost", &other)
	stale := p.runner("stale")
	if err := stale.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = stale.Wait()

	for _, id := range []string{"one", "twins", "stale"} {
		if out, errs := p.call(0, "--run-id", id); out != startedProse || errs != "" {
			t.Errorf("--run-id %s = %q, %q, want %q", id, out, errs, startedProse)
		}
	}
	tests := []struct {
		id, kind string
		code     int
	}{
		{"unknown", "not_found", 103},
		{"silent", "not_found", 103},
		{"relative", "not_found", 103},
		{"rivals", "ambiguous_run_id", 103},
		{"lost", "setup", 111},
	}
	for _, tt := range tests {
		out, errs := p.call(tt.code, "--run-id", tt.id, "--error-format", "json")
		if out != "" || gjson.Get(errs, "kind").Str != tt.kind || gjson.Get(errs, "run_id").Str != tt.id {
			t.Errorf("--run-id %s: stdout %q, stderr %s, want kind %s", tt.id, out, errs, tt.kind)
		}
	}
}

func TestUnusableRegistry(t *testing.T) {
	p := newPlace(t, ended)
	p.registry = p.stream // no directory
	for _, args := range [][]string{{"--run-id", "a"}, {"--file", p.stream, "--follow"}} {
		out, errs := p.call(111, append(args, "--error-format=json")...)
		if out != "" || gjson.Get(errs, "kind").Str != "registry" {
			t.Errorf("%q: stdout %q, stderr %q", args, out, errs)
		}
	}
	if out, errs := p.do(0); out != endedProse || errs != "" {
		t.Errorf("--file alone = %q, %q: it needs no registry", out, errs)
	}
}

func TestRegistryIsNotCreated(t *testing.T) {
	p := newPlace(t, ended)
	p.call(103, "--run-id", "a")
	p.do(0, "--follow")
	if _, err := os.Stat(p.registry); !os.IsNotExist(err) {
		t.Errorf("registry: %v, want none", err)
	}
}
