//go:build unix

package procctlcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"processkit-cli/pkc-procctl/internal/fingerprint"
	"processkit-cli/pkc-procctl/internal/group"
	"processkit-cli/pkc-procctl/internal/identity"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/proc"
	"processkit-cli/pkcshared/text"
)

// readLimit bounds the one reading of a stop.
const readLimit = 30 * time.Second

// stop refuses, without a signal, unless everything that can be known says
// that the process is the one.
func stop(ctx context.Context, path string, timeout text.Millis) error {
	f, err := load(path)
	if err != nil {
		return err
	}
	if err := here(f); err != nil {
		return err
	}
	g, err := group.Open(f.PID)
	if err != nil {
		return refused(f, err)
	}
	defer g.Close()
	p, err := identity.Within(ctx, readLimit, func(ctx context.Context) (identity.Process, error) {
		return identity.Read(ctx, f.PID)
	})
	if err != nil {
		return refused(f, err)
	}
	if err := f.Differs(p); err != nil {
		return mismatch(err)
	}
	if err := g.Led(); err != nil {
		return refused(f, err)
	}
	if err := g.Terminate(); err != nil {
		return refused(f, err)
	}
	left, err := g.End(timeout.Duration())
	return survivors(left, err)
}

func load(path string) (fingerprint.Fingerprint, error) {
	b, err := fingerprint.Load(path)
	if err != nil {
		kind := exit.KindIncompatible
		if errors.Is(err, os.ErrNotExist) {
			kind = exit.KindNotFound
			err = fmt.Errorf("%w (stop takes a fingerprint file, never a name, a pattern or a pid)", err)
		}
		return fingerprint.Fingerprint{}, refusal(kind, fmt.Errorf("%s: %w", text.Quote(path), err))
	}
	f, err := fingerprint.Parse(b)
	if err != nil {
		return f, refusal(exit.KindIncompatible, fmt.Errorf("%s: %w", text.Quote(path), err))
	}
	return f, nil
}

// here checks that the fingerprint is of this host and this boot. The number
// of another one means nothing here, so no process is looked at before.
func here(f fingerprint.Fingerprint) error {
	host, err := os.Hostname()
	if err != nil {
		return refusal(exit.KindUnprobed, fmt.Errorf("host: %w", err))
	}
	if f.Host != host {
		return mismatch(fingerprint.Mismatch("host", f.Host, host))
	}
	if k := f.StartTime.Kind; k != identity.StartKind {
		return mismatch(fingerprint.Mismatch("start_time.kind", string(k), string(identity.StartKind)))
	}
	if err := identity.Ready(); err != nil {
		return refusal(exit.KindUnprobed, err)
	}
	boot, err := identity.Boot()
	if err != nil {
		return refusal(exit.KindUnprobed, err)
	}
	if f.StartTime.BootID != boot {
		return mismatch(fingerprint.Mismatch("start_time.boot_id", f.StartTime.BootID, boot))
	}
	return nil
}

// refusal ends a stop that has sent nothing.
func refusal(k exit.Kind, err error) error {
	return exit.As(exit.Control, k, "%w; nothing was signalled", err)
}

func mismatch(err error) error { return refusal(exit.KindStale, err) }

// refused is for a process that could not be read or held, or is not there.
func refused(f fingerprint.Fingerprint, err error) error {
	if !errors.Is(err, identity.ErrEnded) && !errors.Is(err, group.ErrEnded) {
		return refusal(exit.KindUnprobed, fmt.Errorf("process %d: %w", f.PID, err))
	}
	err = fmt.Errorf("pid: the fingerprint has %d, the system has no such process", f.PID)
	if left, lerr := group.Members(f.PGID); lerr == nil && len(left) > 0 {
		err = fmt.Errorf("%w; members of group %d are still there: %s", err, f.PGID, names(left))
	}
	return mismatch(err)
}

// survivors is the outcome of what got SIGKILL.
func survivors(left []proc.Info, err error) error {
	switch {
	case len(left) > 0 && err != nil:
		return exit.Errorf(exit.Backend, "still there after SIGKILL: %s: %w", names(left), err)
	case len(left) > 0:
		return exit.Errorf(exit.Backend, "still there after SIGKILL: %s", names(left))
	case err != nil:
		return exit.Errorf(exit.Backend, "some may be still there: %w", err)
	}
	return nil
}

func names(ps []proc.Info) string {
	const most = 20
	var all []string
	for i, p := range ps {
		if i == most {
			all = append(all, fmt.Sprintf("and %d more", len(ps)-most))
			break
		}
		all = append(all, fmt.Sprintf("%d (%s)", p.PID, text.Clean(p.Name)))
	}
	return strings.Join(all, ", ")
}
