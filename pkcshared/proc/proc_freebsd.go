package proc

import (
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// Offsets in struct kinfo_proc (sys/user.h), the same on every 64-bit
// FreeBSD since 12; ki_structsize guards against a layout we do not know.
const (
	kiStructSize = 0
	kiPID        = 72
	kiPPID       = 76
	kiPGID       = 80
	kiSession    = 88
	kiStart      = 336
	kiStat       = 388
	kiComm       = 447
	kiCommLen    = 20
	kiSize       = 1088

	sstop = 4 // SSTOP, sys/proc.h
	szomb = 5 // SZOMB
)

var errLayout = errors.New("unknown layout of struct kinfo_proc")

// All describes every process that this one can see.
func All() ([]Info, error) { return list("kern.proc.proc") }

// Group describes the members of a process group, zombies among them.
func Group(pgid int) ([]Info, error) { return list("kern.proc.pgrp", pgid) }

func list(name string, of ...int) ([]Info, error) {
	b, err := unix.SysctlRaw(name, of...)
	if err == unix.ESRCH {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	var all []Info
	for len(b) > 0 {
		if len(b) < kiSize || le.Uint32(b[kiStructSize:]) != kiSize {
			return nil, errLayout
		}
		all = append(all, Info{
			PID:     int(le.Uint32(b[kiPID:])),
			PPID:    int(le.Uint32(b[kiPPID:])),
			PGID:    int(le.Uint32(b[kiPGID:])),
			Session: int(le.Uint32(b[kiSession:])),
			Name:    unix.ByteSliceToString(b[kiComm : kiComm+kiCommLen]),
			Start:   le.Uint64(b[kiStart:])*1e6 + le.Uint64(b[kiStart+8:]),
			Dead:    b[kiStat] == szomb,
			Stopped: b[kiStat] == sstop,
		})
		b = b[kiSize:]
	}
	return all, nil
}
