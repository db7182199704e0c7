package registry

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"processkit-cli/pkcshared/file"
)

// Found is a record in the registry.
type Found struct {
	Record
	Path   string // of the record, which is its identity
	Health Health // as of the last Probe, empty before the first

	lock string // path of the lock file
}

// Scan returns every valid record, ordered by run id, start and path, without
// touching anything. A registry that does not exist is empty.
func Scan(dir string) ([]Found, error) {
	files, err := list(dir)
	if err != nil {
		return nil, err
	}
	return load(dir, files), nil
}

// Find returns the records of one run id, probed.
func Find(dir, runID string) ([]Found, error) {
	found, err := Scan(dir)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(f Found) bool { return f.RunID != runID })
	for i := range found {
		found[i].Probe()
	}
	return found, nil
}

// Reread returns the record at f.Path as it is now, not probed. The error is
// fs.ErrNotExist when it has been removed.
func (f Found) Reread() (Found, error) {
	return read(f.Path, make([]byte, maxRecord+1))
}

// Gone reports whether the record has certainly been removed since it was read.
// A run that ends in order removes it before it lets go of its lock.
func (f Found) Gone() bool { return absent(f.Path) }

// list returns the names of the files in dir.
func list(dir string) ([]string, error) {
	d, err := openList(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	files, err := d.Readdirnames(-1)
	if len(files) > 0 || errors.Is(err, fs.ErrNotExist) {
		return files, nil // a bad entry hides no others; gone is empty
	}
	return nil, err
}

// load reads the records among files.
func load(dir string, files []string) []Found {
	found := make([]Found, len(files))
	spread(len(files), func(from, to int) {
		buf := make([]byte, maxRecord+1)
		for i, name := range files[from:to] {
			if !isRecordName(name) {
				continue
			}
			if f, err := read(filepath.Join(dir, name), buf); err == nil {
				found[from+i] = f
			}
		}
	})
	found = slices.DeleteFunc(found, func(f Found) bool { return f.Path == "" })
	slices.SortFunc(found, func(a, b Found) int {
		if c := strings.Compare(a.RunID, b.RunID); c != 0 {
			return c
		}
		if c := strings.Compare(a.StartedAt, b.StartedAt); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	return found
}

func isRecordName(name string) bool {
	return len(name) > len(recordExt) && strings.HasSuffix(name, recordExt)
}

func stemOf(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) }

// read takes one record, through a buffer of maxRecord+1 bytes.
func read(path string, buf []byte) (Found, error) {
	f, err := file.OpenHere(path)
	if err != nil {
		return Found{}, err
	}
	defer f.Close()
	n, err := io.ReadFull(f, buf)
	switch {
	case err == nil:
		return Found{}, errors.New("record too large")
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return Found{}, err
	}
	r, lock, err := decode(string(buf[:n]))
	if err != nil {
		return Found{}, err
	}
	return Found{Record: r, Path: path, lock: filepath.Join(filepath.Dir(path), lock)}, nil
}
