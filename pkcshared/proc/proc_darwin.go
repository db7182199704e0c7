package proc

import "golang.org/x/sys/unix"

const (
	szomb = 5 // SZOMB, sys/proc.h
	sstop = 4 // SSTOP
)

// All describes every process that this one can see.
func All() ([]Info, error) { return list("kern.proc.all") }

// Group describes the members of a process group, zombies among them.
func Group(pgid int) ([]Info, error) { return list("kern.proc.pgrp", pgid) }

func list(name string, of ...int) ([]Info, error) {
	ks, err := unix.SysctlKinfoProcSlice(name, of...)
	if err == unix.ESRCH {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := make([]Info, 0, len(ks))
	for i := range ks {
		all = append(all, info(&ks[i]))
	}
	return all, nil
}

// Read describes one process.
func Read(pid int) (Info, error) {
	k, err := kinfo(pid)
	if err != nil {
		return Info{}, err
	}
	return info(k), nil
}

// kinfo asks for a slice, because an answer without any process is what tells
// that there is none.
func kinfo(pid int) (*unix.KinfoProc, error) {
	ks, err := unix.SysctlKinfoProcSlice("kern.proc.pid", pid)
	if err == unix.ESRCH || err == nil && len(ks) == 0 {
		return nil, ErrGone
	}
	if err != nil {
		return nil, err
	}
	return &ks[0], nil
}

func info(k *unix.KinfoProc) Info {
	return Info{
		PID:     int(k.Proc.P_pid),
		PPID:    int(k.Eproc.Ppid),
		PGID:    int(k.Eproc.Pgid),
		Name:    unix.ByteSliceToString(k.Proc.P_comm[:]),
		Start:   uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec),
		Dead:    k.Proc.P_stat == szomb,
		Stopped: k.Proc.P_stat == sstop,
	}
}
