//go:build unix

package runcmd

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// copyProcess is the detached runner, as its launcher sees it.
type copyProcess struct {
	pid    int
	ready  *os.File
	exited chan int // its exit code, or -1
}

func startCopy(args []string) (*copyProcess, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	r, w, err := pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	// Of two the first would count.
	_ = os.Unsetenv(readyEnv)
	// What our caller left open would keep its pipes open as long as the run.
	closeOnExec(3)
	const readyFD = 3
	pid, err := syscall.ForkExec(exe, args, &syscall.ProcAttr{
		Env:   append(os.Environ(), fmt.Sprintf("%s=%d,%d", readyEnv, readyFD, os.Getpid())),
		Files: []uintptr{null.Fd(), null.Fd(), null.Fd(), w.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		r.Close()
		return nil, &os.PathError{Op: "fork/exec", Path: exe, Err: err}
	}
	c := &copyProcess{pid: pid, ready: r, exited: make(chan int, 1)}
	go c.wait()
	return c, nil
}

func (c *copyProcess) wait() {
	var ws syscall.WaitStatus
	for {
		_, err := syscall.Wait4(c.pid, &ws, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || !ws.Exited() {
			c.exited <- -1
			return
		}
		c.exited <- ws.ExitStatus()
		return
	}
}

// stop lets the copy end what it has begun, as a stop signal would.
func (c *copyProcess) stop() {
	_ = unix.Kill(c.pid, unix.SIGTERM)
	const patience = 5 * time.Second
	select {
	case <-c.exited:
	case <-time.After(patience):
		c.kill()
	}
}

// kill ends the copy. It is our child and not waited for yet, so the number
// is still its own.
func (c *copyProcess) kill() {
	_ = unix.Kill(c.pid, unix.SIGKILL)
	<-c.exited
}

// takeReady returns the launcher's pipe and its pid, if this process is a copy,
// and takes their names out of the environment.
func takeReady() (ready *os.File, launcher int) {
	v, ok := os.LookupEnv(readyEnv)
	if !ok {
		return nil, 0
	}
	_ = os.Unsetenv(readyEnv)
	name, pid, _ := strings.Cut(v, ",")
	fd, err := strconv.Atoi(name)
	if err != nil || fd < 3 {
		return nil, 0
	}
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return nil, 0
	}
	unix.CloseOnExec(fd)
	if pid == strconv.Itoa(os.Getppid()) { // else it has ended
		launcher = os.Getppid()
	}
	return os.NewFile(uintptr(fd), "launcher"), launcher
}
