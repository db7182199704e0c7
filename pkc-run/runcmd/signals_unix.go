//go:build unix

package runcmd

import (
	"os"
	"os/signal"
	"syscall"
)

var stopSignals = [...]os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// signalNames: source names a stop signal in the stream, title on stderr.
func signalNames(s os.Signal) (source, title string) {
	switch s {
	case syscall.SIGINT:
		return "ctrl_c", "SIGINT"
	case syscall.SIGHUP:
		return "sighup", "SIGHUP"
	}
	return "sigterm", "SIGTERM"
}

// dieOfQuit makes SIGQUIT an abrupt death and nothing else. Go's answer is a
// dump of stacks and code 2, which would pass for the child's.
func dieOfQuit() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGQUIT)
	go func() {
		<-c
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
	}()
}
