package contain

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/event"
)

// axes maps the capped axes to the controllers that enforce them, in
// the order in which a missing one is reported.
func (l Limits) axes() []axis {
	var as []axis
	if l.Memory > 0 {
		as = append(as, axis{event.LimitMemory, "memory"})
	}
	if l.Processes > 0 {
		as = append(as, axis{event.LimitProcesses, "pids"})
	}
	if l.CPU > 0 {
		as = append(as, axis{event.LimitCPU, "cpu"})
	}
	return as
}

type axis struct{ limit, controller string }

// maxPIDs is the kernel's own ceiling, PID_MAX_LIMIT; pids.max takes no more.
const maxPIDs = 4 << 20

// applyLimits writes the caps to the leaf, before anything runs in it.
func (g *cgroup) applyLimits() error {
	l := g.limits
	if l.Memory > 0 {
		if err := g.write("memory.max", strconv.FormatUint(l.Memory, 10)); err != nil {
			return &LimitError{event.LimitMemory, err}
		}
		// Without this the excess would go to swap and the cap cap nothing.
		if err := g.write("memory.swap.max", "0"); err != nil && !errors.Is(err, unix.ENOENT) {
			return &LimitError{event.LimitMemory, err}
		}
	}
	if l.Processes > 0 {
		if err := g.write("pids.max", strconv.FormatUint(min(uint64(l.Processes), maxPIDs), 10)); err != nil {
			return &LimitError{event.LimitProcesses, err}
		}
	}
	if l.CPU > 0 {
		v, err := cpuMax(l.CPU)
		if err == nil {
			err = g.write("cpu.max", v)
		}
		if err != nil {
			return &LimitError{event.LimitCPU, err}
		}
	}
	return nil
}

// cpuMax renders cores as "QUOTA PERIOD" in microseconds. The kernel wants at
// least 1 ms of quota and at most 1 s of period (sched/core.c).
func cpuMax(cores float64) (string, error) {
	const minQuota, period, longPeriod = 1000, 100_000, 1_000_000
	p := float64(period)
	if cores*p < minQuota {
		p = longPeriod
	}
	quota := math.Round(cores * p)
	if quota < minQuota {
		return "", fmt.Errorf("the least is %v cores", float64(minQuota)/longPeriod)
	}
	if quota > math.MaxUint32*float64(period) {
		return "", errors.New("more cores than the kernel can count")
	}
	return fmt.Sprintf("%d %d", uint64(quota), uint64(p)), nil
}

// Evidence reads the leaf's own counters, which only this run can have moved.
func (g *cgroup) Evidence() Evidence {
	return Evidence{
		Memory:    g.verdict(g.limits.Memory > 0, "memory.events", "oom"),
		Processes: g.verdict(g.limits.Processes > 0, "pids.events", "max"),
		CPU:       g.verdict(g.limits.CPU > 0, "cpu.stat", "nr_throttled"),
	}
}

func (g *cgroup) verdict(capped bool, file, key string) string {
	if !capped {
		return event.NotTripped
	}
	s, err := g.read(file)
	switch {
	case err != nil:
		return event.VerdictUnknown
	case lineValue(s, key) > 0:
		return event.Tripped
	}
	return event.NotTripped
}
