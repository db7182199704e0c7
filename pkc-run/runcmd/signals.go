package runcmd

import (
	"errors"
	"os"
	"os/signal"
)

// signals are the stop signals of this process, noted from the moment that
// the run command starts.
type signals struct {
	c chan os.Signal
}

// catch notes stop signals. One that the caller ignores stays ignored, for us
// and for the child: that is how nohup works.
func catch() *signals {
	// Room for every kind at once; more of them add nothing.
	s := &signals{c: make(chan os.Signal, len(stopSignals))}
	for _, sig := range stopSignals {
		if !signal.Ignored(sig) {
			signal.Notify(s.c, sig)
		}
	}
	keepBrokenPipes()
	return s
}

// early returns a stop signal that came before there was a child, or nil.
func (s *signals) early() os.Signal {
	select {
	case sig := <-s.c:
		return sig
	default:
		return nil
	}
}

// errEarly says that a stop signal ended a wait of the setup.
var errEarly = errors.New("stopped by a signal")

// openPatiently opens a file. A FIFO can make that wait for its other end,
// and a stop signal ends the wait.
func openPatiently(path string, flag int, mode os.FileMode, s *signals) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return os.OpenFile(path, flag, mode)
	}
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(path, flag, mode)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case sig := <-s.c:
		s.c <- sig // for whoever asks early
		return nil, errEarly
	}
}
