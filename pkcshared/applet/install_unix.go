//go:build unix

package applet

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

const programExt = ""

// folded is a file name as it is compared.
func folded(name string) string { return name }

// replaceable allows what is absent, and links to a binary of our name.
func replaceable(path, self string) bool {
	target, err := os.Readlink(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && filepath.Base(target) == filepath.Base(self)
}

// lay makes path lead to self.
func lay(self, path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(self, path)
}
