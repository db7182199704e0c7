package applet

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// survivor: a write to a broken pipe is an error here, never a signal.
func survivor(f *os.File, _ int) *os.File { return f }

// hungUp waits until nobody can read any more what is written to f; false
// means that the kernel cannot tell. It looks now and then: a pipe's writer is
// not woken when its reader leaves.
func hungUp(f *os.File) bool {
	const pause = 250 * time.Millisecond
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	for ; ; time.Sleep(pause) {
		var state uint32
		var stateErr error
		err := raw.Control(func(h uintptr) { state, stateErr = pipeState(windows.Handle(h)) })
		if err != nil || stateErr != nil {
			return false
		}
		if state != windows.FILE_PIPE_CONNECTED_STATE {
			return true
		}
	}
}

func pipeState(h windows.Handle) (uint32, error) {
	// FILE_PIPE_LOCAL_INFORMATION of ntifs.h; what comes before is of no use here.
	const filePipeLocalInformation = 24
	var info struct {
		_     [8]uint32
		state uint32
		_     uint32
	}
	var status windows.IO_STATUS_BLOCK
	err := windows.NtQueryInformationFile(h, &status, (*byte)(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), filePipeLocalInformation)
	return info.state, err
}
