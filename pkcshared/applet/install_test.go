package applet

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"processkit-cli/pkcshared/exit"
)

// program is a copy of the test binary that plays the suite. Links to a program
// that runs can not be removed on every system.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "suite"+programExt)
	if err := os.WriteFile(path, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// play runs the suite, by whichever path.
func play(path string, args ...string) (code exit.Code, out, errs string) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), playSuite+"=1")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	return exit.Code(cmd.ProcessState.ExitCode()), stdout.String(), stderr.String()
}

func TestInstall(t *testing.T) {
	suite, dir := program(t), t.TempDir()
	one, two := filepath.Join(dir, "pkc-one"+programExt), filepath.Join(dir, "pkc-two"+programExt)
	for range 2 { // the second time it replaces its own
		code, out, errs := play(suite, "--install", dir)
		if code != 0 || out != one+"\n"+two+"\n" || errs != "" {
			t.Fatalf("install = %d, %q, %q", code, out, errs)
		}
		for path, want := range map[string]string{one: "pkc-one one [\"x\"]\n", two: "pkc-two two [\"x\"]\n"} {
			if code, out, errs := play(path, "--", "x"); code != 0 || out != want {
				t.Errorf("%s -- x = %d, %q, %q, want %q", path, code, out, errs, want)
			}
		}
	}
}

// TestInstallOverOthers: what is not ours stays, and then nothing else is made
// either.
func TestInstallOverOthers(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "pkc-one"+programExt), filepath.Join(dir, "pkc-two"+programExt)
	if err := os.WriteFile(two, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := play(program(t), "--install", dir)
	if code != exit.Setup || out != "" || !strings.Contains(errs, "nothing was changed") {
		t.Errorf("install = %d, %q, %q, want a refusal", code, out, errs)
	}
	if got, err := os.ReadFile(two); string(got) != "mine" || err != nil {
		t.Errorf("%s = %q, %v, want what was there", two, got, err)
	}
	if _, err := os.Lstat(one); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v, want nothing made", one, err)
	}
}
