package identity

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"processkit-cli/pkcshared/proc"
)

// StartKind is the clock of this system.
const StartKind = LinuxTicks

// Ready reports whether identities can be read here at all.
func Ready() error {
	if err := proc.Numbers(); err != nil {
		return fmt.Errorf("pid: %w", err)
	}
	_, err := Boot()
	return err
}

// Boot names this run of the kernel, where start times need that.
func Boot() (string, error) {
	id, err := proc.BootID()
	if err == nil && id == "" {
		err = errors.New("it is empty")
	}
	if err != nil {
		return "", fmt.Errorf("start_time.boot_id: %w", err)
	}
	return id, nil
}

func startOf(i proc.Info) (Start, error) {
	boot, err := Boot()
	return Start{Kind: LinuxTicks, Ticks: strconv.FormatUint(i.Start, 10), BootID: boot}, err
}

var errNoCommand = errors.New("there is none: it is just executing a program, or hides it")

// command fails rather than giving nothing: an empty line is what execve(2)
// shows half-way, and would look like a change.
func command(_ context.Context, pid int) (string, error) {
	c, err := proc.Command(pid)
	if err == nil && c == "" {
		err = errNoCommand
	}
	return c, err
}
