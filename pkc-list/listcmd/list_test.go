package listcmd_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"processkit-cli/fixtures/script"
	"processkit-cli/pkc-list/listcmd"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/registry"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pkc-list": func() { applet.Main(listcmd.New()) },
	})
}

const stamp = "2027-02-03T04:05:06.007Z"

func TestScripts(t *testing.T) {
	script.Run(t, map[string]script.Command{"live": live})
}

// live ID: registers a run that lives as long as the script.
func live(ts *testscript.TestScript, _ bool, args []string) {
	e, err := registry.Register(ts.Getenv(registry.DirEnv), registry.Record{RunID: args[0], StartedAt: stamp})
	ts.Check(err)
	ts.Defer(func() { e.Remove() })
}

// crowd plants n stale records.
func crowd(t testing.TB, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i := range n {
		record := fmt.Sprintf(`{"registry_version":1,"run_id":"job-%06d","endpoint":null,"started_at":%q,"labels":{"n":"%d"},`+
			`"liveness":{"kind":"advisory_lock","lock_file":"%d.lock"}}`, i, stamp, i, i)
		for name, content := range map[string]string{fmt.Sprint(i, ".json"): record, fmt.Sprint(i, ".lock"): ""} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("pkc-list", args...)
	cmd.Env = append(os.Environ(), registry.DirEnv+"="+dir)
	return cmd
}

func TestManyEntries(t *testing.T) {
	const n = 1000
	dir := crowd(t, n)
	out, err := command(dir, "--json").Output()
	if lines := strings.Count(string(out), "\n"); lines != n || err != nil {
		t.Errorf("list --json = %d lines, %v, want %d", lines, err, n)
	}
	// A reader that has seen enough: more is left than any pipe holds.
	for _, args := range [][]string{{"--json"}, {}} {
		cmd := command(dir, args...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		r, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stop := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		if _, err := bufio.NewReaderSize(r, 16).ReadString('\n'); err != nil {
			t.Errorf("list %q into a pipe: %v, want a line", args, err)
		}
		r.Close()
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("list %q into a closed pipe: %v, stderr %q, want a quiet end", args, err, stderr.String())
		}
		stop.Stop()
	}
}

// BenchmarkList is a whole process over ten thousand stale records.
func BenchmarkList(b *testing.B) {
	dir := crowd(b, 10000)
	for b.Loop() {
		if err := command(dir, "--json").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
