package runcmd

import (
	"os"
	"time"

	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

// noInput refuses a stream that would empty a file which the run is to read.
func noInput(p *Plan) error {
	if p.StdinFile == "" && len(p.EnvFiles) == 0 {
		return nil
	}
	stream, err := os.Stat(p.JSONL)
	if err != nil || !stream.Mode().IsRegular() {
		return nil
	}
	is := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && os.SameFile(stream, info)
	}
	if p.StdinFile != "" && is(p.StdinFile) {
		return exit.Errorf(exit.Setup, "--jsonl: %s is the --stdin-file, too", text.Quote(p.JSONL))
	}
	for _, path := range p.EnvFiles {
		if is(path) {
			return exit.Errorf(exit.Setup, "--jsonl: %s is an --env-file, too", text.Quote(p.JSONL))
		}
	}
	return nil
}

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
