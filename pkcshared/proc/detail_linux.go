package proc

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
)

// maxCommand is how much of a command line is read.
const maxCommand = 64 << 10

var errStatus = errors.New("malformed /proc/PID/status")

// Owner returns the effective user id of a process.
func Owner(pid int) (int, error) {
	ids, err := status(strconv.Itoa(pid), "Uid:")
	if err != nil {
		return 0, err
	}
	if len(ids) != 4 { // real, effective, saved, file system
		return 0, errStatus
	}
	return strconv.Atoi(ids[1])
}

// Dir returns the working directory of a process, by its name in the kernel.
// One that was removed has a name that ends in " (deleted)".
func Dir(pid int) (string, error) {
	dir, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	return dir, gone(cause(err))
}

// Command returns the command line of a process, its arguments joined by
// spaces. It is empty for a zombie, and for a moment in the midst of execve(2).
func Command(pid int) (string, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return "", gone(cause(err))
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxCommand))
	if err != nil {
		return "", gone(cause(err))
	}
	return string(bytes.ReplaceAll(bytes.TrimSuffix(b, []byte{0}), []byte{0}, []byte{' '})), nil
}

// BootID names this run of the kernel: ticks since boot mean nothing without
// it.
func BootID() (string, error) {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(bytes.TrimSpace(b)), err
}

var (
	errNoProc  = errors.New("/proc is not mounted")
	errNumbers = errors.New("/proc shows another pid namespace")
)

// Numbers checks that the numbers in /proc are those that kill(2) takes: that
// it is mounted, and for our own pid namespace.
func Numbers() error {
	self, err := os.Readlink("/proc/self")
	if err != nil {
		return errNoProc
	}
	if self != strconv.Itoa(os.Getpid()) {
		return errNumbers
	}
	return nil
}

// status returns the values of one line of /proc/PID/status
// (proc_pid_status(5)). A name in there has its newlines escaped.
func status(pid, key string) ([]string, error) {
	b, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return nil, gone(cause(err))
	}
	for line := range bytes.Lines(b) {
		if after, ok := bytes.CutPrefix(line, []byte(key)); ok {
			return strings.Fields(string(after)), nil
		}
	}
	return nil, errStatus
}

// cause takes the path and the operation off an error.
func cause(err error) error {
	if err == nil {
		return nil
	}
	return errors.Unwrap(err)
}
