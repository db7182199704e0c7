//go:build unix

package fingerprint

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// Pending is a file that is not there yet.
type Pending struct {
	path string
	tmp  *renameio.PendingFile
}

// Reserve makes sure that a fingerprint can be written at path: nothing is
// there, and the directory takes a new file.
func Reserve(path string) (*Pending, error) {
	if err := vacant(path); err != nil {
		return nil, err
	}
	tmp, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(0o600))
	if err != nil {
		return nil, err
	}
	return &Pending{path, tmp}, nil
}

func vacant(path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return &os.PathError{Op: "create", Path: path, Err: os.ErrExist}
	case errors.Is(err, os.ErrNotExist):
		return nil
	}
	return err
}

// Publish lets the file appear, whole, on disk, and only where none is: a
// rename would replace another launch's handle, so the name is linked. Where
// the file system has no links, a look before the rename must do.
func (p *Pending) Publish(b []byte) error {
	if _, err := p.tmp.Write(b); err != nil {
		return err
	}
	if err := p.tmp.Sync(); err != nil {
		return err
	}
	err := os.Link(p.tmp.Name(), p.path)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) {
		if err = vacant(p.path); err == nil {
			err = p.tmp.CloseAtomicallyReplace()
		}
	}
	if err == nil {
		syncDir(filepath.Dir(p.path))
	}
	return err
}

// syncDir makes the name last. Where that cannot be done the file is there all
// the same.
func syncDir(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	_ = d.Sync()
}

// Close removes what Publish has not let appear.
func (p *Pending) Close() { _ = p.tmp.Cleanup() }
