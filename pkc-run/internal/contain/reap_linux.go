package contain

import (
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// siginfo is the part of siginfo_t that waitid(2) fills for a child.
type siginfo struct {
	_      int32 // si_signo
	_      int32 // si_errno
	code   int32
	_      [unsafe.Sizeof(uintptr(0)) - 4]byte
	pid    int32
	_      uint32 // si_uid
	status int32
	_      [128 - 24 - (unsafe.Sizeof(uintptr(0)) - 4)]byte
}

// si_code of a SIGCHLD, <asm-generic/siginfo.h>.
const (
	cldExited = 1
	cldDumped = 3 // the last of those that say that it ended
)

// reaper is the only one in the process that waits for children: two waiters
// would steal each other's statuses. It waits for any child, because a
// subreaper (or PID 1) inherits orphans and must not leave them as zombies.
//
// It peeks before it reaps. The root child is reported when it ends, and
// reaped only once release is called: until then its pid and group number
// cannot be given to another process.
type reaper struct {
	root    int
	thread  int  // that forked the root child
	shared  bool // not every child is of this run
	options int
	exited  chan Status
	stopped chan struct{}
	reaped  chan struct{} // a token when no child is left; if shared, after each
	hold    chan struct{} // closed by release
	once    sync.Once

	mu        sync.Mutex
	zombie    bool // the root child has ended and is held
	rootGone  bool // the root child has been reaped
	childless bool // no child of any kind is left
	total     int  // of children that were reaped
	usage     rusage
}

// rusage sums what reaped children have used.
type rusage struct {
	maxRSS            uint64 // bytes, of the largest single process
	cpuMicros         uint64
	inBytes, outBytes uint64
}

func (u *rusage) add(r *unix.Rusage) {
	const block = 512 // ru_inblock and ru_oublock count these, getrusage(2)
	u.maxRSS = max(u.maxRSS, uint64(r.Maxrss)*1024)
	u.cpuMicros += uint64(r.Utime.Sec+r.Stime.Sec)*1e6 + uint64(r.Utime.Usec+r.Stime.Usec)
	u.inBytes += uint64(r.Inblock) * block
	u.outBytes += uint64(r.Oublock) * block
}

// startReaper starts the root child, and waits from then on for it and for
// everything we inherit. Both are done by one thread that lives as long as the
// child, whose parent-death signal is tied to it: prctl(2) PR_SET_PDEATHSIG.
// shared says that we had children before.
func startReaper(c Command, leaf int, shared bool) (*reaper, *Child, error) {
	r := &reaper{
		shared:  shared,
		options: unix.WEXITED,
		exited:  make(chan Status, 1),
		stopped: make(chan struct{}, 1),
		reaped:  make(chan struct{}, 1),
		hold:    make(chan struct{}),
	}
	if c.JobControl {
		r.options |= unix.WSTOPPED
	}
	spawned := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		var err error
		r.thread = unix.Gettid()
		r.root, err = spawn(c, leaf)
		if err != nil {
			r.rootGone, r.childless = true, !shared
		}
		spawned <- err
		if err == nil {
			r.loop()
		}
	}()
	err := <-spawned
	return r, &Child{PID: r.root, Exited: r.exited, Stopped: r.stopped}, err
}

// release lets the root child be reaped when it has ended.
func (r *reaper) release() { r.once.Do(func() { close(r.hold) }) }

func (r *reaper) loop() {
	for {
		peek := unix.WNOWAIT
		if r.rootGone { // nobody is held any more
			peek = 0
		}
		si, ru, err := waitid(unix.P_ALL, 0, r.options|peek)
		if err != nil {
			r.end(err)
			return
		}
		pid := int(si.pid)
		if si.code > cldDumped {
			// A stop. That of a child which has made us its tracer, by
			// PTRACE_TRACEME, is reported whether we ask or not, ptrace(2).
			if peek != 0 {
				r.consume(pid, unix.WSTOPPED)
			}
			if pid == r.root && r.options&unix.WSTOPPED != 0 {
				notify(r.stopped)
			}
			continue
		}
		if pid == r.root && !r.rootGone { // its number is free again once it is reaped
			r.mu.Lock()
			r.usage.add(ru)
			r.zombie = true
			r.mu.Unlock()
			r.exited <- status(si)
			runtime.UnlockOSThread() // nothing is tied to it any more
			<-r.hold
			r.mu.Lock()
			r.zombie = false
			r.mu.Unlock()
		}
		if peek != 0 {
			r.consume(pid, unix.WEXITED)
		}
		r.mu.Lock()
		switch {
		case pid == r.root && !r.rootGone:
			r.rootGone = true
		case !r.shared: // else nobody knows whose it was
			r.usage.add(ru)
		}
		r.total++
		r.mu.Unlock()
		if r.shared { // else the end of all is awaited
			notify(r.reaped)
		}
	}
}

// end is reached with ECHILD, when the last child is gone; anything else,
// or ECHILD before the root child was seen, means that we lost sight of it.
func (r *reaper) end(err error) {
	r.mu.Lock()
	lost := !r.rootGone
	r.rootGone = true
	r.childless = err == unix.ECHILD
	r.mu.Unlock()
	if lost {
		r.exited <- Status{Err: err}
	}
	notify(r.reaped)
}

// held reports whether pid is the root child as a zombie.
func (r *reaper) held(pid int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.zombie && pid == r.root
}

// count returns how many children have been reaped.
func (r *reaper) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

func (r *reaper) consume(pid, what int) {
	_, _, _ = waitid(unix.P_PID, pid, what|unix.WNOHANG)
}

func status(si *siginfo) Status {
	if si.code == cldExited {
		return Status{Code: int(si.status)}
	}
	return Status{Signal: int(si.status)}
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func waitid(idType, id, options int) (*siginfo, *unix.Rusage, error) {
	var si siginfo
	var ru unix.Rusage
	for {
		_, _, e := unix.Syscall6(unix.SYS_WAITID, uintptr(idType), uintptr(id),
			uintptr(unsafe.Pointer(&si)), uintptr(options), uintptr(unsafe.Pointer(&ru)), 0)
		switch e {
		case 0:
			return &si, &ru, nil
		case unix.EINTR:
		default:
			return nil, nil, e
		}
	}
}
