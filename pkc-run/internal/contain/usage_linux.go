package contain

import (
	"strconv"
	"strings"

	"processkit-cli/pkcshared/proc"
)

// Usage prefers the counters of the leaf, which saw everything; what no
// controller counts here is filled from what was reaped and what still lives.
func (g *cgroup) Usage(living []proc.Info) Usage {
	var u Usage
	if n, ok := g.number("memory.peak"); ok { // Linux 5.19
		u.PeakMemory = &n
	}
	if n, ok := g.number("pids.peak"); ok { // Linux 6.1
		u.PeakProcesses = &n
	}
	if s, err := g.read("cpu.stat"); err == nil {
		ms := lineValue(s, "usage_usec") / 1000
		u.CPUMillis = &ms
	}
	if s, err := g.read("io.stat"); err == nil {
		in, out := ioStat(s)
		u.IORead, u.IOWrite = &in, &out
	}
	g.reaper.fill(&u, living)
	return u
}

func (g *cgroup) number(file string) (uint64, bool) {
	s, err := g.read(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 64)
	return n, err == nil
}

// ioStat sums rbytes and wbytes over all devices.
func ioStat(s string) (in, out uint64) {
	for _, f := range strings.Fields(s) {
		if v, ok := strings.CutPrefix(f, "rbytes="); ok {
			n, _ := strconv.ParseUint(v, 10, 64)
			in += n
		}
		if v, ok := strings.CutPrefix(f, "wbytes="); ok {
			n, _ := strconv.ParseUint(v, 10, 64)
			out += n
		}
	}
	return in, out
}

// fill adds what can be known without counters of a cgroup: what the kernel
// charged to everything we reaped, and /proc of the members that still live.
func (r *reaper) fill(u *Usage, living []proc.Info) {
	r.mu.Lock()
	had := r.usage
	r.mu.Unlock()
	var rss uint64
	buf := make([]byte, 4096)
	for _, m := range living {
		had.cpuMicros += m.CPUTicks * (1e6 / proc.TicksPerSecond)
		if u.PeakMemory == nil {
			b, _ := proc.File(m.PID, "status", buf)
			rss += lineValue(string(b), "VmHWM:") * 1024
		}
		if u.IORead == nil {
			b, _ := proc.File(m.PID, "io", buf)
			had.inBytes += lineValue(string(b), "read_bytes:")
			had.outBytes += lineValue(string(b), "write_bytes:")
		}
	}
	if u.CPUMillis == nil {
		ms := had.cpuMicros / 1000
		u.CPUMillis = &ms
	}
	if u.IORead == nil {
		u.IORead, u.IOWrite = &had.inBytes, &had.outBytes
	}
	// What ended between the listing and the reading has no memory any more.
	if peak := max(had.maxRSS, rss); u.PeakMemory == nil && peak > 0 {
		u.PeakMemory = &peak
	}
}

// lineValue finds the number that follows key on a line of its own.
func lineValue(text, key string) uint64 {
	for line := range strings.Lines(text) {
		after, ok := strings.CutPrefix(line, key)
		if ok && after != "" && (after[0] == ' ' || after[0] == '\t') {
			value, _, _ := strings.Cut(strings.TrimSpace(after), " ")
			n, _ := strconv.ParseUint(value, 10, 64)
			return n
		}
	}
	return 0
}
