package runcmd

import (
	"os"
	"time"
)

// streamFile bounds writes to a stream that is not a regular file: the reader
// of a FIFO may sleep, and the run must not.
type streamFile struct {
	*os.File
	bounded bool
}

func newStreamFile(f *os.File) *streamFile {
	info, err := f.Stat()
	return &streamFile{f, err == nil && !info.Mode().IsRegular()}
}

func (s *streamFile) Write(p []byte) (int, error) {
	if s.bounded {
		const most = 2 * time.Second
		_ = s.SetWriteDeadline(time.Now().Add(most))
	}
	return s.File.Write(p)
}
