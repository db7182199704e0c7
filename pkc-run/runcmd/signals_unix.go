//go:build unix

package runcmd

import (
	"os"
	"os/signal"
	"syscall"

	"processkit-cli/pkcshared/text"
)

var stopSignals = [...]os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

const stopKinds = len(stopSignals)

// listen: SIGINT or SIGHUP that the caller ignores stays ignored, for us and
// for the child: that is how nohup works. Of other signals Go's runtime does
// not keep that.
func (s *signals) listen() error {
	for _, sig := range stopSignals {
		if !signal.Ignored(sig) {
			signal.Notify(s.c, sig)
		}
	}
	dieOfQuit()
	return nil
}

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

// graceLeft is the grace that a stop signal leaves, here all of it.
func graceLeft(_ os.Signal, grace *text.Millis) *text.Millis { return grace }

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
