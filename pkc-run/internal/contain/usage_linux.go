package contain

import (
	"os"
	"strconv"
	"strings"

	"processkit-cli/pkcshared/proc"
)

// Usage prefers the counters of the leaf, which saw everything; what no
// controller counts here is filled from what was reaped and what still lives.
func (g *cgroup) Usage(living []proc.Info) Usage {
	u := g.reaper.measured(living)
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

// measured is what can be known without counters of a cgroup: what the kernel
// charged to everything we reaped, and /proc of the members that still live.
func (r *reaper) measured(living []proc.Info) Usage {
	r.mu.Lock()
	u := r.usage
	r.mu.Unlock()
	var rss uint64
	for _, m := range living {
		rss += statusBytes(m.PID, "VmHWM:")
		u.cpuMicros += m.CPUTicks * (1e6 / proc.TicksPerSecond)
		in, out := ioBytes(m.PID)
		u.inBytes += in
		u.outBytes += out
	}
	cpu := u.cpuMicros / 1000
	used := Usage{CPUMillis: &cpu, IORead: &u.inBytes, IOWrite: &u.outBytes}
	// What ended between the listing and the reading has no memory any more.
	if peak := max(u.maxRSS, rss); peak > 0 {
		used.PeakMemory = &peak
	}
	return used
}

// statusBytes reads one "Name: N kB" line of /proc/PID/status; 0 if there is none.
func statusBytes(pid int, name string) uint64 {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	return lineValue(string(b), name) * 1024
}

func ioBytes(pid int) (in, out uint64) {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/io")
	return lineValue(string(b), "read_bytes:"), lineValue(string(b), "write_bytes:")
}

// lineValue finds the number that follows key on a line of its own.
func lineValue(text, key string) uint64 {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) >= 2 && f[0] == key {
			n, _ := strconv.ParseUint(f[1], 10, 64)
			return n
		}
	}
	return 0
}
