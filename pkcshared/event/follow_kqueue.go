//go:build darwin || freebsd

package event

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/notify"
)

// silence bounds the trust in kqueue: network file systems do not tell it
// what other hosts write.
const silence = time.Second

type notifier struct{ q *notify.Queue }

func newNotifier(f *os.File) (*notifier, error) {
	q, err := notify.NewQueue()
	if err != nil {
		return nil, err
	}
	if err := q.Add(int(f.Fd()), unix.NOTE_WRITE|unix.NOTE_EXTEND|unix.NOTE_ATTRIB); err != nil {
		q.Close()
		return nil, err
	}
	return &notifier{q}, nil
}

func (n *notifier) wait(ctx context.Context) error {
	_, err := n.q.Wait(ctx, silence, make([]unix.Kevent_t, 4))
	return err
}

func (n *notifier) close() { n.q.Close() }
