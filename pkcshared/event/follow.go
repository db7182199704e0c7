package event

import (
	"context"
	"os"
	"time"
)

// pollInterval is how often a file is looked at where the kernel does not
// tell that it was written to.
const pollInterval = 250 * time.Millisecond

// Growth tells when a stream may have changed. Make it first and read then:
// what is written between ends the next Wait.
type Growth struct {
	n *notifier // nil: poll
}

// NewGrowth subscribes to f, which must stay open.
func NewGrowth(f *os.File) *Growth {
	n, err := newNotifier(f)
	if err != nil {
		n = nil // no watches left, or a file system that does not tell
	}
	return &Growth{n}
}

// Close ends the subscription.
func (g *Growth) Close() {
	if g.n != nil {
		g.n.close()
		g.n = nil
	}
}

// Wait blocks until the stream may have changed, or returns ctx.Err().
func (g *Growth) Wait(ctx context.Context) error {
	if g.n == nil {
		return sleep(ctx, pollInterval)
	}
	err := g.n.wait(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		g.Close() // it will see nothing more
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
