package notify

import (
	"context"
	"errors"
	"math"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"processkit-cli/pkcshared/file"
)

// Port is a completion port at which the kernel reports what happens in one
// directory, and which locks came free.
type Port struct {
	port    windows.Handle
	dir     windows.Handle
	filter  uint32
	changes windows.Overlapped
	buf     [4096]uint32 // FILE_NOTIFY_INFORMATION wants this alignment

	locks []*lock
	asked int // requests that the kernel has not answered
}

// lock is a lock that was asked for.
type lock struct {
	request windows.Overlapped
	h       windows.Handle
	asked   bool // and not answered
}

// Keys of what is reported; any other is the index of a lock.
const (
	ofDir = math.MaxUint32 - iota
	ofContext
)

// News is what a Port has to tell. It is empty when a wait ends without any.
type News struct {
	Names []string // of entries of the directory that changed
	Many  bool     // more than the kernel had room to name
	Free  bool     // a lock that was asked for is free
}

// Watch subscribes to the changes of filter, FILE_NOTIFY_CHANGE_FILE_NAME and
// the like, in a directory. From now on none is missed.
func Watch(dir string, filter uint32) (_ *Port, err error) {
	h, err := file.Handle(dir, windows.FILE_LIST_DIRECTORY, windows.OPEN_EXISTING,
		windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OVERLAPPED)
	if err != nil {
		return nil, err
	}
	p := &Port{dir: h, filter: filter}
	if p.port, err = windows.CreateIoCompletionPort(h, 0, ofDir, 1); err == nil {
		err = p.ask()
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// ask has the kernel report the next changes, and those since the last time.
func (p *Port) ask() error {
	size := uint32(unsafe.Sizeof(p.buf))
	err := windows.ReadDirectoryChanges(p.dir, (*byte)(unsafe.Pointer(&p.buf)), size, false, p.filter, nil, &p.changes, 0)
	if err == nil {
		p.asked++
	}
	return err
}

// AwaitLock asks for a shared lock on the whole of a file that was opened with
// FILE_FLAG_OVERLAPPED. Once there is news that it is free, it has been let go
// of again. There need not be any if it is free already, so look after asking.
// The handle is now the port's to close.
func (p *Port) AwaitLock(h windows.Handle) error {
	l := &lock{h: h}
	p.locks = append(p.locks, l)
	if _, err := windows.CreateIoCompletionPort(h, p.port, uintptr(len(p.locks)-1), 0); err != nil {
		return err
	}
	err := windows.LockFileEx(h, 0, 0, math.MaxUint32, math.MaxUint32, &l.request)
	if errors.Is(err, windows.ERROR_IO_PENDING) {
		l.asked = true
		p.asked++
		return nil
	}
	p.drop(l)
	return err
}

// Wait returns the next news, none once limit has passed or ctx is done. A
// limit of zero is none.
func (p *Port) Wait(ctx context.Context, limit time.Duration) (News, error) {
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = windows.PostQueuedCompletionStatus(p.port, 0, ofContext, nil)
		close(woken)
	})
	defer func() {
		if !stop() {
			<-woken // or it would post to a closed port
		}
	}()
	millis := uint32(windows.INFINITE)
	if limit > 0 {
		millis = uint32((limit + time.Millisecond - 1) / time.Millisecond)
	}
	key, size, err := p.next(millis)
	switch {
	case errors.Is(err, windows.WAIT_TIMEOUT):
		return News{}, nil
	case err != nil:
		return News{}, err
	case key == ofContext:
		return News{}, nil
	case key == ofDir:
		n := News{Names: p.names(size), Many: size == 0}
		return n, p.ask()
	}
	p.drop(p.locks[key])
	return News{Free: true}, nil
}

// next takes one report.
func (p *Port) next(millis uint32) (key uintptr, size uint32, err error) {
	var of *windows.Overlapped
	err = windows.GetQueuedCompletionStatus(p.port, &size, &key, &of, millis)
	switch {
	case of == nil: // the time is up, or a context
	case of == &p.changes:
		p.asked--
	case p.locks[key].asked:
		p.locks[key].asked = false
		p.asked--
	}
	return key, size, err
}

// names reads a list of FILE_NOTIFY_INFORMATION.
func (p *Port) names(size uint32) []string {
	const header = 12 // next, action, length of the name, all of 32 bits
	var names []string
	for at := uint32(0); at+header <= size; {
		entry := unsafe.Add(unsafe.Pointer(&p.buf), at)
		next, length := *(*uint32)(entry), *(*uint32)(unsafe.Add(entry, 8))
		names = append(names, windows.UTF16ToString(unsafe.Slice((*uint16)(unsafe.Add(entry, header)), length/2)))
		if next == 0 {
			break
		}
		at += next
	}
	return names
}

func (p *Port) drop(l *lock) {
	if l.h != windows.InvalidHandle {
		_ = windows.CloseHandle(l.h)
		l.h = windows.InvalidHandle
	}
}

// Close ends all subscriptions. The kernel writes into p until it has answered
// every request, so p is kept for as long.
func (p *Port) Close() {
	_ = windows.CancelIoEx(p.dir, nil)
	_ = windows.CloseHandle(p.dir)
	for _, l := range p.locks {
		_ = windows.CancelIoEx(l.h, nil)
		p.drop(l)
	}
	go func() {
		for p.asked > 0 {
			_, _, _ = p.next(windows.INFINITE)
		}
		_ = windows.CloseHandle(p.port)
	}()
}
