package event

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/notify"
)

type notifier struct{ w *notify.Inotify }

// newNotifier watches the file that is open, not whatever has its name by now.
func newNotifier(f *os.File) (*notifier, error) {
	w, err := notify.Watch(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.IN_MODIFY)
	return &notifier{w}, err
}

func (n *notifier) wait(ctx context.Context) error {
	_, err := n.w.Read(ctx)
	return err
}

func (n *notifier) close() { n.w.Close() }
