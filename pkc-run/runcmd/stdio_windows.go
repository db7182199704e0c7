package runcmd

import (
	"crypto/rand"
	"os"

	"golang.org/x/sys/windows"
)

// pipe makes a named pipe of one instance. Its read end, ours, is overlapped,
// so that looking how much waits in it does not wait for a read that is under
// way; an anonymous pipe cannot be that. The child's end is an ordinary one.
func pipe() (r, w *os.File, err error) {
	name := `\\.\pipe\pkc-run-output-` + rand.Text()
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, nil, err
	}
	const (
		open = windows.PIPE_ACCESS_INBOUND | windows.FILE_FLAG_OVERLAPPED | windows.FILE_FLAG_FIRST_PIPE_INSTANCE
		mode = windows.PIPE_TYPE_BYTE | windows.PIPE_READMODE_BYTE | windows.PIPE_WAIT | windows.PIPE_REJECT_REMOTE_CLIENTS
		size = 64 << 10
	)
	read, err := windows.CreateNamedPipe(path, open, mode, 1, 0, size, 0, nil)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateNamedPipe", err)
	}
	// With this the pipe is connected: its only instance is taken, by us.
	write, err := windows.CreateFile(path, windows.GENERIC_WRITE|windows.FILE_READ_ATTRIBUTES, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		_ = windows.CloseHandle(read)
		return nil, nil, os.NewSyscallError("CreateFile", err)
	}
	return os.NewFile(uintptr(read), "|0"), os.NewFile(uintptr(write), "|1"), nil
}

func openNull() (*os.File, error) { return os.Open(os.DevNull) }

// blocking: what is opened here is not overlapped.
func blocking(*os.File) error { return nil }

// lend is the handle of f for a child, or none where there is no f. Fd takes f
// off our completion port: a duplicate shares its file object, and what the
// child does overlapped would be completed to us.
func lend(f *os.File) (uintptr, error) { return f.Fd(), nil }
