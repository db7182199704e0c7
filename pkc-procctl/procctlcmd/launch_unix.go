//go:build unix

package procctlcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"processkit-cli/pkc-procctl/internal/fingerprint"
	"processkit-cli/pkc-procctl/internal/group"
	"processkit-cli/pkc-procctl/internal/identity"
	"processkit-cli/pkc-procctl/internal/settle"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

// launch starts the command, waits until it has settled, and writes down who
// it is. Where anything goes wrong after the start, the command is ended.
func launch(ctx context.Context, c *applet.Call, p plan) error {
	ctx = untilSignal(ctx)
	dir, host, err := enter(&p)
	if err != nil {
		return exit.Errorf(exit.Setup, "%w", err)
	}
	f := fingerprint.Fingerprint{Version: fingerprint.Version, Host: host, CommandRequested: p.argv}
	if err := fits(f); err != nil {
		return exit.Errorf(exit.Setup, "--fingerprint: %w", err)
	}
	file, err := fingerprint.Reserve(p.fingerprint)
	if err != nil {
		return exit.Errorf(exit.Setup, "--fingerprint: %w", err)
	}
	defer file.Close()
	log, err := openLog(p.log)
	if err != nil {
		return exit.Errorf(exit.Setup, "--log: %w", err)
	}
	defer log.Close()
	cmd, err := start(p.argv, dir, log)
	if err != nil {
		return exit.Errorf(exit.Spawn, "%w", err)
	}
	f.LaunchedAt = event.Timestamp(time.Now())

	g, err := group.Open(cmd.Process.Pid)
	if err != nil {
		// Not waited for, so the number is still its own.
		_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		_ = cmd.Wait()
		return exit.Errorf(exit.Setup, "the process cannot be watched and was killed: %w", err)
	}
	defer g.Close()
	s, err := settled(ctx, cmd.Process.Pid, dir)
	if err != nil {
		return dispose(g, cmd, err)
	}
	f.PID, f.PGID, f.StartTime, f.User, f.UID, f.Attempt = s.PID, s.PGID, s.Start, s.User, s.UID, s.Dir
	f.CommandSettled = clip(s.Command)
	object, err := f.Encode()
	if err == nil {
		err = file.Publish(object)
	}
	if err != nil {
		return dispose(g, cmd, fmt.Errorf("--fingerprint: %w", err))
	}
	show(c, object)
	return nil
}

// show prints the fingerprint. It is on disk and the process lives, whoever
// reads this or not.
func show(c *applet.Call, object []byte) {
	out := c.Output()
	_, err := out.Write(object)
	if err == nil {
		err = out.Flush()
	}
	if exit.CodeOf(err) != exit.OK {
		c.Warn("launched, but %v", err)
	}
}

// enter makes the paths absolute, goes to the attempt, and returns that
// directory by the name that the kernel has for it: the one that the process
// will be found in. It also finds what else must be known beforehand.
func enter(p *plan) (dir, host string, err error) {
	for _, path := range []*string{&p.fingerprint, &p.log} {
		if *path, err = filepath.Abs(*path); err != nil {
			return "", "", err
		}
	}
	if err := unix.Chdir(p.attempt); err != nil {
		return "", "", fmt.Errorf("--attempt %s: %w", text.Quote(p.attempt), err)
	}
	if dir, err = unix.Getwd(); err != nil {
		return "", "", fmt.Errorf("--attempt: %w", err)
	}
	if !filepath.IsAbs(dir) || !utf8.ValidString(dir) {
		return "", "", fmt.Errorf("--attempt: %q cannot be written down: it is out of reach or not UTF-8", dir)
	}
	if host, err = os.Hostname(); err != nil {
		return "", "", fmt.Errorf("host: %w", err)
	}
	return dir, host, identity.Ready()
}

// fits makes sure that stop will read what launch writes: f lacks no more than
// a few short fields and the settled command.
func fits(f fingerprint.Fingerprint) error {
	b, err := f.Encode()
	const rest = 6*fingerprint.MaxSettled + 32<<10 // escaped; the others, with a path
	if err == nil && len(b) > fingerprint.MaxSize-rest {
		err = errors.New("the command line is too long for it")
	}
	return err
}

// clip cuts what is only for people.
func clip(s string) string {
	if len(s) <= fingerprint.MaxSettled {
		return s
	}
	const dots = "..."
	cut := fingerprint.MaxSettled - len(dots)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + dots
}

// settled waits for the identity that will be written down.
func settled(ctx context.Context, pid int, dir string) (identity.Sample, error) {
	s, err := settle.Settle(ctx, func(ctx context.Context) (identity.Sample, error) {
		return identity.Observe(ctx, pid)
	})
	switch {
	case err != nil:
		return s, err
	case s.PGID != pid:
		return s, fmt.Errorf("pgid: the process settled in group %d, not in its own, %d", s.PGID, pid)
	case s.Dir != dir:
		return s, fmt.Errorf("attempt: the process settled in %q, not in %q", s.Dir, dir)
	}
	return s, nil
}

// dispose ends the group of a process that is not on record, and says why. It
// is not waited for before that is done, so that its numbers stay its own.
func dispose(g *group.Group, cmd *exec.Cmd, why error) error {
	left, err := g.Dispose()
	if len(left) == 0 && err == nil {
		_ = cmd.Wait()
	}
	r, refused := errors.AsType[*settle.Refusal](why)
	if refused && errors.Is(r.Reason, identity.ErrEnded) && cmd.ProcessState != nil {
		r.Reason = fmt.Errorf("%w: %v", r.Reason, cmd.ProcessState)
	}
	why = fmt.Errorf("not launched: %w", why)
	if failed := survivors(left, err); failed != nil {
		return exit.Errorf(exit.Backend, "%w; %w", why, failed)
	}
	code := exit.Setup
	if errors.Is(why, errSignal) {
		code = exit.Cancelled
	}
	return exit.Errorf(code, "%w; nothing of it is left", why)
}

var errSignal = errors.New("stopped by")

// untilSignal returns a context that ends with the first stop signal; from
// here on none ends this process. One that the caller ignores stays ignored,
// here and in the command: that is how nohup works.
func untilSignal(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	c := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT} {
		if !signal.Ignored(sig) {
			signal.Notify(c, sig)
		}
	}
	go func() {
		sig := (<-c).(unix.Signal)
		cancel(fmt.Errorf("%w %s", errSignal, unix.SignalName(sig)))
	}()
	return ctx
}
