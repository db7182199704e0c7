package event

import (
	"strconv"

	"processkit-cli/pkcshared/proc"
)

// MembersOf renders processes for the wire; never nil.
func MembersOf(ps []proc.Info) []Member {
	ms := make([]Member, len(ps))
	for i, p := range ps {
		ppid := uint32(p.PPID)
		start := strconv.FormatUint(p.Start, 10)
		ms[i] = Member{PID: uint32(p.PID), PPID: &ppid, Name: &p.Name, StartTime: &start}
	}
	return ms
}
