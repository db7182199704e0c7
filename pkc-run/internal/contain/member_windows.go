package contain

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/windows"

	"processkit-cli/pkcshared/proc"
)

// pids lists the members, those of nested jobs too.
func (g *job) pids() ([]uint32, error) {
	// JOBOBJECT_BASIC_PROCESS_ID_LIST: two counts of 32 bits, then the ids.
	const header = 8
	const tries = 16 // against a job that grows faster than the list
	room := 16
	for range tries {
		list := make([]uintptr, header/unsafe.Sizeof(uintptr(0))+uintptr(room))
		base := unsafe.Pointer(&list[0])
		var p runtime.Pinner
		p.Pin(base)
		err := windows.QueryInformationJobObject(g.handle, windows.JobObjectBasicProcessIdList,
			uintptr(base), uint32(uintptr(len(list))*unsafe.Sizeof(list[0])), nil)
		p.Unpin()
		counts := (*[2]uint32)(base)
		if errors.Is(err, windows.ERROR_MORE_DATA) {
			room = max(2*room, int(counts[0])+room)
			continue
		}
		if err != nil {
			return nil, os.NewSyscallError("QueryInformationJobObject", err)
		}
		pids := make([]uint32, counts[1])
		for i := range pids {
			pids[i] = uint32(list[header/unsafe.Sizeof(uintptr(0))+uintptr(i)])
		}
		slices.Sort(pids)
		return pids, nil
	}
	return nil, errors.New("the list of the job's processes does not hold still")
}

// Members lists the job twice. Between the lists every process is opened:
// an open handle keeps its number from being given out again, so what the
// second list names is what the handle is for.
func (g *job) Members() ([]proc.Info, error) {
	before, err := g.pids()
	if err != nil || len(before) == 0 {
		return nil, err
	}
	seen := make([]proc.Info, 0, len(before))
	for _, pid := range before {
		h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
		if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
			continue // it has ended
		}
		m := proc.Info{PID: int(pid), PPID: -1}
		if err == nil { // else not ours to ask, and a member all the same
			defer windows.CloseHandle(h)
			m = proc.Of(h, m.PID)
		}
		seen = append(seen, m)
	}
	after, err := g.pids()
	return slices.DeleteFunc(seen, func(m proc.Info) bool {
		_, still := slices.BinarySearch(after, uint32(m.PID))
		return !still
	}), err
}
