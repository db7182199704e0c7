package event

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	startLine = `{"schema_version":1,"time":"2026-03-14T10:24:17.661Z","event":"run_started","run_id":"api"}` + "\n"
	exitLine  = `{"schema_version":1,"time":"2026-03-14T10:24:18.616Z","event":"runner_exit","code":108,"source":"control_cancel","child_code":null}` + "\n"
	childLine = `{"schema_version":1,"time":"2026-03-14T10:24:18.616Z","event":"runner_exit","code":3,"source":"child_exit","child_code":3}` + "\n"

	known   = `{"run_id":"api","status":"reported","code":108,"source":"control_cancel","child_code":null}`
	child   = `{"run_id":"api","status":"reported","code":3,"source":"child_exit","child_code":3}`
	unknown = `{"run_id":"api","status":"unknown","code":null,"source":null,"child_code":null}`
)

func outcome(t *testing.T, ctx context.Context, path string) string {
	t.Helper()
	b, err := json.Marshal(ReadOutcome(ctx, path, "api"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestReadOutcome(t *testing.T) {
	pad := func(n int) string { return `{"pad":"` + strings.Repeat("x", n-11) + "\"}\n" }
	replace := func(line, old, new string) string {
		if !strings.Contains(line, old) {
			t.Fatalf("no %s in %s", old, line)
		}
		return strings.Replace(line, old, new, 1)
	}
	longStart := replace(startLine, `"api"`, `"api","command":"`+strings.Repeat("x", 900<<10)+`"`)
	tests := []struct{ name, stream, want string }{
		{"cancelled", startLine + exitLine, known},
		{"child", startLine + childLine, child},
		{"last counts", startLine + exitLine + childLine, child},
		{"junk behind", startLine + childLine + "junk\n\n[1]\n", child},
		{"CRLF", startLine + strings.TrimSuffix(childLine, "\n") + "\r\n", child},
		{"new source", startLine + replace(childLine, "child_exit", "later"), replace(child, "child_exit", "later")},
		{"new field", startLine + replace(childLine, `"code"`, `"extra":[{}],"code"`), child},
		{"empty", "", unknown},
		{"no start", exitLine, unknown},
		{"other run", replace(startLine, `"api"`, `"apis"`) + exitLine, unknown},
		{"other version of start", replace(startLine, `:1`, `:2`) + exitLine, unknown},
		{"no exit", startLine, unknown},
		{"half a line", startLine + strings.TrimSuffix(exitLine, "\n"), unknown},
		{"half a start", strings.TrimSuffix(startLine, "\n"), unknown},
		{"malformed ones are passed over", startLine + exitLine +
			replace(exitLine, "108", `"108"`) + replace(exitLine, "108", "1.5") + replace(exitLine, "108", "4294967296") +
			replace(exitLine, "null", `"x"`) + replace(exitLine, `,"child_code":null`, "") + replace(exitLine, `"control_cancel"`, "null") +
			replace(exitLine, `"control_cancel"`, `""`) + replace(exitLine, ":1", ":2") + replace(exitLine, ":1", `:"1"`) +
			replace(exitLine, "runner_exit", "runner_exits") + replace(exitLine, "{", "") + "[" + replace(exitLine, "\n", "]\n"), known},
		{"start behind others", pad(60<<10) + startLine + exitLine, known},
		{"start beyond the window", pad(64<<10) + startLine + exitLine, unknown},
		{"start on the last byte of the window", pad(64<<10-1) + startLine + exitLine, known},
		{"long start", longStart + exitLine, known},
		{"long start, far exit", longStart + strings.Repeat(pad(1000), 200) + childLine, child},
		{"start too long", replace(longStart, "xxxx", strings.Repeat("x", 200<<10)) + exitLine, unknown},
		{"exit fills the window", startLine + exitLine + pad(64<<10-len(exitLine)), known},
		{"exit one byte before the window", startLine + exitLine + pad(64<<10-len(exitLine)+1), unknown},
	}
	dir := t.TempDir()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, strings.ReplaceAll(tt.name, " ", "-"))
			if err := os.WriteFile(path, []byte(tt.stream), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond) // less patience, it is all there
			defer cancel()
			if got := outcome(t, ctx, path); got != tt.want {
				t.Errorf("ReadOutcome = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestReadOutcomeWithoutAStream(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("relative", []byte(startLine+exitLine), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "relative", dir, filepath.Join(dir, "missing")} {
		if got := outcome(t, t.Context(), path); got != unknown {
			t.Errorf("ReadOutcome(%q) = %s, want %s", path, got, unknown)
		}
	}
}

func TestReadOutcomeWaitsForTheLastLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString(startLine + childLine[:40])
	time.AfterFunc(100*time.Millisecond, func() { f.WriteString(childLine[40:]) })
	if got := outcome(t, t.Context(), path); got != child {
		t.Errorf("ReadOutcome = %s, want %s", got, child)
	}
}

func TestReadOutcomeIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(path, []byte(startLine), 0o600); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if got := outcome(t, t.Context(), path); got != unknown {
		t.Errorf("ReadOutcome = %s, want %s", got, unknown)
	}
	if took := time.Since(start); took < outcomePatience || took > limit {
		t.Errorf("gave up after %v, want %v", took, outcomePatience)
	}
}
