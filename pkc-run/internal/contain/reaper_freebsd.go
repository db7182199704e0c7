package contain

import (
	"os"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/proc"
)

// strongest makes the runner the reaper of all that descends from it from now
// on, procctl(2): orphans come to it, whatever group or session they are in,
// and one call signals them all. Without that a process group has to do.
func strongest() Group {
	g := newProcessGroup()
	if os.Getenv(EnvMechanism) == ProcessGroup || procctl(reapAcquire, nil) != nil {
		return g
	}
	g.mechanism = ProcessReaper
	g.look = g.descendants
	g.send = func(sig unix.Signal) error { return procctl(reapKill, unsafe.Pointer(&reaperKill{sig: int32(sig)})) }
	return g
}

// Commands and structures of sys/procctl.h.
const (
	reapAcquire = 2 // PROC_REAP_ACQUIRE
	reapStatus  = 4 // PROC_REAP_STATUS
	reapGetPIDs = 5 // PROC_REAP_GETPIDS
	reapKill    = 6 // PROC_REAP_KILL

	pidInfoValid = 1 // REAPER_PIDINFO_VALID
)

type reaperStatus struct {
	flags, children, descendants uint32
	reaper, pid                  int32
	_                            [15]uint32
}

type reaperPIDInfo struct {
	pid   int32
	_     int32 // of the child whose descendant it is
	flags uint32
	_     [15]uint32
}

type reaperPIDs struct {
	count uint32
	_     [15]uint32
	pids  *reaperPIDInfo
}

type reaperKill struct {
	sig     int32
	flags   uint32
	subtree int32
	killed  uint32
	failed  int32
	_       [15]uint32
}

// procctl speaks of this process.
func procctl(command int, data unsafe.Pointer) error {
	_, _, e := unix.Syscall6(unix.SYS_PROCCTL, 0 /* P_PID */, uintptr(os.Getpid()), uintptr(command), uintptr(data), 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// descendants lists what the reaper holds. Zombies that have come to us are
// reaped on the way, but for the root child, which release is for.
func (g *processGroup) descendants() ([]proc.Info, error) {
	pids, err := reaped()
	if err != nil || len(pids) == 0 {
		return nil, err
	}
	all, err := proc.All()
	if err != nil {
		return nil, err
	}
	self := os.Getpid()
	var members []proc.Info
	for _, p := range all {
		if !slices.Contains(pids, int32(p.PID)) {
			continue
		}
		if p.Dead && p.PPID == self && p.PID != g.child.PID {
			_, _ = syscall.Wait4(p.PID, nil, syscall.WNOHANG, nil)
			continue
		}
		members = append(members, p)
	}
	return members, nil
}

// reaped are the pids that have this process for their reaper.
func reaped() ([]int32, error) {
	var status reaperStatus
	if err := procctl(reapStatus, unsafe.Pointer(&status)); err != nil || status.descendants == 0 {
		return nil, err
	}
	// Some more for what is being made meanwhile.
	const more = 64
	infos := make([]reaperPIDInfo, status.descendants+more)
	list := reaperPIDs{count: uint32(len(infos)), pids: &infos[0]}
	if err := procctl(reapGetPIDs, unsafe.Pointer(&list)); err != nil {
		return nil, err
	}
	var pids []int32
	for _, i := range infos {
		if i.flags&pidInfoValid != 0 {
			pids = append(pids, i.pid)
		}
	}
	return pids, nil
}
