package pump

import (
	"os"

	"golang.org/x/sys/unix"
)

// bypass moves the stream inside the kernel: to the echo where that is a
// pipe, to /dev/null where nobody wants it.
//
// A regular file is not spliced to. splice(2) moves the shared file offset
// without the lock that write(2) holds, so two processes that log to one
// descriptor would overwrite each other.
func (p *Pump) bypass(s *Stream, busy *busyness) bypassResult {
	sink := s.Echo
	if sink == nil {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return bypassUnusable
		}
		defer null.Close()
		sink = null
	} else if !isPipe(sink) {
		return bypassUnusable
	}
	from, err := Descriptor(s.Source)
	if err != nil {
		return bypassUnusable
	}
	to, err := Descriptor(sink)
	if err != nil {
		return bypassUnusable
	}
	s.block(true)
	defer s.block(false)
	for {
		n, err := unix.Splice(from, nil, to, nil, largePipe, unix.SPLICE_F_MOVE)
		switch {
		case n > 0:
			p.seen()
			s.taken.Add(uint64(n))
			s.moved.Add(uint64(n))
			busy.saw(int(n))
			if s.Record != nil {
				s.Record.Skip(int(n))
			}
		case err == nil:
			return bypassEnd
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			// One end is in non-blocking mode, and we cannot tell which.
			await(from, unix.POLLIN)
			await(to, unix.POLLOUT)
		case err == unix.EINVAL || s.Echo == nil:
			return bypassUnusable
		default:
			p.endEcho(s, err)
			return bypassEchoFailed
		}
	}
}

func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

const fionread = unix.TIOCINQ

// enlarge asks for a larger pipe and takes less where that is not allowed.
func enlarge(f *os.File) {
	fd, err := Descriptor(f)
	if err != nil || !isPipe(f) {
		return
	}
	for size := largePipe; size > firstBuffer; size /= 2 {
		have, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
		if err != nil || have >= size {
			return
		}
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, size); err == nil {
			return
		}
	}
}
