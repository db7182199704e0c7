package contain

import (
	"fmt"
	"os"
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
	attr.Sys.Foreground, attr.Sys.Ctty = true, c.Terminal
	// Stops of children from before an exec of ours are not the one to wait for.
	for stoppedChild() != 0 {
	}
	forked := make(chan struct{})
	given := make(chan error, 1)
	go func() { given <- handOver(c.Terminal, forked) }()
	pid, err := forkExec(c, attr)
	close(forked)
	if gerr := <-given; gerr != nil && err == nil {
		err = fmt.Errorf("%w: %w", ErrForeground, gerr)
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

// handOver gives the terminal to the child that is being forked.
//
// Before it executes, the child asks for the terminal. Coming from a
// background group, that request stops it with SIGTTOU (tty_ioctl(4)) unless
// that signal is ignored or blocked, which the program would then inherit.
// So the child is left to stop: we, in the foreground, give its group the
// terminal and continue it, and its request then succeeds.
//
// A child that cannot be given the terminal is killed there and then.
func handOver(terminal int, forked <-chan struct{}) error {
	for {
		pid := stoppedChild()
		if pgid, err := unix.Getpgid(pid); pid != 0 && err == nil && pgid == pid {
			if err := unix.IoctlSetPointerInt(terminal, unix.TIOCSPGRP, pid); err != nil {
				_ = unix.Kill(pid, unix.SIGKILL)
				return os.NewSyscallError("ioctl TIOCSPGRP", err)
			}
			return os.NewSyscallError("kill", unix.Kill(pid, unix.SIGCONT))
		}
		select {
		case <-forked:
			return nil
		case <-time.After(100 * time.Microsecond):
		}
	}
}

// stoppedChild takes the news of one child that was stopped for wanting the
// terminal; 0 if there is none.
func stoppedChild() int {
	si, _, err := waitid(unix.P_ALL, 0, unix.WSTOPPED|unix.WNOHANG)
	if err != nil || unix.Signal(si.status) != unix.SIGTTOU {
		return 0
	}
	return int(si.pid)
}
