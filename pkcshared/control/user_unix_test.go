//go:build unix

package control

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stranger is the endpoint that the test binary shall ask for when it plays
// another user.
const stranger = "PKC_CONTROL_TEST_STRANGER"

func TestMain(m *testing.M) {
	endpoint := os.Getenv(stranger)
	if endpoint == "" {
		os.Exit(m.Run())
	}
	conn, err := dial(endpoint, time.Now().Add(patience))
	if err != nil {
		os.Stdout.WriteString("refused: " + err.Error())
		return
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(conn, "kill\n")
	b, _ := io.ReadAll(conn)
	os.Stdout.WriteString("connected: " + string(b))
}

func TestOtherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only the superuser can become somebody else")
	}
	// Test binaries lie where others may not look.
	bin := filepath.Join(t.TempDir(), "stranger")
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bin, self, 0o755); err != nil {
		t.Fatal(err)
	}
	for dir := filepath.Dir(bin); dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s, got := serve(t, "r")
	ask := func() string {
		cmd := exec.Command(bin)
		cmd.Env = append(os.Environ(), stranger+"="+s.Endpoint())
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if out := ask(); !strings.Contains(out, "refused: permission denied") {
		t.Errorf("another user: %s", out)
	}
	// The kernel's word on the peer stands even where somebody opened the way.
	for path, mode := range map[string]os.FileMode{filepath.Dir(s.Endpoint()): 0o711, s.Endpoint(): 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if out := ask(); out != "connected: " {
		t.Errorf("another user through an open door: %q, want no answer", out)
	}
	if all := got.all(); len(all) > 0 {
		t.Errorf("passed on = %q", all)
	}
}
