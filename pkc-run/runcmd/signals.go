package runcmd

import (
	"errors"
	"os"
)

// signals are the stop signals of this process, noted from the moment that
// the run command starts.
type signals struct {
	c     chan os.Signal
	first os.Signal // one that was seen outside the race
	err   error     // why none will be seen
}

// catch notes stop signals from now on.
func catch() *signals {
	// Room for every kind at once; more of them add nothing.
	s := &signals{c: make(chan os.Signal, stopKinds)}
	s.err = s.listen()
	return s
}

// pending returns a stop signal that came outside the race, or nil. Once there
// is one, it stays.
func (s *signals) pending() os.Signal {
	if s.first == nil {
		select {
		case s.first = <-s.c:
		default:
		}
	}
	return s.first
}

// errEarly says that a stop signal ended a wait of the setup.
var errEarly = errors.New("stopped by a signal")

// openPatiently opens a file. A FIFO can make that wait for its other end.
func openPatiently(path string, flag int, mode os.FileMode, s *signals) (*os.File, error) {
	open := func() (*os.File, error) { return os.OpenFile(path, flag, mode) }
	info, err := os.Stat(path)
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return open()
	}
	return patiently(s, open)
}

// patiently waits for f, and a stop signal ends the wait.
func patiently[T any](s *signals, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case s.first = <-s.c:
		var none T
		return none, errEarly
	}
}
