//go:build darwin || freebsd

package registry

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/notify"
)

// silence bounds the trust in kqueue: not every file system tells it that a
// lock file was unlocked or closed.
const silence = time.Second

// notifier asks kqueue about the directory and about each lock file that was
// held when last probed.
type notifier struct {
	q     *notify.Queue
	dir   int
	locks map[string]int // path to descriptor
}

func newNotifier(dir string) (*notifier, error) {
	q, err := notify.NewQueue()
	if err != nil {
		return nil, err
	}
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		q.Close()
		return nil, err
	}
	n := &notifier{q, fd, map[string]int{}}
	if err := q.Add(fd, unix.NOTE_WRITE|unix.NOTE_DELETE|unix.NOTE_RENAME|unix.NOTE_REVOKE); err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

func (n *notifier) close() {
	n.q.Close()
	unix.Close(n.dir)
	for _, fd := range n.locks {
		unix.Close(fd)
	}
}

// follow subscribes to the lock files that are new to it. Those were probed
// before, so they are due for another look: news is true.
func (n *notifier) follow(known []Found) (news bool, err error) {
	for _, f := range known {
		if _, ok := n.locks[f.lock]; ok || f.Health != Live {
			continue
		}
		fd, err := unix.Open(f.lock, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.ENOENT) {
			news = true
			continue
		}
		if err != nil {
			return news, err
		}
		n.locks[f.lock] = fd
		news = true
		if err := n.q.Add(fd, unlocked|unix.NOTE_DELETE|unix.NOTE_RENAME|unix.NOTE_REVOKE); err != nil {
			return news, err
		}
	}
	return news, nil
}

func (n *notifier) wait(ctx context.Context, limit time.Duration, known []Found, _ func(string) happening) (happening, error) {
	if news, err := n.follow(known); err != nil {
		return lost, err
	} else if news {
		return touched, nil
	}
	var events [16]unix.Kevent_t
	size, err := n.q.Wait(ctx, limit, events[:]) // with a limit always: see silence
	if err != nil {
		return lost, err
	}
	ev := nothing
	for _, k := range events[:size] {
		switch {
		case int(k.Ident) != n.dir:
			ev = max(ev, touched)
		case k.Fflags&(unix.NOTE_DELETE|unix.NOTE_RENAME|unix.NOTE_REVOKE) != 0:
			ev = max(ev, lost)
		default:
			ev = max(ev, arrived) // it does not say which file
		}
	}
	return ev, nil
}
