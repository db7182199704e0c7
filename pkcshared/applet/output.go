package applet

import (
	"bufio"
	"context"
	"os"

	"processkit-cli/pkcshared/exit"
)

// Output is the standard output of a command that only reads: buffered, and
// at peace with a reader that has seen enough. What its methods return is for
// Exec to return: a silent end with code 0 once the reader has gone away, 111
// where the output itself fails.
type Output struct {
	f *os.File
	w *bufio.Writer
}

// Output returns the command's output. What is in it at the end goes out by
// Flush.
func (c *Call) Output() *Output {
	return &Output{c.Out, bufio.NewWriterSize(c.Out, 64<<10)}
}

// Write appends p.
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	return n, o.ending(err)
}

// WriteString appends s.
func (o *Output) WriteString(s string) (int, error) {
	n, err := o.w.WriteString(s)
	return n, o.ending(err)
}

// Flush passes everything on.
func (o *Output) Flush() error { return o.ending(o.w.Flush()) }

func (o *Output) ending(err error) error {
	switch {
	case err == nil:
		return nil
	case isClosedPipe(err):
		return exit.Silent(exit.OK)
	}
	return exit.Errorf(exit.Setup, "standard output: %w", err)
}

// Context returns a copy of ctx that is done when the reader goes away, for a
// command that waits between its writes. It tells only of pipes, sockets and
// terminals, and not on every system; else the next Write does.
func (o *Output) Context(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		if hungUp(o.f) {
			cancel()
		}
	}()
	return ctx
}
