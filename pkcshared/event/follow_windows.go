package event

import (
	"context"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"

	"processkit-cli/pkcshared/notify"
)

// silence bounds the trust in the directory: the system may tell of a new size
// only when it writes its cache back, or when the file is closed
// (FindFirstChangeNotification).
const silence = pollInterval

type notifier struct{ p *notify.Port }

func newNotifier(f *os.File) (*notifier, error) {
	p, err := notify.Watch(filepath.Dir(f.Name()), windows.FILE_NOTIFY_CHANGE_SIZE|windows.FILE_NOTIFY_CHANGE_LAST_WRITE)
	if err != nil {
		return nil, err
	}
	return &notifier{p}, nil
}

// wait does not look for the stream's name: it can have another one by now.
func (n *notifier) wait(ctx context.Context) error {
	_, err := n.p.Wait(ctx, silence)
	return err
}

func (n *notifier) close() { n.p.Close() }
