package applet

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

const programExt = ".exe"

// folded is a file name as it is compared: whoever calls a program may spell it
// in capitals.
func folded(name string) string { return strings.ToLower(name) }

// replaceable allows what is absent, links to a binary of our name, and what
// lay makes where it cannot make those.
func replaceable(path, self string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if info.Mode().IsRegular() {
		return kin(path)
	}
	target, err := os.Readlink(path)
	return err == nil && strings.EqualFold(filepath.Base(target), filepath.Base(self))
}

// kin reports whether a file is built of the same package as this program, in
// whatever version: the linker writes that into it.
func kin(path string) bool {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	b, err := os.ReadFile(path)
	return err == nil && bytes.Contains(b, []byte("path\t"+build.Path+"\n"))
}

// lay makes path lead to self: by a symbolic link, which takes a privilege, by
// a hard link, which takes one volume, or as a copy.
func lay(self, path string) error {
	if same(self, path) {
		return nil // nor could it be removed: it is running
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if os.Symlink(self, path) == nil {
		// A system without symbolic links may still say that it made one.
		if _, err := os.Lstat(path); err == nil {
			return nil
		}
	}
	if os.Link(self, path) == nil {
		return nil
	}
	b, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o755)
}

// same reports whether two paths lead to one file.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
