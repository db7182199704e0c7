package control

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"

	"processkit-cli/pkcshared/registry"
)

const (
	pipePrefix = `\\.\pipe\processkit-cli-`

	// pipeBuffer is what a pipe takes without a reader: a whole line.
	pipeBuffer = maxLine
)

// A pipe has no queue: each client takes an instance, and while none is free
// the next one is told that the pipe is busy.
type listener struct {
	name   *uint16
	access windows.SecurityAttributes

	closing   sync.Once
	closed    windows.Handle // an event
	connected windows.Handle // an event

	mu      sync.Mutex // held while a client is waited for
	gone    bool
	pipe    windows.Handle // the instance that the next client gets
	request windows.Overlapped
}

func newEndpoint() (string, error) { return pipePrefix + token(), nil }

// wellFormed reports whether endpoint is shaped as newEndpoint does it.
func wellFormed(endpoint string) bool {
	token, ok := strings.CutPrefix(endpoint, pipePrefix)
	return ok && registry.IsToken(token)
}

// listen makes the first instance, open to this user alone. A pipe that exists
// is somebody else's and is never shared.
func listen(endpoint string) (_ *listener, err error) {
	l := &listener{pipe: windows.InvalidHandle}
	defer func() {
		if err != nil {
			_ = l.close()
		}
	}()
	if l.name, err = windows.UTF16PtrFromString(endpoint); err != nil {
		return nil, err
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, fmt.Errorf("current user: %w", err)
	}
	sid := user.User.Sid.String()
	l.access.SecurityDescriptor, err = windows.SecurityDescriptorFromString("O:" + sid + "D:P(A;;GA;;;" + sid + ")")
	if err != nil {
		return nil, fmt.Errorf("owner-only access list: %w", err)
	}
	l.access.Length = uint32(unsafe.Sizeof(l.access))
	for _, event := range []*windows.Handle{&l.closed, &l.connected} {
		if *event, err = windows.CreateEvent(nil, 1, 0, nil); err != nil {
			return nil, os.NewSyscallError("CreateEvent", err)
		}
	}
	l.pipe, err = l.instance(windows.FILE_FLAG_FIRST_PIPE_INSTANCE)
	return l, err
}

func (l *listener) instance(flags uint32) (windows.Handle, error) {
	h, err := windows.CreateNamedPipe(l.name,
		flags|windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED,
		windows.PIPE_TYPE_BYTE|windows.PIPE_READMODE_BYTE|windows.PIPE_WAIT|windows.PIPE_REJECT_REMOTE_CLIENTS,
		windows.PIPE_UNLIMITED_INSTANCES, pipeBuffer, pipeBuffer, 0, &l.access)
	return h, os.NewSyscallError("CreateNamedPipe", err)
}

// accept waits for a client. After close it fails with os.ErrClosed. The next
// instance is there before the client is served: without any, the name would
// be free for others.
func (l *listener) accept() (_ *os.File, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone {
		return nil, os.ErrClosed
	}
	if l.pipe == windows.InvalidHandle {
		if l.pipe, err = l.instance(0); err != nil {
			return nil, err
		}
	}
	if err := l.connect(); err != nil {
		return nil, err
	}
	client := l.pipe
	l.pipe, _ = l.instance(0) // or with the next accept
	return os.NewFile(uintptr(client), "client"), nil
}

func (l *listener) connect() error {
	for {
		l.request = windows.Overlapped{HEvent: l.connected}
		err := windows.ConnectNamedPipe(l.pipe, &l.request)
		if errors.Is(err, windows.ERROR_IO_PENDING) {
			err = l.pending()
		}
		switch {
		case err == nil, errors.Is(err, windows.ERROR_PIPE_CONNECTED):
			return nil
		case !errors.Is(err, windows.ERROR_NO_DATA):
			return err
		}
		// A client came and went.
		if err := windows.DisconnectNamedPipe(l.pipe); err != nil {
			return os.NewSyscallError("DisconnectNamedPipe", err)
		}
	}
}

// pending waits for the answer to request, or for close, which it cancels for.
func (l *listener) pending() error {
	first, waitErr := windows.WaitForMultipleObjects([]windows.Handle{l.closed, l.connected}, false, windows.INFINITE)
	closed := first == windows.WAIT_OBJECT_0
	if closed || waitErr != nil {
		_ = windows.CancelIoEx(l.pipe, &l.request)
	}
	var n uint32
	err := windows.GetOverlappedResult(l.pipe, &l.request, &n, true)
	switch {
	case waitErr != nil:
		return os.NewSyscallError("WaitForMultipleObjects", waitErr)
	case closed:
		return os.ErrClosed
	}
	return err
}

// close ends accept. The pipe vanishes with its last instance.
func (l *listener) close() (err error) {
	l.closing.Do(func() {
		_ = windows.SetEvent(l.closed)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.gone = true
		if l.pipe != windows.InvalidHandle {
			err = os.NewSyscallError("CloseHandle", windows.CloseHandle(l.pipe))
		}
		_ = windows.CloseHandle(l.closed)
		_ = windows.CloseHandle(l.connected)
	})
	return err
}
