package runcmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/registry"
)

// The record is there before the program runs and says what it must.
func TestRecordIsThereBeforeTheChild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	r, s := do(t, 0, func(r *invocation) { r.env = append(r.env, registry.DirEnv+"="+dir) },
		"--run-id", "known", "--label", "b=2", "--label", "a=1", "--capture-dir", "logs", "--cwd", "/",
		"--", "sh", "-c", `cat "$PROCESSKIT_CLI_REGISTRY_DIR"/*.json; stat -c %a "$PROCESSKIT_CLI_REGISTRY_DIR"`)
	out := r.out.String()
	digest := s.one(t, "run_started").Get("command.argv_sha256").Str
	for _, want := range []string{
		`{"registry_version":1,"run_id":"known","endpoint":"/tmp/pkc-`,
		`"argv_sha256":"` + digest + `","hint":null,"labels":{"a":"1","b":"2"}`,
		`"jsonl":"` + r.path("events.jsonl") + `","capture_dir":"` + r.path("logs") + `"`,
		`"liveness":{"kind":"advisory_lock","lock_file":"run-`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the child saw %s, want %s", out, want)
		}
	}
	if !strings.HasSuffix(out, "700\n") {
		t.Errorf("mode of the registry: %s", out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A registry that cannot be used costs a warning, and nothing else.
func TestUnusableRegistry(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r, s := do(t, 3, func(r *invocation) { r.env = append(r.env, registry.DirEnv+"="+file) }, "--", "child", "exit", "3")
	s.clean(t)
	if got := r.err.String(); !strings.HasPrefix(got, "pkc-run: warning: the run is not in the registry: ") || strings.Count(got, "\n") != 1 {
		t.Errorf("stderr = %q", got)
	}
}

func TestRunIDInUse(t *testing.T) {
	first := start(t, nil, "--run-id", "twin", "--", "child", "hang")
	waitFor(t, "first run", func() bool { return len(first.raw()) > 0 })
	said, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	second := start(t, func(r *invocation) { r.cmd.Stderr = said }, "--run-id", "twin", "--", "child", "hang")
	// The warning comes from beside the run, in its own time.
	if got := waitForFile(t, said.Name()); !strings.Contains(got, `warning: run id "twin" is in use by another live run`) {
		t.Errorf("second says %q", got)
	}
	third := start(t, nil, "--detach", "--run-id", "twin", "--", "child", "exit", "0")
	if code := third.launched(); code != 0 {
		t.Errorf("the launcher of a third = %d, want 0", code)
	}
	third.finished()
	if got := third.err.String(); !strings.Contains(got, "in use by another live run") {
		t.Errorf("the launcher of a third says %q", got)
	}
	for _, r := range []*invocation{first, second} {
		_ = r.cmd.Process.Signal(os.Interrupt)
		if got := r.wait(); got != 107 {
			t.Errorf("pkc-run = %d, want 107", got)
		}
	}
	if got := first.err.String(); strings.Contains(got, "in use") {
		t.Errorf("first says %q", got)
	}
}

// A run's id is free again at once.
func TestRunIDIsFreeAfterwards(t *testing.T) {
	for range 2 {
		began := event.Timestamp(time.Now())
		r, s := do(t, 0, nil, "--run-id", "again", "--", "child", "exit", "0")
		if at := s.one(t, "run_started").Get("time").Str; at < began {
			t.Errorf("started at %s, before %s", at, began)
		}
		if r.err.Len() > 0 {
			t.Errorf("stderr = %q", r.err.String())
		}
	}
}
