package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// undo remembers what was made, newest last.
type undo struct {
	made  []string
	files []*os.File
}

func (u *undo) run() {
	for _, f := range u.files {
		_ = f.Close()
	}
	for _, path := range slices.Backward(u.made) {
		// A directory that meanwhile holds something else stays.
		_ = os.Remove(path)
	}
}

func (u *undo) mkdirAll(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "open", Path: dir, Err: errors.New("not a directory")}
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if parent := parentOf(dir); parent != "" {
		if err := u.mkdirAll(parent); err != nil {
			return err
		}
	}
	err = os.Mkdir(dir, 0o777)
	if err == nil {
		u.made = append(u.made, dir)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil // somebody else made it just now
	}
	return err
}

// Paths are used as given: cleaning "link/../logs" would name another place
// than the kernel finds.

// parentOf cuts the last element, or returns "".
func parentOf(dir string) string {
	end := len(dir)
	for end > 0 && os.IsPathSeparator(dir[end-1]) {
		end--
	}
	for end > 0 && !os.IsPathSeparator(dir[end-1]) {
		end--
	}
	return dir[:end]
}

func within(dir, name string) string {
	if os.IsPathSeparator(dir[len(dir)-1]) {
		return dir + name
	}
	return dir + string(os.PathSeparator) + name
}

// open does not truncate yet. Output can hold secrets: a new file is its
// owner's alone.
func (u *undo) open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		u.made = append(u.made, path)
	}
	if errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(path, os.O_WRONLY|nonblock, 0)
	}
	if err != nil {
		return nil, err
	}
	u.files = append(u.files, f)
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	return f, nil
}

func distinct(a, b *os.File) error {
	ia, err := a.Stat()
	if err != nil {
		return err
	}
	ib, err := b.Stat()
	if err != nil {
		return err
	}
	if os.SameFile(ia, ib) {
		return fmt.Errorf("%s and %s are one file", a.Name(), b.Name())
	}
	return nil
}
