package proc

import "golang.org/x/sys/unix"

const (
	szomb = 5 // SZOMB, sys/proc.h
	sstop = 4 // SSTOP
)

// All describes every process that this one can see.
func All() ([]Info, error) {
	ks, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	all := make([]Info, 0, len(ks))
	for i := range ks {
		k := &ks[i]
		all = append(all, Info{
			PID:     int(k.Proc.P_pid),
			PPID:    int(k.Eproc.Ppid),
			PGID:    int(k.Eproc.Pgid),
			Name:    unix.ByteSliceToString(k.Proc.P_comm[:]),
			Start:   uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec),
			Dead:    k.Proc.P_stat == szomb,
			Stopped: k.Proc.P_stat == sstop,
		})
	}
	return all, nil
}
