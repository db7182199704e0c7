// Package settle waits until a new process is what it will be.
//
// A command is often a wrapper: it executes another program after a while.
// The process is read again and again; it has settled when equal readings
// span a second.
//
//	reading differs      a new window opens; at most three times
//	reading fails        the window is lost, which is no change; tried again
//	equal for a second   settled
//
// machine is all of the rules and has neither clock nor reader; Settle lends
// it both.
package settle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"processkit-cli/pkc-procctl/internal/identity"
)

const (
	span    = time.Second      // that equal readings must cover
	changes = 3                // that are tolerated
	retry   = 2 * time.Second  // after the last good reading, while reading fails
	bound   = time.Minute      // for everything
	longest = 30 * time.Second // for one reading
	pause   = 50 * time.Millisecond
)

// Settle reads until the process has settled. Any error is a *Refusal.
func Settle(ctx context.Context, read func(context.Context) (identity.Sample, error)) (identity.Sample, error) {
	now := time.Now()
	m := machine{began: now, good: now}
	for {
		from := time.Now()
		limit := m.limit(from)
		if limit <= 0 {
			return m.refuse(from, fmt.Errorf("it did not hold still for %v within %v", span, bound))
		}
		s, err := identity.Within(ctx, limit, read)
		to := time.Now()
		if ctx.Err() != nil {
			return m.refuse(to, context.Cause(ctx))
		}
		if err == nil && to.Sub(from) >= limit {
			err = identity.ErrLate
		}
		settled := false
		switch {
		case errors.Is(err, identity.ErrEnded):
			return m.refuse(to, err)
		case err != nil:
			err = m.failed(to, err)
		default:
			settled, err = m.took(from, to, s)
		}
		if err != nil {
			return m.refuse(to, err)
		}
		if settled {
			return s, nil
		}
		select {
		case <-time.After(min(pause, m.limit(to))):
		case <-ctx.Done():
			return m.refuse(time.Now(), context.Cause(ctx))
		}
	}
}

// machine is what is known so far. Its methods are told the time.
type machine struct {
	began  time.Time
	good   time.Time // end of the last good reading, at first the beginning
	opened time.Time // end of the window's first reading; zero without a window

	seen    []identity.Sample // each that was read, once
	last    identity.Sample
	changed int

	row         int // failures since the last good reading
	failures    int
	interrupted int
	lastErr     error
}

// limit is how long a reading may take that begins now; none may if it is not
// positive.
func (m *machine) limit(now time.Time) time.Duration {
	return min(longest, bound-now.Sub(m.began))
}

// took weighs a reading. The window's span is counted from the end of its
// first reading to the beginning of this one: both ends are certain to be
// inside.
func (m *machine) took(from, to time.Time, s identity.Sample) (settled bool, err error) {
	first := len(m.seen) == 0
	m.good, m.row = to, 0
	if !slices.Contains(m.seen, s) {
		m.seen = append(m.seen, s)
	}
	if !first && s == m.last && !m.opened.IsZero() {
		return from.Sub(m.opened) >= span, nil
	}
	if !first && s != m.last {
		m.changed++
	}
	m.last, m.opened = s, to
	if m.changed > changes {
		return false, fmt.Errorf("it changed %d times", m.changed)
	}
	return false, nil
}

// failed weighs a failed reading. One alone can eat the time for trying again;
// a second is due all the same.
func (m *machine) failed(now time.Time, err error) error {
	m.lastErr = err
	m.failures++
	m.row++
	if !m.opened.IsZero() {
		m.interrupted++
		m.opened = time.Time{}
	}
	if m.row > 1 && now.Sub(m.good) >= retry {
		return errors.New("it could not be read")
	}
	return nil
}

func (m *machine) refuse(now time.Time, reason error) (identity.Sample, error) {
	r := &Refusal{
		Reason: reason, Err: m.lastErr, Elapsed: now.Sub(m.began),
		Identities: len(m.seen), Interrupted: m.interrupted, Failures: m.failures,
	}
	if len(m.seen) > 0 {
		r.Last = &m.last
	}
	return identity.Sample{}, r
}

// Refusal tells why a process did not settle, and all that is known.
type Refusal struct {
	Reason      error
	Last        *identity.Sample // nil: it was never read
	Err         error            // of the last failed reading, or nil
	Elapsed     time.Duration
	Identities  int // different ones
	Interrupted int // windows lost to a failed reading
	Failures    int // readings that failed
}

func (r *Refusal) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v; after %v; identities: %d, interrupted windows: %d, failed readings: %d; last identity: ",
		r.Reason, r.Elapsed.Round(time.Millisecond), r.Identities, r.Interrupted, r.Failures)
	if r.Last == nil {
		b.WriteString("none")
	} else {
		b.WriteString(r.Last.String())
	}
	if r.Err != nil {
		fmt.Fprintf(&b, "; last error of a reading: %v", r.Err)
	}
	return b.String()
}

func (r *Refusal) Unwrap() error { return r.Reason }
