package runcmd

import (
	"errors"
	"os"

	"processkit-cli/pkc-run/internal/capture"
	"processkit-cli/pkc-run/internal/pump"
	"processkit-cli/pkcshared/applet"
)

// stdio is what the child gets as its descriptors 0 to 2, and what the runner
// keeps of it.
type stdio struct {
	child    [3]*os.File
	borrowed [3]bool // the runner's own, not to be closed
	sources  [2]*os.File
}

// newStdio takes over stdin, the opened --stdin-file, or nil.
func newStdio(c *applet.Call, p *Plan, stdin *os.File) (_ *stdio, err error) {
	s := &stdio{}
	defer func() {
		if err != nil {
			s.closeChild()
		}
	}()
	if p.InheritStdio {
		s.child, s.borrowed = [3]*os.File{c.In, c.Out, c.Err}, [3]bool{true, true, true}
		return s, nil
	}
	switch {
	case p.InheritStdin:
		s.child[0], s.borrowed[0] = c.In, true
	case stdin != nil:
		s.child[0] = stdin
	default:
		if s.child[0], err = openNull(); err != nil {
			return nil, err
		}
	}
	for i := range s.sources {
		if s.sources[i], s.child[i+1], err = pipe(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// closeChild gives up the child's ends, so that the pipes end with the tree.
func (s *stdio) closeChild() {
	for i, f := range s.child {
		if f != nil && !s.borrowed[i] {
			_ = f.Close()
		}
	}
}

// pump starts moving the child's output; nil where the child writes straight
// to the runner's own streams.
func (s *stdio) pump(c *applet.Call, p *Plan, files *capture.Files) *pump.Pump {
	if p.InheritStdio {
		return nil
	}
	out := &pump.Stream{Name: "stdout", Source: s.sources[0], Echo: c.Out}
	errs := &pump.Stream{Name: "stderr", Source: s.sources[1], Echo: c.Err}
	if p.NoEcho {
		out.Echo, errs.Echo = nil, nil
	}
	if files != nil {
		out.Record, errs.Record = files.Stdout, files.Stderr
	}
	return pump.Start(out, errs)
}

// openStdin opens --stdin-file for the child.
func openStdin(path string, sig *signals) (*os.File, error) {
	f, err := openPatiently(path, os.O_RDONLY, 0, sig)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = &os.PathError{Op: "open", Path: path, Err: errors.New("is a directory")}
	}
	if err == nil {
		err = blocking(f)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
