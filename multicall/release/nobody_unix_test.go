//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// asNobody has cmd run as a user whom directory modes bind, with all it needs.
func asNobody(t *testing.T, s *site, cmd *exec.Cmd) {
	t.Helper()
	const nobody = 65534
	b, err := os.ReadFile(installer)
	if err != nil {
		t.Fatal(err)
	}
	top := filepath.Dir(s.tmp)
	script := filepath.Join(top, "install.sh")
	write(t, script, string(b), text)
	for _, dir := range []string{filepath.Dir(top), top} { // the test's own, closed to others
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(s.tmp, 0o1777); err != nil {
		t.Fatal(err)
	}
	cmd.Args[1], cmd.Dir = script, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}
