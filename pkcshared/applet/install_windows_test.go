package applet

import (
	"os"
	"path/filepath"
	"testing"
)

// TestInstallOverOtherVersions replaces what earlier installs have copied.
func TestInstallOverOtherVersions(t *testing.T) {
	suite, dir := program(t), t.TempDir()
	content, err := os.ReadFile(suite)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "pkc-two.exe")
	if err := os.WriteFile(path, append(content, "older"...), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := play(suite, "--install", dir); code != 0 {
		t.Errorf("install over an older copy = %d, %q, %q, want 0", code, out, errs)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != int64(len(content)) {
		t.Errorf("%s: %v, %v, want the present program", path, info, err)
	}
}

func TestCalledInCapitals(t *testing.T) {
	for arg0, want := range map[string]string{
		`C:\bin\PKC-RUN.EXE`: "pkc-run", `Pkc-Run`: "pkc-run", `.\pkc-run.exe`: "pkc-run", "C:/bin/pkc-run.Exe": "pkc-run",
	} {
		if got := progName(arg0); got != want {
			t.Errorf("progName(%s) = %s, want %s", arg0, got, want)
		}
	}
}
