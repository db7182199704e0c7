package eventscmd

import (
	"os"
	"path/filepath"
	"slices"

	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/registry"
	"processkit-cli/pkcshared/text"
)

// stream is an open event stream and how to find the runs that write it.
type stream struct {
	file   *os.File
	reader *event.Reader
	dir    string                     // the registry; empty if nobody asks it
	writes func(registry.Record) bool // whether a run is one of them
}

func openStream(o *options) (*stream, error) {
	s := &stream{}
	path := o.file
	if o.given["run-id"] || o.follow {
		var err error
		if s.dir, err = registry.Dir(); err != nil {
			return nil, noRegistry(err)
		}
	}
	if o.given["run-id"] {
		var err error
		if path, err = locate(s.dir, o.runID); err != nil {
			return nil, err
		}
		s.writes = func(r registry.Record) bool { return r.RunID == o.runID }
	}
	f, err := event.Open(path)
	if err != nil {
		return nil, unreadable(err)
	}
	s.file, s.reader = f, event.NewReader(f)
	if s.writes == nil {
		s.writes = writesTo(f, path)
	}
	return s, nil
}

// locate returns the stream that all records of a run id agree on, whether or
// not their runs still live.
func locate(dir, id string) (string, error) {
	found, err := registry.Scan(dir)
	if err != nil {
		return "", noRegistry(err)
	}
	var paths []string
	known := false
	for _, f := range found {
		if f.RunID != id {
			continue
		}
		known = true
		if f.JSONL != nil && !slices.Contains(paths, *f.JSONL) {
			paths = append(paths, *f.JSONL)
		}
	}
	switch {
	case !known:
		return "", exit.As(exit.Control, exit.KindNotFound, "no run %s is registered; the stream of an ended run is read by --file", text.Quote(id))
	case len(paths) == 0:
		return "", exit.As(exit.Control, exit.KindNotFound, "run %s has no stream on record", text.Quote(id))
	case len(paths) > 1:
		return "", exit.As(exit.Control, exit.KindAmbiguous, "runs named %s have %d different streams; list shows them, choose one by --file", text.Quote(id), len(paths))
	case !filepath.IsAbs(paths[0]):
		return "", exit.As(exit.Control, exit.KindNotFound, "run %s has a stream on record that is no absolute path", text.Quote(id))
	}
	return paths[0], nil
}

// writesTo tells whether a run has f, opened by path, for its stream: the same
// file now, or the same path should the file have been moved away since.
func writesTo(f *os.File, path string) func(registry.Record) bool {
	own := canonical(path)
	info, err := f.Stat()
	return func(r registry.Record) bool {
		if r.JSONL == nil {
			return false
		}
		other, otherErr := os.Stat(*r.JSONL)
		return err == nil && otherErr == nil && os.SameFile(info, other) || canonical(*r.JSONL) == own
	}
}

func canonical(path string) string {
	if p, err := filepath.Abs(path); err == nil {
		path = p
	}
	if p, err := filepath.EvalSymlinks(path); err == nil {
		path = p
	}
	return path
}

func noRegistry(err error) error {
	return exit.As(exit.Setup, exit.KindRegistry, "cannot read the registry: %w", err)
}
