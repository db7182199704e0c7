package controltest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Endpoints of the right and of a wrong shape; nobody listens there.
const (
	absent    = `\\.\pipe\processkit-cli-0-0-0`
	misshapen = `\\.\pipe\other-0-0-0`
)

// listen handles clients until stop, one blocking instance after the other.
func listen(handle func(io.ReadWriter)) (endpoint string, stop func(), err error) {
	endpoint = fmt.Sprintf(`\\.\pipe\processkit-cli-%d-%x`, os.Getpid(), time.Now().UnixNano())
	name, err := windows.UTF16PtrFromString(endpoint)
	if err != nil {
		return "", nil, err
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return "", nil, err
	}
	sd, err := windows.SecurityDescriptorFromString("O:" + user.User.Sid.String() + "D:P(A;;GA;;;WD)")
	if err != nil {
		return "", nil, err
	}
	access := &windows.SecurityAttributes{SecurityDescriptor: sd}
	access.Length = uint32(unsafe.Sizeof(*access))
	instance := func() (windows.Handle, error) {
		return windows.CreateNamedPipe(name, windows.PIPE_ACCESS_DUPLEX, windows.PIPE_TYPE_BYTE,
			windows.PIPE_UNLIMITED_INSTANCES, 64<<10, 64<<10, 0, access)
	}
	pipe, err := instance()
	if err != nil {
		return "", nil, err
	}
	var stopped atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			err := windows.ConnectNamedPipe(pipe, nil)
			if stopped.Load() || err != nil && !errors.Is(err, windows.ERROR_PIPE_CONNECTED) && !errors.Is(err, windows.ERROR_NO_DATA) {
				_ = windows.CloseHandle(pipe)
				return
			}
			conn := os.NewFile(uintptr(pipe), endpoint)
			pipe, err = instance()
			go func() {
				defer conn.Close()
				handle(conn)
			}()
			if err != nil {
				return
			}
		}
	}()
	return endpoint, func() {
		// The wait is for a client, so one comes.
		stopped.Store(true)
		last, err := os.OpenFile(endpoint, os.O_RDWR, 0)
		if err == nil {
			<-ended
			_ = last.Close()
		}
	}, nil
}
