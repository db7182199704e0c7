package event

import (
	"strconv"

	"processkit-cli/pkcshared/proc"
)

// MembersOf renders processes for the wire; never nil. A negative PPID, no
// name and start time 0 are what could not be read.
func MembersOf(ps []proc.Info) []Member {
	ms := make([]Member, len(ps))
	for i, p := range ps {
		ms[i].PID = uint32(p.PID)
		if p.PPID >= 0 {
			ppid := uint32(p.PPID)
			ms[i].PPID = &ppid
		}
		if p.Name != "" {
			ms[i].Name = &p.Name
		}
		if p.Start != 0 {
			start := strconv.FormatUint(p.Start, 10)
			ms[i].StartTime = &start
		}
	}
	return ms
}
