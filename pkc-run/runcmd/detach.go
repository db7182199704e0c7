package runcmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/registry"
)

// A detached run is an ordinary run in a process of its own: this binary
// again, with the same command line less --detach, in a new session and with
// its standard streams on the null device. The launcher returns as soon as
// the stream says that the child was started.
//
//	launcher                              copy
//	  | empty the stream
//	  | start, with the end of a pipe ------> |
//	  |                                       | run_started into the stream
//	  | <-- a newline and warnings, or why not|
//	  | the first line of the stream decides  |
//	  v 0, or the copy's own code             v runs on
//
// Nobody but the copy holds that end of the pipe, so it also tells of a copy
// that died. The newline only wakes the launcher; the stream is the proof.

// readyEnv tells a copy which descriptor that is. It is taken out of the
// environment before the child's is made.
const readyEnv = "PROCESSKIT_CLI_READY_FD"

// startBudget is how long a copy may take to start its child.
const startBudget = 30 * time.Second

func detach(c *applet.Call, p *Plan, given map[string]bool, sig *signals) error {
	if err := noInput(p); err != nil {
		return err
	}
	if err := emptyStream(p.JSONL); err != nil {
		return exit.Errorf(exit.Setup, "--jsonl: %w", err)
	}
	copied, err := startCopy(copyArgs(os.Args, p, given))
	if err != nil {
		return exit.Errorf(exit.Setup, "cannot start the detached runner: %w", err)
	}
	defer copied.ready.Close()
	proved := func() bool { return hasStarted(p.JSONL, p.RunID) }

	heard := make(chan string, 1)
	go func() { heard <- hear(copied.ready) }()
	why := ""
	budget := time.After(startBudget)
	for {
		select {
		case said := <-heard:
			if !strings.HasPrefix(said, started) {
				why, heard = said, nil // its exit status is on the way
				continue
			}
			if !proved() {
				copied.stop() // its child runs
				return exit.Errorf(exit.Setup, "the detached runner could not record its start in --jsonl")
			}
			launched(c, p, said)
			return nil
		case code := <-copied.exited:
			if heard != nil {
				why = <-heard
			}
			if proved() {
				launched(c, p, why)
				return nil
			}
			return relay(code, strings.TrimSpace(why))
		case s := <-sig.c:
			copied.stop()
			return cancelledEarly(s)
		case <-budget:
			if proved() {
				return nil
			}
			copied.kill()
			return exit.Errorf(exit.Setup, "the detached runner started nothing within %v and was killed", startBudget)
		}
	}
}

// launched tells what the copy cannot: its stderr is the null device.
func launched(c *applet.Call, p *Plan, said string) {
	for warning := range strings.Lines(strings.TrimPrefix(said, started)) {
		c.Warn("%s", warning)
	}
	if dir, err := registry.Dir(); err == nil && p.named {
		warnOfTwins(c, dir, p.RunID)
	}
}

// detachable refuses a stream that is there and no regular file: it could not
// be read back for the proof.
func detachable(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &os.PathError{Op: "open", Path: path, Err: errors.New("a detached run needs a regular file")}
	}
	return nil
}

// emptyStream makes or empties the stream: what was in it from an earlier run
// must not be taken for the proof.
func emptyStream(path string) error {
	if err := detachable(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// copyArgs is the copy's command line: no --detach before the program, the
// run id that this process chose, and no echo. Everything else stays as it is.
func copyArgs(args []string, p *Plan, given map[string]bool) []string {
	end := slices.Index(args, "--")
	own := slices.DeleteFunc(slices.Clone(args[:end]), func(a string) bool { return a == "--detach" })
	if !given["run-id"] {
		own = append(own, "--run-id="+p.RunID)
	}
	if !given["no-echo"] {
		own = append(own, "--no-echo")
	}
	return append(own, args[end:]...)
}

// hasStarted reads the first line of a stream, however long, and nothing more.
func hasStarted(path, runID string) bool {
	f, err := event.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	line, err := bufio.NewReaderSize(f, 64<<10).ReadBytes('\n')
	if err != nil || !gjson.ValidBytes(line) {
		return false
	}
	first := gjson.ParseBytes(line)
	return first.Get("event").Str == "run_started" && first.Get("run_id").Str == runID
}

// relay passes on a copy's code, and what it said: its stderr is the null
// device.
func relay(code int, why string) error {
	if why == "" {
		why = "it ended before it started the program"
	}
	if code < int(exit.BandStart) || code > int(exit.BandEnd) {
		return exit.Errorf(exit.Setup, "detached runner: %s", why)
	}
	c := exit.Code(code)
	kind := c.KindOf()
	switch c {
	case exit.Usage, exit.Spawn, exit.Backend, exit.Internal, exit.Timeout, exit.Cancelled,
		exit.ControlCancelled, exit.ControlKilled, exit.Setup, exit.OutputOverflow:
	default:
		kind = exit.KindUnknown
	}
	return exit.As(c, kind, "detached runner: %s", why)
}

// started is what a copy says first when its child runs. Its warnings follow,
// a line each.
const started = "\n"

// hear reads what a copy says, which then closes the pipe.
func hear(ready io.Reader) string {
	const most = 4096
	said, _ := io.ReadAll(io.LimitReader(ready, most))
	return string(said)
}

// tell wakes the launcher of a detached run, once.
func (r *runner) tell(said string) {
	if r.ready == nil {
		return
	}
	_, _ = io.WriteString(r.ready, said)
	_ = r.ready.Close()
	r.ready = nil
}

// Warn keeps a warning for the launcher, too, as long as that listens.
func (r *runner) Warn(format string, args ...any) {
	r.Call.Warn(format, args...)
	if r.ready != nil {
		r.warnings += strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ") + "\n"
	}
}
