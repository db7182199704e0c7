//go:build unix && !darwin

package identity

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"processkit-cli/pkcshared/proc"
)

// Where the system has no reader of its own here, ps(1) is asked. It knows
// start times by the second: a number that is used again within one second, by
// the same user in the same directory, cannot be told from the process that
// had it before. The build for Linux has this for its tests only.

// readPS takes the numbers before and after the directory, so that all of it
// is of one process.
func readPS(ctx context.Context, pid int) (Process, error) {
	before, err := psNumbers(ctx, pid)
	if err != nil {
		return Process{}, err
	}
	dir, err := proc.Dir(pid)
	if err != nil {
		return Process{}, fmt.Errorf("attempt: %w", err)
	}
	after, err := psNumbers(ctx, pid)
	if err != nil {
		return Process{}, err
	}
	if before != after {
		return Process{}, fmt.Errorf("pid: %d changed while it was read", pid)
	}
	after.Dir = dir
	return after, nil
}

func psNumbers(ctx context.Context, pid int) (Process, error) {
	line, err := ps(ctx, pid, "pid=", "pgid=", "uid=", "stat=", "lstart=")
	if err != nil {
		return Process{}, err
	}
	p, err := parsePS(line)
	if err == nil && p.PID != pid {
		err = fmt.Errorf("ps: asked for %d, it answers %d", pid, p.PID)
	}
	return p, err
}

func psCommand(ctx context.Context, pid int) (string, error) { return ps(ctx, pid, "command=") }

// ps prints the columns of one process. It is asked in UTC and without
// translation; it ends with 1 where there is no such process.
func ps(ctx context.Context, pid int, columns ...string) (string, error) {
	args := []string{"-ww", "-p", strconv.Itoa(pid)}
	for _, c := range columns {
		args = append(args, "-o", c)
	}
	cmd := exec.CommandContext(ctx, "/bin/ps", args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC0")
	out, err := cmd.Output()
	line := strings.TrimSpace(string(out))
	if line == "" && (err == nil || cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 1) {
		return "", ErrEnded
	}
	if err != nil {
		return "", fmt.Errorf("start_time: ps: %w", err)
	}
	return line, nil
}

var errPS = errors.New("ps: unexpected output")

// parsePS reads "pid pgid uid stat weekday month day time year".
func parsePS(line string) (Process, error) {
	f := strings.Fields(line)
	if len(f) != 9 {
		return Process{}, errPS
	}
	var n [3]int
	for i := range n {
		v, err := strconv.Atoi(f[i])
		if err != nil {
			return Process{}, errPS
		}
		n[i] = v
	}
	if strings.HasPrefix(f[3], "Z") {
		return Process{}, ErrEnded
	}
	began, err := time.Parse("Mon Jan 2 15:04:05 2006", strings.Join(f[4:], " "))
	if err != nil {
		return Process{}, errPS
	}
	return Process{PID: n[0], PGID: n[1], UID: n[2], Start: Start{Kind: PSSeconds, Sec: began.Unix()}}, nil
}
