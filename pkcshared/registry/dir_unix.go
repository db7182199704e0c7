//go:build unix

package registry

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

func defaultDir() (string, error) {
	if run := os.Getenv("XDG_RUNTIME_DIR"); run != "" {
		return filepath.Join(run, "processkit-cli", "runs"), nil
	}
	if home := os.Getenv("HOME"); home != "" {
		return filepath.Join(home, ".local", "state", "processkit-cli", "runs"), nil
	}
	return "", errors.New("no place for the registry: none of " + DirEnv + ", XDG_RUNTIME_DIR and HOME is set")
}

// openList opens dir for listing. Anything else fails here and at once, also a
// FIFO that nobody writes to.
func openList(dir string) (*os.File, error) {
	return os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY, 0)
}

// ensureDir creates dir with its parents and makes it the owner's alone,
// whatever the umask is and whoever widened it.
func ensureDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	fi, err := os.Stat(dir)
	if err != nil || fi.Mode() == os.ModeDir|0o700 {
		return err
	}
	return os.Chmod(dir, 0o700)
}
