package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"processkit-cli/fixtures/schema/cli"
	"processkit-cli/pkcshared/control"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/registry"
)

// invoke runs a command to its end, which must be that code.
func invoke(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("%q = %d, want %d: %s%s", args, got, code, &out, &errs)
	}
	return out.String(), errs.String()
}

// conforms holds n lines against the schema of an output.
func conforms(t *testing.T, output, text string, n int) {
	t.Helper()
	if got := strings.Count(text, "\n"); got != n {
		t.Errorf("%s has %d lines, want %d: %q", output, got, n, text)
	}
	for line := range strings.Lines(text) {
		if err := cli.Check(output, []byte(strings.TrimSuffix(line, "\n"))); err != nil {
			t.Errorf("%s: %v: %s", output, err, line)
		}
	}
}

// newRegistry is an empty one, for this test and what it starts. Its runs end
// with the test.
func newRegistry(t *testing.T) (work, runs string) {
	t.Helper()
	work = t.TempDir()
	runs = filepath.Join(work, "runs")
	t.Setenv(registry.DirEnv, runs)
	t.Cleanup(func() {
		left, err := control.Targets(runs, nil)
		if err != nil {
			t.Error(err)
		}
		control.SendAll(left, control.Kill)
		tool(t, 0, "pkc-wait", "--all", "--timeout", "30s")
	})
	return work, runs
}

// detached starts a run that does not end by itself.
func detached(t *testing.T, id string, flags ...string) {
	t.Helper()
	args := append([]string{"pkc-run", "--detach", "--run-id", id, "--jsonl", filepath.Join(t.TempDir(), "jsonl")}, flags...)
	invoke(t, 0, append(args, "--", "child", "hang")...)
}

// litter leaves what a dead runner leaves: a stale record, and the lock file of
// one that got no record.
func litter(t *testing.T, runs string) {
	t.Helper()
	const record = `{"registry_version":1,"run_id":"dead","endpoint":"/tmp/pkc-0-0-0/c.sock",` +
		`"started_at":"2027-02-03T04:05:06.007Z","liveness":{"kind":"advisory_lock","lock_file":"dead.lock"}}`
	old := filepath.Join(runs, "orphan.lock")
	past := time.Now().Add(-time.Minute)
	if err := errors.Join(
		os.WriteFile(filepath.Join(runs, "dead.json"), []byte(record), 0o600),
		os.WriteFile(filepath.Join(runs, "dead.lock"), nil, 0o600),
		os.WriteFile(old, nil, 0o600),
		os.Chtimes(old, past, past),
	); err != nil {
		t.Fatal(err)
	}
}

// TestOutputs holds what the commands print against its schemas.
func TestOutputs(t *testing.T) {
	work, runs := newRegistry(t)
	check := func(output string, lines, code int, args ...string) {
		t.Helper()
		out, _ := invoke(t, code, args...)
		conforms(t, output, out, lines)
	}
	check("list", 0, 0, "pkc-list", "--json")
	check("inspect-all", 1, 0, "pkc-inspect", "--all", "--json")
	check("control-aggregate", 1, 0, "pkc-cancel", "--all")
	check("wait-outcome-all", 1, 0, "pkc-wait", "--all", "--report-outcome")
	check("prune", 1, 0, "pkc-prune", "--json")
	check("prune-dry-run", 1, 0, "pkc-prune", "--dry-run", "--json")
	check("probe", 1, 0, "processkit-cli", "probe", "--json")
	check("probe", 1, 110, "processkit-cli", "probe", "--json", "--require-surface", "run:--teleport", "--require-schema-version", "2")

	detached(t, "a", "--label", "team=web", "--capture-dir", filepath.Join(work, "logs"))
	detached(t, "b \"<\\&>ü")
	detached(t, "c")
	detached(t, "d")
	mute, err := registry.Register(runs, registry.Record{RunID: "mute", StartedAt: "2027-02-03T04:05:06.007Z"})
	if err != nil {
		t.Fatal(err)
	}
	litter(t, runs)
	check("list", 6, 0, "pkc-list", "--json")
	check("inspect", 1, 0, "pkc-inspect", "--run-id", "a", "--json")
	check("inspect-all", 1, 103, "pkc-inspect", "--all", "--json") // mute fails
	check("prune-dry-run", 1, 0, "pkc-prune", "--dry-run", "--json")
	check("prune", 1, 0, "pkc-prune", "--json")

	check("control-ack", 1, 0, "pkc-cancel", "--run-id", "a")
	check("control-ack", 1, 0, "pkc-kill", "--run-id", "b \"<\\&>ü")
	one, all := background(t, "pkc-wait", "--run-id", "c", "--report-outcome"), background(t, "pkc-wait", "--all", "--report-outcome")
	check("control-aggregate", 1, 103, "pkc-kill", "--all") // mute fails
	mute.Remove()
	conforms(t, "wait-outcome", one(), 1)
	conforms(t, "wait-outcome-all", all(), 1)
}

// background starts a command; the result waits for it and returns its output.
func background(t *testing.T, args ...string) func() string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() string {
		t.Helper()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: %v", args, err)
		}
		return out.String()
	}
}

// TestErrors holds the failures for machines against their schema.
func TestErrors(t *testing.T) {
	work, _ := newRegistry(t)
	detached(t, "a")
	detached(t, "twins")
	detached(t, "twins")
	stream := filepath.Join(work, "odd.jsonl")
	if err := os.WriteFile(stream, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		code int
		kind string
		args string // cut at spaces
	}{
		{101, "spawn_error", "run --jsonl new.jsonl -- ./no-such-program"},
		{106, "timeout", "run --jsonl new.jsonl --run-id t --timeout 1ms -- child hang"},
		{103, "not_found", "inspect --run-id nosuch"},
		{103, "not_found", "kill --run-id nosuch"},
		{103, "ambiguous_run_id", "cancel --run-id twins"},
		{110, "probe_incompatible", "probe --json --require-surface nosuch"},
		{111, "setup", "events --file nosuch"},
		{112, "wait_timeout", "wait --run-id a --timeout 1ms"},
		{114, "events_invalid", "events --validate --file " + stream},
		{111, "registry", "list"},
		{111, "registry", "prune"},
		{103, "registry", "inspect --run-id a"},
	}
	for _, tt := range tests {
		if tt.kind == "registry" {
			t.Setenv(registry.DirEnv, stream)
		}
		args := append([]string{"processkit-cli", "--error-format=json"}, strings.Fields(strings.ReplaceAll(tt.args, "new.jsonl", filepath.Join(work, "new.jsonl")))...)
		_, errs := invoke(t, tt.code, args...)
		conforms(t, "error", errs, 1)
		for _, want := range []string{`"kind":"` + tt.kind + `"`, `"operation":"` + args[2] + `"`} {
			if !strings.Contains(errs, want) {
				t.Errorf("%q says %s, want %s", args, errs, want)
			}
		}
	}
}

// TestSchemasOfOurOwn: our own checker takes every document, so all of them
// keep to the keywords of the event schema.
func TestSchemasOfOurOwn(t *testing.T) {
	names, err := fs.Glob(cli.FS, "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		source, err := fs.ReadFile(cli.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := event.CompileSchema(string(source)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
