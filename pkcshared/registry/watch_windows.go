package registry

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"golang.org/x/sys/windows"

	"processkit-cli/pkcshared/file"
	"processkit-cli/pkcshared/notify"
)

// silence bounds the trust in the kernel: not every network file system tells
// of changes, or lets a lock be waited for.
const silence = time.Second

// notifier asks about names that appear and vanish in the registry, and for
// each lock that was held when last probed.
type notifier struct {
	p     *notify.Port
	locks map[string]bool // those asked for, by path
}

func newNotifier(dir string) (*notifier, error) {
	// Sizes count too: a record can be written in place.
	p, err := notify.Watch(dir, windows.FILE_NOTIFY_CHANGE_FILE_NAME|windows.FILE_NOTIFY_CHANGE_DIR_NAME|windows.FILE_NOTIFY_CHANGE_SIZE)
	if err != nil {
		return nil, err
	}
	return &notifier{p, map[string]bool{}}, nil
}

func (n *notifier) close() { n.p.Close() }

// follow asks for the locks that are new to it. Those were probed before, so
// they are due for another look: news is true.
func (n *notifier) follow(known []Found) (news bool, err error) {
	for _, f := range known {
		if n.locks[f.lock] || f.Health != Live {
			continue
		}
		news = true
		h, err := file.Handle(f.lock, windows.GENERIC_READ, windows.OPEN_EXISTING,
			windows.FILE_FLAG_OPEN_REPARSE_POINT|windows.FILE_FLAG_OVERLAPPED)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return news, err
		}
		n.locks[f.lock] = true
		if err := n.p.AwaitLock(h); err != nil {
			return news, err
		}
	}
	return news, nil
}

func (n *notifier) wait(ctx context.Context, limit time.Duration, known []Found, judge func(string) happening) (happening, error) {
	if news, err := n.follow(known); err != nil {
		return lost, err
	} else if news {
		return touched, nil
	}
	news, err := n.p.Wait(ctx, limit)
	if err != nil {
		return lost, err
	}
	ev := nothing
	if news.Free {
		ev = touched
	}
	if news.Many {
		ev = arrived
	}
	for _, name := range news.Names {
		ev = max(ev, judge(name))
	}
	return ev, nil
}
