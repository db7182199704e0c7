package contain

import (
	"errors"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// job contains a tree in a job object of its own. What a member starts as its
// own child is born in the job as well and cannot leave, for no breakaway is
// allowed. A job that a member makes is nested in this one and ends with it.
// What a service starts for a member, or a member under a foreign parent
// (PROC_THREAD_ATTRIBUTE_PARENT_PROCESS), is outside.
//
// The handle is the only one and is not inherited, so the system closes it
// when the runner dies in any way, and with it kills the whole tree.
type job struct {
	handle windows.Handle
	limits Limits
	child  *Child
	hold   chan struct{} // closed by Close
	port   windows.Handle
	soft   softStop
}

// killedCode is the exit code of what a Kill ends.
const killedCode = 1

func newJob(l Limits) (Group, error) {
	h, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateJobObject", err)
	}
	g := &job{handle: h, limits: l, hold: make(chan struct{})}
	if err := g.applyLimits(); err != nil {
		_ = g.Close()
		return nil, err
	}
	return g, nil
}

// setJob and queryJob pin what they pass: x/sys takes it as a number.

func setJob[T any](job windows.Handle, class uint32, info *T) error {
	var p runtime.Pinner
	defer p.Unpin()
	p.Pin(info)
	_, err := windows.SetInformationJobObject(job, class, uintptr(unsafe.Pointer(info)), uint32(unsafe.Sizeof(*info)))
	return os.NewSyscallError("SetInformationJobObject", err)
}

func queryJob[T any](job windows.Handle, class int32, info *T) error {
	var p runtime.Pinner
	defer p.Unpin()
	p.Pin(info)
	err := windows.QueryInformationJobObject(job, class, uintptr(unsafe.Pointer(info)), uint32(unsafe.Sizeof(*info)), nil)
	return os.NewSyscallError("QueryInformationJobObject", err)
}

func (g *job) Mechanism() string { return JobObject }

func (g *job) Spawn(c Command) (*Child, error) {
	p, err := g.start(c)
	if err != nil {
		return nil, err
	}
	_ = windows.CloseHandle(p.Thread)
	exited := make(chan Status, 1)
	g.child = &Child{PID: int(p.ProcessId), Exited: exited}
	g.soft.ctrlBreak = c.CtrlBreak
	go g.wait(p.Process, exited)
	return g.child, nil
}

// wait reports the end of the root child. As long as its handle is open nobody
// else can get its number.
func (g *job) wait(process windows.Handle, exited chan<- Status) {
	exited <- ending(process)
	<-g.hold
	_ = windows.CloseHandle(process)
}

// ending waits for a process. STILL_ACTIVE (259) is an exit code like any
// other once the process is known to have ended.
func ending(process windows.Handle) Status {
	var code uint32
	_, err := windows.WaitForSingleObject(process, windows.INFINITE)
	if err == nil {
		err = windows.GetExitCodeProcess(process, &code)
	}
	if err != nil {
		return Status{Err: err}
	}
	return Status{Code: int(int32(code))}
}

// basicAccounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type basicAccounting struct {
	userTime, kernelTime int64 // 100 ns, of all that ever were in the job
	_, _                 int64
	_                    uint32
	total, active        uint32 // processes
	_                    uint32
}

func (g *job) empty() bool {
	var a basicAccounting
	return queryJob(g.handle, windows.JobObjectBasicAccountingInformation, &a) == nil && a.active == 0
}

// WaitEmpty sleeps on the job's completion port. Its messages say no more than
// that something has changed, and one can get lost
// (JOBOBJECT_ASSOCIATE_COMPLETION_PORT): so the count decides, and it is looked
// at again now and then.
func (g *job) WaitEmpty(d time.Duration) bool {
	const atMost = time.Second
	deadline := time.Now().Add(d)
	for {
		// The first wait makes the port, and changes until then go unheard:
		// count again after that.
		listening := g.port != 0
		if g.empty() {
			return true
		}
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		if !listening && g.listen() {
			continue
		}
		g.hear(min(left, atMost))
	}
}

// listen has the system tell of members that come and go. Until the first wait
// nobody would take the messages, and a long run would pile them up.
func (g *job) listen() bool {
	port, err := windows.CreateIoCompletionPort(windows.InvalidHandle, 0, 0, 1)
	if err != nil {
		return false
	}
	to := struct {
		key  uintptr
		port windows.Handle
	}{port: port}
	if setJob(g.handle, windows.JobObjectAssociateCompletionPortInformation, &to) != nil {
		_ = windows.CloseHandle(port)
		return false
	}
	g.port = port
	return true
}

func (g *job) hear(d time.Duration) {
	if g.port == 0 {
		time.Sleep(min(d, 50*time.Millisecond))
		return
	}
	var message uint32
	var key, about uintptr // about is a process id: as a pointer it would not be one
	_, _, _ = getQueuedCompletionStatus.Call(uintptr(g.port), uintptr(unsafe.Pointer(&message)),
		uintptr(unsafe.Pointer(&key)), uintptr(unsafe.Pointer(&about)), uintptr(uint32(d/time.Millisecond)+1))
}

var getQueuedCompletionStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetQueuedCompletionStatus")

// Kill ends all members at once. A process that was being made meanwhile can
// have been missed, so it is repeated until the job is empty.
func (g *job) Kill(d time.Duration) error {
	const again = 100 * time.Millisecond
	deadline := time.Now().Add(d)
	for {
		if g.empty() {
			return nil
		}
		err := os.NewSyscallError("TerminateJobObject", windows.TerminateJobObject(g.handle, killedCode))
		left := time.Until(deadline)
		if g.WaitEmpty(min(left, again)) {
			return nil
		}
		if left <= 0 {
			return errors.Join(errSurvivors, err)
		}
	}
}

// Close closes the job, which kills what might still be in it.
func (g *job) Close() error {
	close(g.hold)
	if g.port != 0 {
		_ = windows.CloseHandle(g.port)
	}
	return os.NewSyscallError("CloseHandle", windows.CloseHandle(g.handle))
}
