package contain

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// spawn forks and executes c in a process group of its own, born inside the
// cgroup behind leaf unless that is negative.
func spawn(c Command, leaf int) (int, error) {
	attr := &syscall.ProcAttr{
		Dir:   c.Dir,
		Env:   c.Env,
		Files: c.Stdio[:],
		Sys: &syscall.SysProcAttr{
			Setpgid:     true,
			Pdeathsig:   syscall.SIGKILL,
			UseCgroupFD: leaf >= 0,
			CgroupFD:    leaf,
		},
	}
	if c.Terminal < 0 {
		return forkExec(c, attr)
	}
	// It takes the terminal itself before it executes, with all signals blocked
	// until then, or SIGTTOU would stop it.
	attr.Sys.Foreground, attr.Sys.Ctty = true, c.Terminal
	pid, err := forkExec(c, attr)
	if err != nil {
		if _, gone := unix.IoctlGetInt(c.Terminal, unix.TIOCGPGRP); gone != nil {
			err = fmt.Errorf("%w: %w", ErrForeground, err)
		}
	}
	return pid, err
}

// forkExec retries while the program is still open for writing somewhere:
// a compiler or installer that just wrote it often closes it a moment later.
func forkExec(c Command, attr *syscall.ProcAttr) (int, error) {
	for wait := time.Millisecond; ; wait *= 2 {
		pid, err := syscall.ForkExec(c.Path, c.Argv, attr)
		if err != syscall.ETXTBSY || wait > 200*time.Millisecond {
			return pid, err
		}
		time.Sleep(wait)
	}
}
