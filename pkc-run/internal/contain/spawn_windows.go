package contain

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// start creates the root child as a member of the job.
func (g *job) start(c Command) (p windows.ProcessInformation, err error) {
	stdio, err := inheritable(c.Stdio)
	defer func() {
		for _, h := range stdio {
			_ = windows.CloseHandle(h)
		}
	}()
	if err != nil {
		return p, err
	}
	flags := uint32(0)
	if c.NoWindow {
		flags |= windows.CREATE_NO_WINDOW
	}
	if c.CtrlBreak {
		flags |= windows.CREATE_NEW_PROCESS_GROUP
	}
	// Born inside: there is no moment at which we could die and leave it behind.
	p, err = createProcess(c, stdio, flags, g.handle)
	if !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_NOT_SUPPORTED) {
		return p, err
	}
	return g.startThenJoin(c, stdio, flags)
}

// startThenJoin takes two steps, which tell whether it is the program or the
// job that the system refuses. The child does nothing before it is inside.
func (g *job) startThenJoin(c Command, stdio [3]windows.Handle, flags uint32) (windows.ProcessInformation, error) {
	p, err := createProcess(c, stdio, flags|windows.CREATE_SUSPENDED, 0)
	if err != nil {
		return p, err
	}
	err = windows.AssignProcessToJobObject(g.handle, p.Process)
	if err == nil {
		_, err = windows.ResumeThread(p.Thread)
	}
	if err != nil {
		_ = windows.TerminateProcess(p.Process, killedCode)
		_ = windows.CloseHandle(p.Thread)
		_ = windows.CloseHandle(p.Process)
		err = fmt.Errorf("%w: %w", ErrAttach, err)
	}
	return p, err
}

// inheritable duplicates the child's standard handles so that it can have
// them. Where the runner itself has none, neither has the child.
func inheritable(stdio [3]uintptr) (dup [3]windows.Handle, err error) {
	self := windows.CurrentProcess()
	for i, h := range stdio {
		if h == 0 || windows.Handle(h) == windows.InvalidHandle {
			continue
		}
		err := windows.DuplicateHandle(self, windows.Handle(h), self, &dup[i], 0, true, windows.DUPLICATE_SAME_ACCESS)
		if err != nil {
			return dup, fmt.Errorf("standard handle %d: %w", i, err)
		}
	}
	return dup, nil
}

// createProcess starts c in job, if that is not 0. It inherits stdio and
// nothing else.
func createProcess(c Command, stdio [3]windows.Handle, flags uint32, job windows.Handle) (p windows.ProcessInformation, err error) {
	path, err := windows.UTF16PtrFromString(c.Path)
	if err != nil {
		return p, err
	}
	line, err := windows.UTF16PtrFromString(commandLine(c.Argv))
	if err != nil {
		return p, err
	}
	var dir *uint16 // the runner's own
	if c.Dir != "" {
		full, err := windows.FullPath(c.Dir)
		if err != nil {
			return p, err
		}
		if dir, err = windows.UTF16PtrFromString(full); err != nil {
			return p, err
		}
	}
	env, err := envBlock(c.Env)
	if err != nil {
		return p, err
	}
	attrs, err := windows.NewProcThreadAttributeList(2)
	if err != nil {
		return p, err
	}
	defer attrs.Delete()
	var inherit []windows.Handle
	for _, h := range stdio {
		if h != 0 {
			inherit = append(inherit, h)
		}
	}
	if len(inherit) > 0 {
		size := uintptr(len(inherit)) * unsafe.Sizeof(inherit[0])
		if err := attrs.Update(windows.PROC_THREAD_ATTRIBUTE_HANDLE_LIST, unsafe.Pointer(&inherit[0]), size); err != nil {
			return p, err
		}
	}
	if job != 0 {
		const jobList = 0x0002000D // PROC_THREAD_ATTRIBUTE_JOB_LIST, since Windows 10
		if err := attrs.Update(jobList, unsafe.Pointer(&job), unsafe.Sizeof(job)); err != nil {
			return p, err
		}
	}
	si := windows.StartupInfoEx{ProcThreadAttributeList: attrs.List()}
	si.Cb = uint32(unsafe.Sizeof(si))
	si.Flags = windows.STARTF_USESTDHANDLES
	si.StdInput, si.StdOutput, si.StdErr = stdio[0], stdio[1], stdio[2]
	flags |= windows.CREATE_UNICODE_ENVIRONMENT | windows.EXTENDED_STARTUPINFO_PRESENT
	err = windows.CreateProcess(path, line, nil, nil, len(inherit) > 0, flags, &env[0], dir, &si.StartupInfo, &p)
	return p, err
}
