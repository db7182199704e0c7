package applet

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"processkit-cli/pkcshared/exit"
)

func installIn(t *testing.T, dir string) (exit.Code, string, string) {
	t.Helper()
	return call(t, func(c *Call) exit.Code { return suite().run(c, []string{"--install", dir}) })
}

func TestInstall(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "pkc-one"+programExt), filepath.Join(dir, "pkc-two"+programExt)
	for range 2 { // the second time it replaces its own
		code, out, errs := installIn(t, dir)
		if code != 0 || out != one+"\n"+two+"\n" || errs != "" {
			t.Fatalf("install = %d, %q, %q", code, out, errs)
		}
		for path, want := range map[string]string{one: "pkc-one one [\"x\"]\n", two: "pkc-two two [\"x\"]\n"} {
			cmd := exec.Command(path, "--", "x")
			cmd.Env = append(os.Environ(), playSuite+"=1")
			if got, err := cmd.Output(); string(got) != want || err != nil {
				t.Errorf("%s -- x = %q, %v, want %q", path, got, err, want)
			}
		}
	}
	// What is not ours stays, and then nothing else changes either.
	for _, path := range []string{one, two} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(two, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := installIn(t, dir)
	if code != exit.Setup || out != "" || !strings.Contains(errs, "nothing was changed") {
		t.Errorf("install = %d, %q, %q, want a refusal", code, out, errs)
	}
	if got, err := os.ReadFile(two); string(got) != "mine" || err != nil {
		t.Errorf("%s = %q, %v, want what was there", two, got, err)
	}
	if _, err := os.Lstat(one); !os.IsNotExist(err) {
		t.Errorf("%s: %v, want nothing made", one, err)
	}
}
