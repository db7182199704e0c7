package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
)

// ErrGone says that the process ended before it could be read.
var ErrGone = errors.New("no such process")

// Read describes one process from /proc/PID/stat (proc_pid_stat(5)).
func Read(pid int) (Info, error) {
	var buf [1024]byte
	b, err := readInto("/proc/"+strconv.Itoa(pid)+"/stat", buf[:])
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
	var all []Info
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		i, err := Read(pid)
		if errors.Is(err, ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}

// HasChildren reports whether the calling process has any child right now.
// Only threads that this process has at the moment are asked.
func HasChildren() bool {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false
	}
	var buf [16]byte
	for _, t := range tasks {
		b, err := readInto("/proc/self/task/"+t.Name()+"/children", buf[:])
		if err == nil && len(b) > 0 {
			return true
		}
	}
	return false
}

// readInto reads a small /proc file with three system calls; os.ReadFile
// would take twice as many, and teardown reads one file per member.
func readInto(path string, buf []byte) ([]byte, error) {
	fd, err := ignoringEINTR(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, gone(err)
	}
	defer syscall.Close(fd)
	n, err := ignoringEINTR(func() (int, error) { return syscall.Read(fd, buf) })
	if err != nil {
		return nil, gone(err)
	}
	return buf[:n], nil
}

func ignoringEINTR(f func() (int, error)) (int, error) {
	for {
		n, err := f()
		if err != syscall.EINTR {
			return n, err
		}
	}
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
	if open < 1 || end < open {
		return Info{}, errStat
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(b[:open])))
	if err != nil {
		return Info{}, errStat
	}
	f := bytes.Fields(b[end+1:]) // f[0] is field 3 of the man page
	if len(f) < 20 {
		return Info{}, errStat
	}
	field := func(n int) uint64 {
		u, _ := strconv.ParseUint(string(f[n-3]), 10, 64)
		return u
	}
	state := f[0][0]
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
