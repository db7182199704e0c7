package contain

import (
	"errors"
	"fmt"
	"math"

	"golang.org/x/sys/windows"

	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/proc"
)

var errNotKept = errors.New("the system took the cap but does not keep it")

// cpuRate is JOBOBJECT_CPU_RATE_CONTROL_INFORMATION as far as a hard cap
// uses it: the rate is in cycles of 10,000, of all processors together.
type cpuRate struct{ flags, rate uint32 }

const cpuHardCap = 1 | 4 // JOB_OBJECT_CPU_RATE_CONTROL_ENABLE, …_HARD_CAP

// applyLimits sets the caps, and that the tree dies with the handle. What was
// capped is read back: there are systems that take a cap and forget it.
func (g *job) applyLimits() error {
	l := g.limits
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	basic := &info.BasicLimitInformation
	basic.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if l.Memory > 0 {
		basic.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_MEMORY
		info.JobMemoryLimit = uintptr(min(l.Memory, math.MaxUint>>1))
	}
	if l.Processes > 0 {
		basic.LimitFlags |= windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
		basic.ActiveProcessLimit = l.Processes
	}
	err := setJob(g.handle, windows.JobObjectExtendedLimitInformation, &info)
	if err == nil && (l.Memory > 0 || l.Processes > 0) {
		err = g.checkLimits(&info)
	}
	if err != nil && l.Any() {
		return &LimitError{l.first(), err}
	}
	if err != nil || l.CPU == 0 {
		return err
	}
	if err := g.capCPU(); err != nil {
		return &LimitError{event.LimitCPU, err}
	}
	return nil
}

func (g *job) checkLimits(want *windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION) error {
	var have windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if err := queryJob(g.handle, windows.JobObjectExtendedLimitInformation, &have); err != nil {
		return err
	}
	flags := want.BasicLimitInformation.LimitFlags
	if have.BasicLimitInformation.LimitFlags&flags != flags ||
		have.BasicLimitInformation.ActiveProcessLimit != want.BasicLimitInformation.ActiveProcessLimit ||
		have.JobMemoryLimit > want.JobMemoryLimit { // kept in whole pages
		return errNotKept
	}
	return nil
}

func (g *job) capCPU() error {
	rate, err := rateOf(g.limits.CPU, windows.GetActiveProcessorCount(windows.ALL_PROCESSOR_GROUPS))
	if err != nil {
		return err
	}
	want, have := cpuRate{cpuHardCap, rate}, cpuRate{}
	if err := setJob(g.handle, windows.JobObjectCpuRateControlInformation, &want); err != nil {
		return err
	}
	if err := queryJob(g.handle, windows.JobObjectCpuRateControlInformation, &have); err != nil {
		return err
	}
	if have != want {
		return errNotKept
	}
	return nil
}

func rateOf(cores float64, processors uint32) (uint32, error) {
	const whole = 10_000
	if processors == 0 {
		return 0, errors.New("the system does not tell how many processors it has")
	}
	rate := math.Round(cores / float64(processors) * whole)
	if rate < 1 {
		return 0, fmt.Errorf("the least is %v cores", float64(processors)/whole)
	}
	return uint32(min(rate, whole)), nil
}

// Evidence: a job keeps no count of what its caps refused.
func (g *job) Evidence() Evidence {
	verdict := func(capped bool) string {
		if capped {
			return event.VerdictUnknown
		}
		return event.NotTripped
	}
	return Evidence{verdict(g.limits.Memory > 0), verdict(g.limits.Processes > 0), verdict(g.limits.CPU > 0)}
}

// Usage is the job's own accounting, over all that ever were its members.
func (g *job) Usage([]proc.Info) Usage {
	var u Usage
	var sum struct {
		basicAccounting
		io windows.IO_COUNTERS
	}
	if queryJob(g.handle, windows.JobObjectBasicAndIoAccountingInformation, &sum) == nil {
		ms := uint64(sum.userTime+sum.kernelTime) / 10_000
		u.CPUMillis, u.IORead, u.IOWrite = &ms, &sum.io.ReadTransferCount, &sum.io.WriteTransferCount
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	err := queryJob(g.handle, windows.JobObjectExtendedLimitInformation, &limits)
	// No process does without memory: zero is not a measurement.
	if peak := uint64(limits.PeakJobMemoryUsed); err == nil && peak > 0 {
		u.PeakMemory = &peak
	}
	return u
}
