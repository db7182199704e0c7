package registry

import (
	"bytes"
	"context"
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/notify"
)

// silence: inotify needs no second look.
const silence = time.Duration(0)

// notifier reads inotify events of the registry directory. One watch serves:
// a directory reports its files, too, so the lock of a dead runner shows as
// IN_CLOSE_WRITE.
type notifier struct{ w *notify.Inotify }

func newNotifier(dir string) (*notifier, error) {
	const mask = unix.IN_CLOSE_WRITE | unix.IN_MOVED_TO | unix.IN_MOVED_FROM | unix.IN_DELETE | unix.IN_ATTRIB |
		unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR
	w, err := notify.Watch(dir, mask)
	if err != nil {
		return nil, err
	}
	return &notifier{w}, nil
}

func (n *notifier) close() { n.w.Close() }

func (n *notifier) wait(ctx context.Context, limit time.Duration, _ []Found, judge func(string) happening) (happening, error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	for {
		events, err := n.w.Read(ctx)
		if ev := parse(events, judge); ev != nothing {
			return ev, nil
		}
		if ctx.Err() != nil {
			return nothing, nil
		}
		if err != nil {
			return lost, err
		}
	}
}

// parse returns the gravest of the events in b.
func parse(b []byte, judge func(string) happening) happening {
	ev := nothing
	for len(b) >= unix.SizeofInotifyEvent {
		// struct inotify_event: wd, mask, cookie, len, name padded with NULs.
		mask := binary.NativeEndian.Uint32(b[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
		name := string(bytes.TrimRight(b[unix.SizeofInotifyEvent:end], "\x00"))
		b = b[end:]
		switch {
		case mask&(unix.IN_DELETE_SELF|unix.IN_MOVE_SELF|unix.IN_UNMOUNT|unix.IN_IGNORED) != 0:
			ev = max(ev, lost)
		case mask&unix.IN_Q_OVERFLOW != 0:
			ev = max(ev, arrived)
		default:
			ev = max(ev, judge(name))
		}
	}
	return ev
}
