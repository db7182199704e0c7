//go:build darwin || freebsd

package notify

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// Queue is a kqueue. A user event with number 0 carries the end of a context.
type Queue struct{ fd int }

// NewQueue returns an empty queue.
func NewQueue() (*Queue, error) {
	fd, err := unix.Kqueue()
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(fd)
	q := &Queue{fd}
	if err := q.change(0, unix.EVFILT_USER, unix.EV_ADD|unix.EV_CLEAR, 0); err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// Add subscribes to notes (NOTE_WRITE and the like) of an open file, until
// that is closed.
func (q *Queue) Add(fd int, notes uint32) error {
	return q.change(fd, unix.EVFILT_VNODE, unix.EV_ADD|unix.EV_CLEAR, notes)
}

func (q *Queue) change(ident, filter, flags int, notes uint32) error {
	var k unix.Kevent_t
	unix.SetKevent(&k, ident, filter, flags)
	k.Fflags = notes
	_, err := unix.Kevent(q.fd, []unix.Kevent_t{k}, nil, nil)
	return err
}

// Close ends all subscriptions.
func (q *Queue) Close() error { return unix.Close(q.fd) }

// Wait returns how many events it put into events, none once limit has
// passed or ctx is done.
func (q *Queue) Wait(ctx context.Context, limit time.Duration, events []unix.Kevent_t) (int, error) {
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		q.change(0, unix.EVFILT_USER, 0, unix.NOTE_TRIGGER)
		close(woken)
	})
	timeout := unix.NsecToTimespec(limit.Nanoseconds())
	n, err := unix.Kevent(q.fd, nil, events, &timeout)
	if !stop() {
		<-woken
	}
	if errors.Is(err, unix.EINTR) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	files := 0
	for _, k := range events[:n] {
		if k.Filter != unix.EVFILT_USER {
			events[files] = k
			files++
		}
	}
	return files, nil
}
