//go:build unix

package applet

import (
	"os"
	"path/filepath"
	"testing"

	"processkit-cli/pkcshared/exit"
)

func TestInstallLinks(t *testing.T) {
	suite, dir := program(t), t.TempDir()
	path := filepath.Join(dir, "pkc-two")
	link := func(target string) {
		t.Helper()
		_ = os.Remove(path)
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}
	for target, want := range map[string]exit.Code{
		filepath.Join("/old", filepath.Base(suite)): exit.OK, // an older place
		"/bin/sh": exit.Setup,
	} {
		link(target)
		if code, out, errs := play(suite, "--install", dir); code != want {
			t.Errorf("install over a link to %s = %d, %q, %q, want %d", target, code, out, errs, want)
		}
		if want == exit.OK {
			target = suite
		}
		if got, err := os.Readlink(path); got != target || err != nil {
			t.Errorf("%s -> %s, %v, want %s", path, got, err, target)
		}
	}
}
