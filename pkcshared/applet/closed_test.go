package applet

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// An exit code is the same whoever reads: a pipe that nobody reads any more
// ends no process by SIGPIPE.
func TestNobodyReads(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		argv string
		code int
	}{
		{"suite --help", 0},
		{"suite --version", 0},
		{"suite help one", 0},
		{"suite", 100},
		{"suite three", 100},
		{"suite one --nonsense", 100},
		{"suite one --fail unprobed", 103},
		{"suite one --fail unprobed --error-format json", 103},
		{"suite one --fail warn", 0},
		{"pkc-one --help", 0},
		{"pkc-one --version", 0},
		{"pkc-one --fail setup", 111},
		{"pkc-one --fail silent", 7},
	}
	for _, tt := range tests {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd := &exec.Cmd{Path: self, Args: strings.Fields(tt.argv), Stdout: w, Stderr: w, Env: append(os.Environ(), playSuite+"=1")}
		_ = cmd.Run()
		w.Close()
		if got := cmd.ProcessState.ExitCode(); got != tt.code {
			t.Errorf("%s = %v, want exit code %d", tt.argv, cmd.ProcessState, tt.code)
		}
	}
}
