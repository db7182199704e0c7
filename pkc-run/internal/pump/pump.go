// Package pump moves the child's output: to the runner's own streams, to
// transcripts, or nowhere. It moves bytes and decides nothing.
//
// Each stream has a goroutine that waits in Go's poller for the first byte, and
// in the kernel from then on. A child never waits for anything but a slow
// reader of the runner's own output.
package pump

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"processkit-cli/pkc-run/internal/capture"
)

// Stream is one of the child's outputs and where it goes.
type Stream struct {
	Name   string
	Source *os.File            // the read end of the child's pipe
	Echo   *os.File            // nil for none
	Record *capture.Transcript // nil for none

	mu    sync.Mutex    // held while bytes leave the source and are not counted yet
	taken atomic.Uint64 // bytes read from the source
	moved atomic.Uint64 // of these, how many have reached where they go
	done  chan struct{}

	bypassing atomic.Bool // the kernel moves the bytes, and mu says nothing
}

// Pump moves both streams of a run.
type Pump struct {
	// Overflow delivers the name of the first stream that passed its ceiling.
	Overflow chan string
	// Lost delivers why an echo ended early, unless its reader just left.
	Lost chan error

	streams []*Stream
	start   time.Time
	last    atomic.Int64 // when output was last seen, since start
}

// Start moves the streams until each is at its end.
func Start(streams ...*Stream) *Pump {
	p := &Pump{
		Overflow: make(chan string, 1),
		Lost:     make(chan error, len(streams)),
		streams:  streams,
		start:    time.Now(),
	}
	for _, s := range streams {
		s.done = make(chan struct{})
		go func() {
			defer close(s.done)
			p.run(s)
		}()
	}
	return p
}

// Silence is how long no output has been seen, counted at most from since.
func (p *Pump) Silence(since time.Time) time.Duration {
	last := p.start.Add(time.Duration(p.last.Load()))
	if last.Before(since) {
		last = since
	}
	return time.Since(last)
}

// Pending reports whether a pipe holds output that has not been moved yet.
func (p *Pump) Pending() bool {
	for _, s := range p.streams {
		if buffered(s.Source) > 0 {
			return true
		}
	}
	return false
}

const firstBuffer = 64 << 10 // a pipe's default capacity

func (p *Pump) run(s *Stream) {
	awaitFirst(s.Source)
	s.block(false)
	busy := busyness{source: s.Source, echo: s.Echo}
	var buf []byte
	refused := false // the bypass, for the echo as it is now
	toFile := isRegular(s.Echo)
	for {
		if !refused && (s.Record == nil || s.Record.Full()) {
			s.bypassing.Store(true)
			result := p.bypass(s, &busy)
			s.bypassing.Store(false)
			switch result {
			case bypassEnd:
				return
			case bypassEchoFailed:
				continue
			case bypassUnusable:
				refused = true
			}
		}
		if busy.grown && toFile && s.Echo != nil {
			p.runBeside(s)
			return
		}
		if len(buf) < busy.chunk() {
			buf = make([]byte, busy.chunk())
		}
		n, err := s.read(buf)
		if n > 0 {
			p.seen()
			busy.saw(n)
			echo := s.Echo
			p.keep(s, buf[:n])
			s.moved.Add(uint64(n))
			refused = refused && s.Echo == echo
		}
		if err != nil {
			return
		}
	}
}

// runBeside reads on while what was read is written. A file is never bypassed,
// so a busy stream stays here to its end.
func (p *Pump) runBeside(s *Stream) {
	const chunks = 8
	free, full := make(chan []byte, chunks), make(chan []byte, chunks)
	for range chunks {
		free <- make([]byte, largeBuffer)
	}
	go func() {
		defer close(full)
		for {
			b := <-free
			n, err := s.read(b[:cap(b)])
			if n > 0 {
				p.seen()
				full <- b[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	for b := range full {
		p.keep(s, b)
		s.moved.Add(uint64(len(b)))
		free <- b
	}
}

func isRegular(f *os.File) bool {
	if f == nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

func (p *Pump) seen() { p.last.Store(int64(time.Since(p.start))) }

// keep echoes first: a watcher sees output as soon as it can.
func (p *Pump) keep(s *Stream, b []byte) {
	if s.Echo != nil {
		if err := writeAll(s.Echo, b); err != nil {
			p.endEcho(s, err)
		}
	}
	if s.Record != nil && s.Record.Write(b) {
		p.overflow(s)
	}
}

func (p *Pump) overflow(s *Stream) {
	select {
	case p.Overflow <- s.Name:
	default:
	}
}

// endEcho gives up on the runner's own stream, and only on that.
func (p *Pump) endEcho(s *Stream, err error) {
	s.Echo = nil
	if !readerLeft(err) {
		p.Lost <- err
	}
}

// Drain waits for the ends of both streams after the tree is gone. What the
// tree wrote is waited for, as long as patient says so while a slow reader
// takes it. After that, somebody outside may still hold a pipe: he is waited
// for only while output keeps coming, for at most hold. It reports whether
// both streams ended.
func (p *Pump) Drain(hold time.Duration, patient func() bool) bool {
	const (
		tick  = 250 * time.Millisecond
		quiet = 2 // ticks
	)
	deadline := time.Now().Add(hold)
	for _, s := range p.streams {
		due := s.due()
		silent, first := 0, true
		for ended := false; !ended; {
			before := s.moved.Load()
			select {
			case <-s.done:
				ended = true
				continue
			case <-time.After(min(tick, hold)):
			}
			moved := s.moved.Load()
			if first && s.bypassing.Load() {
				due = s.due() // what a splice had moved and not counted yet is now
			}
			first = false
			unread, end := s.look()
			if silent++; unread || moved > before {
				silent = 0
			}
			switch {
			case end && !s.bypassing.Load():
				// The stream's goroutine is about to see it.
			case end: // or waits for room in the echo, with nothing to put there
				ended = silent >= quiet
			case moved < due && (moved > before || unread && patient()):
				deadline = time.Now().Add(hold)
			case time.Now().After(deadline):
				return false
			case silent == quiet:
				return false
			}
		}
	}
	return true
}
