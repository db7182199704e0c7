package eventscmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/registry"
)

// settle is how long a stream that no live run writes must be quiet before
// following ends: the last line comes after the run has left the registry.
const settle = 500 * time.Millisecond

// follower prints a stream while it grows:
//
//	        ┌──────── growth ────────┐
//	read to the end ─ runs live? ─ yes ─ wait for growth, or their end
//	   │                 no
//	   │                 └─ wait for growth, or the quiet ─ live again? ─ no ─ end
//	   └─ runner_exit: end
type follower struct {
	*stream
	schema *event.Schema
	p      printer
	out    *applet.Output
	read   int64 // how far
}

func newFollower(s *stream, schema *event.Schema, p printer, out *applet.Output) *follower {
	return &follower{stream: s, schema: schema, p: p, out: out}
}

// follow prints to the end of the stream. whole is false if that is not a
// runner_exit, so that part of a line may be left.
func (f *follower) follow(ctx context.Context, c *applet.Call) (whole bool, err error) {
	if _, err := f.runs(); err != nil {
		return false, err // before anything is printed
	}
	ctx, cancel := context.WithCancel(f.out.Context(ctx))
	defer cancel()
	growth := event.NewGrowth(f.file)
	defer growth.Close()
	live := f.live(ctx)
	var quiet time.Time // when it has lasted
	for {
		grew, terminal, err := f.advance(c)
		if err == nil {
			err = f.out.Flush()
		}
		switch {
		case terminal || err != nil:
			return terminal, err
		case ctx.Err() != nil:
			return true, nil // nobody reads our output any more
		case live.Err() == nil:
			_ = growth.Wait(live)
			continue
		}
		if err := context.Cause(live); !errors.Is(err, errOver) {
			return false, err
		}
		now := time.Now()
		if grew || quiet.IsZero() {
			quiet = now.Add(settle)
		}
		if now.Before(quiet) {
			rest, done := context.WithDeadline(ctx, quiet)
			_ = growth.Wait(rest)
			done()
			continue
		}
		found, err := f.runs()
		if err != nil {
			return false, err
		}
		if len(found) == 0 {
			c.Warn("no live run writes this stream, and it has no runner_exit")
			return false, nil
		}
		live, quiet = f.live(ctx), time.Time{}
	}
}

// advance prints the complete lines up to the end of the file, or to the one
// that ends the stream.
func (f *follower) advance(c *applet.Call) (grew, terminal bool, err error) {
	for {
		l, err := f.reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return grew, false, unreadable(err)
		}
		terminal := f.ends(l)
		if err := f.p.line(l); err != nil || terminal {
			return grew, terminal, err
		}
	}
	at, err := f.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return false, false, unreadable(err)
	}
	grew, f.read = at != f.read, at
	info, err := f.file.Stat()
	if err != nil {
		return grew, false, unreadable(err)
	}
	if info.Size() >= at {
		return grew, false, nil
	}
	c.Warn("the stream was emptied; it is read from its start again")
	f.reader.Reset()
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return grew, false, unreadable(err)
	}
	f.read = 0
	return f.advance(c)
}

// ends reports whether l is the last line of a stream. Only a conforming
// runner_exit is.
func (f *follower) ends(l event.Line) bool {
	if l.TooLong || !bytes.Contains(l.Text, []byte("runner_exit")) && bytes.IndexByte(l.Text, '\\') < 0 {
		return false
	}
	return f.schema.Check(l.Text) == nil && f.schema.Event() == "runner_exit"
}

var errOver = errors.New("no live run writes this stream")

// live returns a context that is done when no run writes the stream any more,
// or when that cannot be told; its cause says which.
func (f *follower) live(ctx context.Context) context.Context {
	live, over := context.WithCancelCause(ctx)
	go func() { over(f.untilOver(live)) }()
	return live
}

func (f *follower) untilOver(ctx context.Context) error {
	w := registry.NewWatch(f.dir)
	defer w.Close()
	for {
		found, err := f.runs()
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return errOver
		}
		if err := w.Wait(ctx, found, nil); err != nil {
			return err
		}
	}
}

// runs returns who writes the stream. Whoever cannot be probed may well live.
func (f *follower) runs() ([]registry.Found, error) {
	found, err := registry.Scan(f.dir)
	if err != nil {
		return nil, noRegistry(err)
	}
	var runs []registry.Found
	for _, r := range found {
		if f.writes(r.Record) && r.Probe() != registry.Stale {
			runs = append(runs, r)
		}
	}
	return runs, nil
}
