package notify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Inotify is a watch of one file or directory. Its descriptor is non-blocking
// and waits in the runtime's poller, so an idle watch costs nothing.
type Inotify struct {
	f    *os.File
	ring int // see share; -1 without
	buf  [16 << 10]byte
}

// Watch subscribes to the events of mask at path. It is
// errors.ErrUnsupported where not every change would be told.
func Watch(path string, mask uint32) (*Inotify, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return nil, err
	}
	if !tells(uint32(fs.Type)) {
		return nil, fmt.Errorf("file system type %#x: %w", uint32(fs.Type), errors.ErrUnsupported)
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	if _, err := unix.InotifyAddWatch(fd, path, mask); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &Inotify{f: os.NewFile(uintptr(fd), "inotify"), ring: share(fd)}, nil
}

// tells reports whether everything that happens in a file system of this type
// happens through this kernel. Network, FUSE and pass-through file systems
// change behind its back.
func tells(fsType uint32) bool {
	switch fsType {
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC, unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC,
		unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC,
		0xca451a4e, // bcachefs
		0x2fc12fc1: // zfs
		return true
	}
	return false
}

// Close ends the watch.
func (n *Inotify) Close() error {
	err := n.f.Close()
	if n.ring >= 0 {
		unix.Close(n.ring)
	}
	return err
}

// Read returns the next events, as struct inotify_event of inotify(7), valid
// until the next call. It waits until there is one or ctx is done.
func (n *Inotify) Read(ctx context.Context) ([]byte, error) {
	if err := n.f.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		n.f.SetReadDeadline(time.Unix(1, 0))
		close(woken)
	})
	size, err := n.f.Read(n.buf[:])
	if !stop() {
		<-woken // or it would cut the next Read short
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, ctx.Err()
	}
	return n.buf[:max(size, 0)], err
}
