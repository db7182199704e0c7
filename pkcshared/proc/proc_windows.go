package proc

import (
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Of describes a process that is open for PROCESS_QUERY_LIMITED_INFORMATION:
// as long as it is, its number is nobody else's. What the system does not tell
// stays empty, a PPID -1.
func Of(h windows.Handle, pid int) Info {
	i := Info{PID: pid, PPID: -1, Start: created(h)}
	var path [windows.MAX_LONG_PATH]uint16
	n := uint32(len(path))
	if windows.QueryFullProcessImageName(h, 0, &path[0], &n) == nil {
		i.Name = filepath.Base(windows.UTF16ToString(path[:n]))
	}
	var basic windows.PROCESS_BASIC_INFORMATION
	err := windows.NtQueryInformationProcess(h, windows.ProcessBasicInformation,
		unsafe.Pointer(&basic), uint32(unsafe.Sizeof(basic)), nil)
	if err == nil {
		i.PPID = parent(uint32(basic.InheritedFromUniqueProcessId), i.Start)
	}
	return i
}

// created is the time at which a process was made, in 100 ns since 1601.
func created(h windows.Handle) uint64 {
	var made, exit, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &made, &exit, &kernel, &user) != nil {
		return 0
	}
	return uint64(made.HighDateTime)<<32 | uint64(made.LowDateTime)
}

// parent judges the number of a process's maker. The system keeps it when the
// maker has ended; whoever has it now and is younger is somebody else.
func parent(pid uint32, start uint64) int {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err == nil {
		defer windows.CloseHandle(h)
		if created(h) > start {
			return -1
		}
	}
	return int(pid)
}
