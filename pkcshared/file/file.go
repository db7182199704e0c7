// Package file opens what somebody else may have put there: regular files
// only, without waiting for anybody, and without standing in anybody's way.
package file

import (
	"errors"
	"io/fs"
	"os"
)

// Open opens a regular file for reading. Whoever named it, a FIFO or a device
// cannot hold up the reader.
func Open(path string) (*os.File, error) { return regular(open(path, true)) }

// OpenHere is Open for a file that path itself names: it follows no final link.
func OpenHere(path string) (*os.File, error) { return regular(open(path, false)) }

func regular(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: errors.New("not a regular file")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
