package proc

import (
	"bytes"
	"errors"
	"math"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// TicksPerSecond is USER_HZ, the unit of times in /proc: 100 on every
// architecture that Go supports.
const TicksPerSecond = 100

// Read describes one process from /proc/PID/stat (proc_pid_stat(5)).
func Read(pid int) (Info, error) {
	var buf statBuffer
	return buf.read(strconv.Itoa(pid))
}

// statBuffer holds any stat file: 52 numbers and a name of 15 bytes, or of 63
// for a kernel thread.
type statBuffer [1280]byte

func (buf *statBuffer) read(pid string) (Info, error) {
	b, err := readInto("/proc/"+pid+"/stat", buf[:])
	if err != nil {
		return Info{}, err
	}
	return parseStat(b)
}

// All describes every process that this one can see. Those that end while it
// looks are left out.
func All() ([]Info, error) {
	d, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	all := make([]Info, 0, len(names))
	var buf statBuffer
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		i, err := buf.read(name)
		if err == ErrGone {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}

// Children lists the direct children of a process, zombies included, as its
// threads have them right now: all its threads, or those given. Reading is not
// atomic: while children are being reaped, one that lives can be missed
// (proc_pid_tid_children(5)).
func Children(pid int, threads ...int) ([]int, error) {
	base := "/proc/" + strconv.Itoa(pid) + "/task/"
	if len(threads) == 0 {
		var err error
		if threads, err = tasks(base); err != nil {
			return nil, err
		}
	}
	var pids []int
	var small [1024]byte
	for _, t := range threads {
		task := base + strconv.Itoa(t)
		buf := small[:]
		b, err := readInto(task+"/children", buf)
		for err == nil && len(b) == len(buf) {
			buf = make([]byte, 4*len(buf))
			b, err = readInto(task+"/children", buf)
		}
		if err == ErrGone && pathExists(task) {
			return nil, errNoChildren
		}
		if err != nil && err != ErrGone {
			return nil, err
		}
		for _, f := range bytes.Fields(b) {
			pids = append(pids, int(digits(f)))
		}
	}
	return pids, nil
}

func tasks(dir string) ([]int, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, gone(errors.Unwrap(err))
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, gone(errors.Unwrap(err))
	}
	ids := make([]int, len(names))
	for i, name := range names {
		ids[i] = int(digits([]byte(name)))
	}
	return ids, nil
}

// errNoChildren: a kernel built without CONFIG_PROC_CHILDREN.
var errNoChildren = errors.New("the kernel does not list children")

func pathExists(path string) bool {
	var st syscall.Stat_t
	return syscall.Stat(path, &st) == nil
}

// File reads a file that is in /proc/PID, as much as buf takes.
func File(pid int, name string, buf []byte) ([]byte, error) {
	return readInto("/proc/"+strconv.Itoa(pid)+"/"+name, buf)
}

// readInto reads a small /proc file with three system calls; os.ReadFile
// would take twice as many, and teardown reads one file per member.
func readInto(path string, buf []byte) ([]byte, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	for err == syscall.EINTR {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	}
	if err != nil {
		return nil, gone(err)
	}
	n, err := syscall.Read(fd, buf)
	for err == syscall.EINTR {
		n, err = syscall.Read(fd, buf)
	}
	syscall.Close(fd)
	if err != nil {
		return nil, gone(err)
	}
	return buf[:n], nil
}

func gone(err error) error {
	if err == syscall.ENOENT || err == syscall.ESRCH {
		return ErrGone
	}
	return err
}

var errStat = errors.New("malformed /proc/PID/stat")

// parseStat reads the fields that follow the name. The name stands between
// the first "(" and the last ")" and may hold anything.
func parseStat(b []byte) (Info, error) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 1 || end < open || len(b) < end+3 {
		return Info{}, errStat
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(b[:open])))
	if err != nil {
		return Info{}, errStat
	}
	state := b[end+2]
	// The rest are numbers, some of them negative; f[0] is field 4 of the man page.
	var f [19]uint64
	rest := b[end+3:]
	for i := range f {
		rest = bytes.TrimLeft(rest, " ")
		word, after, _ := bytes.Cut(rest, []byte(" "))
		if len(word) == 0 {
			return Info{}, errStat
		}
		f[i] = digits(word)
		rest = after
	}
	field := func(n int) uint64 { return f[n-4] }
	return Info{
		PID:     pid,
		PPID:    int(field(4)),
		PGID:    int(field(5)),
		Session: int(field(6)),
		Name:    string(b[open+1 : end]),
		// A dead leader whose threads live on shows as a zombie too.
		Dead:     state == 'X' || state == 'Z' && field(20) <= 1,
		Stopped:  state == 'T',
		CPUTicks: field(14) + field(15) + field(16) + field(17),
		Start:    field(22),
	}, nil
}

// digits reads an unsigned number; any other is 0.
func digits(b []byte) uint64 {
	var n uint64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + uint64(c-'0')
	}
	return n
}

// Now is the present as a start time, cut to the unit that those have.
func Now() uint64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) != nil {
		return math.MaxUint64
	}
	const nanosPerTick = 1e9 / TicksPerSecond
	return uint64(ts.Nano()) / nanosPerTick
}

// Newest is the pid that was given out last (proc_loadavg(5)), or 0 if nobody
// tells. Until they wrap around, pids are given out in order.
func Newest() int {
	var buf [128]byte
	b, err := readInto("/proc/loadavg", buf[:])
	if err != nil {
		return 0
	}
	return int(digits(bytes.TrimSpace(b[bytes.LastIndexByte(b, ' ')+1:])))
}
