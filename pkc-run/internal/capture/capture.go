// Package capture keeps the child's output in files: every byte up to a
// ceiling, with a digest of what reached the file.
package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"os"
	"sync"

	"processkit-cli/pkcshared/event"
)

// The names of the two transcripts.
const (
	StdoutName = "stdout.log"
	StderrName = "stderr.log"
)

// Transcript is the record of one stream. It is safe for a writer and one
// other goroutine.
type Transcript struct {
	path string
	file *os.File
	max  uint64

	mu       sync.Mutex
	produced uint64
	kept     uint64
	sum      hash.Hash
	failed   bool
	closed   bool
}

// Files are the transcripts of one run.
type Files struct{ Stdout, Stderr *Transcript }

// Open makes or empties both transcripts in dir, at most limit bytes each.
// Neither may be the file of stream. Both or none: on failure what this call
// created is removed again, and what was there before keeps its content.
func Open(dir string, limit uint64, stream *os.File) (_ *Files, err error) {
	var u undo
	defer func() {
		if err != nil {
			u.run()
		}
	}()
	if err := u.mkdirAll(dir); err != nil {
		return nil, err
	}
	out, err := u.open(within(dir, StdoutName))
	if err != nil {
		return nil, err
	}
	errs, err := u.open(within(dir, StderrName))
	if err != nil {
		return nil, err
	}
	for _, pair := range [...][2]*os.File{{out, errs}, {out, stream}, {errs, stream}} {
		if err := distinct(pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	for _, f := range []*os.File{out, errs} {
		if err := f.Truncate(0); err != nil {
			return nil, err
		}
	}
	return &Files{newTranscript(out, limit), newTranscript(errs, limit)}, nil
}

func newTranscript(f *os.File, limit uint64) *Transcript {
	return &Transcript{path: f.Name(), file: f, max: limit, sum: sha256.New()}
}

// Write records a chunk of output. What is past the ceiling, or after a
// failed write, is counted only. It reports whether the ceiling was passed
// now or before.
func (t *Transcript) Write(p []byte) (over bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return t.produced > t.max
	}
	t.produced += uint64(len(p))
	room := t.max - t.kept
	if uint64(len(p)) > room {
		p = p[:room]
	}
	if len(p) > 0 && !t.failed {
		n, err := t.file.Write(p)
		t.sum.Write(p[:n])
		t.kept += uint64(n)
		t.failed = err != nil
	}
	return t.produced > t.max
}

// Skip counts output that went by without being read; see Full.
func (t *Transcript) Skip(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.produced += uint64(n)
	}
}

// Full reports whether nothing more will reach the file and the ceiling is
// passed, so that only the count of further output matters.
func (t *Transcript) Full() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.produced > t.max
}

// Close ends the record and describes it.
func (t *Transcript) Close() event.Capture {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.closed = true
		// Some filesystems report a full disk only here.
		if err := t.file.Close(); err != nil {
			t.failed = true
		}
	}
	return event.Capture{
		Path:       t.path,
		Bytes:      t.produced,
		SHA256:     hex.EncodeToString(t.sum.Sum(nil)),
		Truncated:  t.produced > t.max,
		WriteError: t.failed,
	}
}
