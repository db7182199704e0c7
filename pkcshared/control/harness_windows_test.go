package control

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"processkit-cli/pkcshared/file"
)

// Endpoints of the right and of a wrong shape; nobody listens there.
const (
	nowhere   = `\\.\pipe\processkit-cli-0-0-0`
	misshapen = `\\.\pipe\x`
)

func meet(t *testing.T, endpoint string) peer {
	t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(time.Millisecond) {
		f, err := os.OpenFile(endpoint, os.O_RDWR|windows.O_FILE_FLAG_OVERLAPPED, 0)
		if err == nil {
			return f
		}
		if !errors.Is(err, windows.ERROR_PIPE_BUSY) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func locked(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := file.Create(path, windows.GENERIC_READ|windows.GENERIC_WRITE, windows.CREATE_NEW, windows.FILE_ATTRIBUTE_NORMAL)
	if err != nil {
		t.Fatal(err)
	}
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	if err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, ^uint32(0), ^uint32(0), new(windows.Overlapped)); err != nil {
		t.Fatal(err)
	}
	return f
}

// shorten: there is no queue.
func shorten(*testing.T, *listener) {}
