package runcmd

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// copyProcess is the detached runner, as its launcher sees it.
type copyProcess struct {
	process *os.Process
	ready   *os.File
	exited  chan int // its exit code, or -1
}

// startCopy starts it without a console. It inherits the null device three
// times and its end of the pipe, by a list of handles and so nothing else.
func startCopy(args []string) (*copyProcess, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	h := syscall.Handle(w.Fd())
	if err := syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
		r.Close()
		return nil, os.NewSyscallError("SetHandleInformation", err)
	}
	// Of two the first would count.
	_ = os.Unsetenv(readyEnv)
	p, err := os.StartProcess(exe, args, &os.ProcAttr{
		Env:   append(os.Environ(), readyEnv+"="+strconv.FormatUint(uint64(h), 10)),
		Files: []*os.File{null, null, null},
		Sys: &syscall.SysProcAttr{
			CreationFlags:              windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
			AdditionalInheritedHandles: []syscall.Handle{h},
		},
	})
	if err != nil {
		r.Close()
		return nil, err
	}
	c := &copyProcess{process: p, ready: r, exited: make(chan int, 1)}
	go func() {
		state, err := p.Wait()
		if err != nil {
			c.exited <- -1
			return
		}
		c.exited <- state.ExitCode()
	}()
	return c, nil
}

// stop ends the copy: there is no signal that it could be asked by. Its job
// dies with it, so nothing of the run goes on.
func (c *copyProcess) stop() { c.kill() }

func (c *copyProcess) kill() {
	_ = c.process.Kill()
	<-c.exited
}

// takeReady returns the launcher's pipe, if this process is a copy, and takes
// its name out of the environment.
func takeReady() (ready *os.File, launcher int) {
	v, ok := os.LookupEnv(readyEnv)
	if !ok {
		return nil, 0
	}
	_ = os.Unsetenv(readyEnv)
	n, err := strconv.ParseUint(v, 10, 64)
	h := windows.Handle(n)
	if err != nil || isStandard(h) {
		return nil, 0
	}
	if kind, err := windows.GetFileType(h); err != nil || kind != windows.FILE_TYPE_PIPE {
		return nil, 0
	}
	windows.CloseOnExec(h)
	return os.NewFile(uintptr(h), "launcher"), 0
}

func isStandard(h windows.Handle) bool {
	for _, std := range [...]uint32{windows.STD_INPUT_HANDLE, windows.STD_OUTPUT_HANDLE, windows.STD_ERROR_HANDLE} {
		if have, err := windows.GetStdHandle(std); err == nil && have == h {
			return true
		}
	}
	return false
}
