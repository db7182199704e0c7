//go:build unix

package procctlcmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/text"
)

// openLog opens the file for the output, at its end. It does not wait for
// somebody to read a FIFO.
func openLog(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|unix.O_NONBLOCK|unix.O_NOCTTY, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	if err == nil {
		err = unix.SetNonblock(int(f.Fd()), false)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// start starts argv in this process's directory and in a session of its own,
// so that no terminal's hang-up reaches it.
func start(argv []string, dir string, log *os.File) (*exec.Cmd, error) {
	path := argv[0]
	if !strings.Contains(path, "/") {
		found, err := exec.LookPath(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text.Quote(path), errors.Unwrap(err))
		}
		path = found
	}
	// What our caller left open would keep its pipes open as long as this runs.
	closeOnExec(3)
	cmd := &exec.Cmd{
		Path:        path,
		Args:        argv,
		Env:         append(os.Environ(), "PWD="+dir),
		Stdout:      log,
		Stderr:      log,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		return nil, explain(err, path)
	}
	return cmd, nil
}

// explain says which file execve(2) means.
func explain(err error, path string) error {
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		err = pe.Err
	}
	switch {
	case errors.Is(err, unix.ENOEXEC):
		err = errors.New("not an executable format (a script needs a #! line)")
	case errors.Is(err, unix.ENOENT) && unix.Access(path, unix.X_OK) == nil:
		err = fmt.Errorf("its interpreter: %w", err)
	}
	return fmt.Errorf("%s: %w", text.Quote(path), err)
}

// closeOnExec marks every open descriptor from first on.
func closeOnExec(first int) {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
}
