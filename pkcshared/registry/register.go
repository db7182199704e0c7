package registry

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"processkit-cli/pkcshared/file"
	"processkit-cli/pkcshared/text"
)

// maxTries bounds the search for a free name. One is enough unless somebody
// interferes.
const maxTries = 128

var errTaken = errors.New("name taken")

// Entry is the caller's own run in the registry. It holds the lock: keep it
// referenced until Remove, and let no child inherit the descriptor.
type Entry struct {
	record string
	lock   *os.File
}

// Register makes the caller's run known. The directory is created if need be,
// and closed to other users.
func Register(dir string, r Record) (*Entry, error) {
	e, err := register(dir, r)
	if err != nil {
		return nil, fmt.Errorf("registry %s: %w", text.Quote(dir), err)
	}
	return e, nil
}

func register(dir string, r Record) (*Entry, error) {
	if err := ensureDir(dir); err != nil {
		return nil, err
	}
	for range maxTries {
		e, err := claim(dir, r.RunID)
		if errors.Is(err, errTaken) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := e.publish(r); err != nil {
			e.Remove()
			return nil, err
		}
		return e, nil
	}
	return nil, fmt.Errorf("no free name after %d tries", maxTries)
}

// idHash ends the name of a run's files, so that others of the same id can be
// looked for without reading every record.
func idHash(runID string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, runID)
	return fmt.Sprintf("%016x", h.Sum64())
}

// Count returns how many live runs have the id, among those that this
// implementation registered. It opens no record of another id.
func Count(dir, runID string) int {
	names, err := list(dir)
	if err != nil {
		return 0
	}
	end := "-" + idHash(runID) + recordExt
	live := 0
	for _, name := range names {
		if !strings.HasSuffix(name, end) {
			continue
		}
		f, err := read(filepath.Join(dir, name), make([]byte, maxRecord+1))
		if err == nil && f.RunID == runID && f.Probe() == Live {
			live++
		}
	}
	return live
}

// claim creates a lock file and locks it.
func claim(dir, runID string) (e *Entry, err error) {
	stem := filepath.Join(dir, fmt.Sprintf("run-%032x-%s", time.Now().UnixNano(), idHash(runID)))
	lock, err := createLock(stem + lockExt)
	if errors.Is(err, fs.ErrExist) {
		return nil, errTaken
	}
	if err != nil {
		return nil, err
	}
	switch held, err := tryLock(lock, true); {
	case err != nil:
		lock.Close()
		file.Remove(lock.Name())
		return nil, fmt.Errorf("lock %s: %w", text.Quote(lock.Name()), err)
	case !held || !names(lock.Name(), lock):
		// A pruner got hold of it before we did; the name is spent.
		lock.Close()
		return nil, errTaken
	}
	return &Entry{stem + recordExt, lock}, nil
}

// Update replaces the entry's record.
func (e *Entry) Update(r Record) error { return e.publish(r) }

// publish writes the record under its name in one step. There is no fsync: the
// child waits for us, and a record has no meaning beyond the life of the lock.
func (e *Entry) publish(r Record) error {
	data, err := encode(r, filepath.Base(e.lock.Name()))
	if err != nil {
		return err
	}
	temp := e.temp()
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = file.Replace(temp, e.record)
	}
	if err != nil {
		file.Remove(temp)
	}
	return err
}

func (e *Entry) temp() string { return stemOf(e.record) + tempExt }

// Remove takes the run out of the registry and then lets go of the lock. It
// may be called again, and on nil; files that are gone already are no error.
func (e *Entry) Remove() error {
	if e == nil || e.lock == nil {
		return nil
	}
	err := errors.Join(remove(e.record), remove(e.lock.Name()), e.lock.Close())
	e.lock = nil
	return err
}

// remove deletes a file that may be gone already.
func remove(path string) error {
	if err := file.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// names reports whether path is the very file that f has open.
func names(path string, f *os.File) bool {
	there, err := os.Lstat(path)
	if err != nil {
		return false
	}
	open, err := f.Stat()
	return err == nil && os.SameFile(there, open)
}
