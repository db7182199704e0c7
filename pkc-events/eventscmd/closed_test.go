package eventscmd_test

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// broken gives cmd a stdout that nobody reads.
func broken(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd.Stdout = w
	t.Cleanup(func() { w.Close() })
}

func TestClosedOutputIsAQuietEnd(t *testing.T) {
	tests := []struct {
		name, stream string
		args         []string
		code         int
	}{
		{"prose", strings.Repeat(started, 2000), nil, 0},
		{"short prose", started, nil, 0},
		{"empty", "", nil, 0},
		{"json", strings.Repeat(started, 2000), []string{"--json"}, 0},
		{"valid", started, []string{"--validate"}, 0},
		{"invalid", started + "x\n", []string{"--validate"}, 114}, // the verdict is known, and is not lost
		{"follow", started, []string{"--follow"}, 0},
		{"follow to a verdict", started, []string{"--validate", "--follow"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, tt.stream)
			p.register("a", &p.stream)
			cmd := p.command("pkc-events", append([]string{"--file", p.stream}, tt.args...)...)
			var errs strings.Builder
			cmd.Stderr = &errs
			broken(t, cmd)
			_ = cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != tt.code || errs.String() != "" {
				t.Errorf("pkc-events %q = %v, stderr %q, want code %d and silence", tt.args, cmd.ProcessState, errs.String(), tt.code)
			}
		})
	}
}

func TestFollowEndsWhenItsReaderLeaves(t *testing.T) {
	p := newPlace(t, started)
	p.register("a", &p.stream)
	cmd := p.command("pkc-events", "--file", p.stream, "--follow", "--json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len(started))); err != nil {
		t.Fatal(err)
	}
	out.Close() // and nothing is written to the stream any more
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 0 {
		t.Errorf("pkc-events = %v, want 0", cmd.ProcessState)
	}
}
