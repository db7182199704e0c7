package registry

import (
	"os"
	"testing"
)

func shortTemp(t *testing.T) string { return t.TempDir() }

// strand: a pipe is gone with its runner, and prune has nothing to remove.
func strand(*testing.T, string, string) (endpoint string) { return `\\.\pipe\processkit-cli-1-a` }

func socketDir(string) string { return "" }

// dangle makes something that is there and cannot be read. A link would need a
// privilege.
func dangle(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}
