package registry

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

func TestRegisterNeedsADirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	for _, dir := range []string{file, filepath.Join(file, "runs")} {
		_, err := Register(dir, Record{RunID: "a", StartedAt: stamp})
		if _, path := errors.AsType[*fs.PathError](err); !path {
			t.Errorf("Register(%s) = %v, want an error that names the path", dir, err)
		}
	}
}

func TestVeryDeepRegistry(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat(strings.Repeat("d", 200)+"/", 15))
	testEntry(t, dir, Record{RunID: "a"})
	if found, err := Find(dir, "a"); err != nil || len(found) != 1 || found[0].Health != Live {
		t.Errorf("Find = %+v, %v, want one live entry", found, err)
	}
}
