package settle

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"processkit-cli/pkc-procctl/internal/identity"
)

// reading is one answer of a scripted reader: what it takes, and what it says.
// A capital letter is an identity, "-" a failure, "." the end of the process.
type reading struct {
	took time.Duration
	says byte
}

// script repeats its last reading for ever.
func script(says string, took ...time.Duration) []reading {
	rs := make([]reading, len(says))
	for i := range says {
		rs[i].says = says[i]
		if i < len(took) {
			rs[i].took = took[i]
		}
	}
	return rs
}

var errReader = errors.New("no answer")

func sample(b byte) identity.Sample {
	return identity.Sample{Process: identity.Process{PID: 7, PGID: 7}, Command: string(b)}
}

func TestSettle(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	const restless = "it did not hold still for 1s within 1m0s"
	tests := []struct {
		name    string
		script  []reading
		settled string        // what, or "" for a refusal
		elapsed time.Duration // until then

		reason                            string
		identities, interrupted, failures int
	}{
		{name: "at once", script: script("A"), settled: "A", elapsed: s},
		{name: "after a change", script: script("AB"), settled: "B", elapsed: 50*ms + s},
		{name: "three changes", script: script("ABCD"), settled: "D", elapsed: 150*ms + s},
		{name: "there and back", script: script("ABAB"), settled: "B", elapsed: 150*ms + s},
		{
			name: "four changes", script: script("ABCDE"), elapsed: 200 * ms,
			reason: "it changed 4 times", identities: 5,
		},
		{
			name: "four changes among two identities", script: script("ABABA"), elapsed: 200 * ms,
			reason: "it changed 4 times", identities: 2,
		},
		{
			name: "changes late in each window", elapsed: 4 * 950 * ms,
			script: script(strings.Repeat("A", 19) + strings.Repeat("B", 19) + strings.Repeat("C", 19) + strings.Repeat("D", 19) + "E"),
			reason: "it changed 4 times", identities: 5,
		},

		// A failure restarts the wait, and is no change.
		{name: "a failure first", script: script("-A"), settled: "A", elapsed: 50*ms + s},
		{name: "a failure in the window", script: script(strings.Repeat("A", 20) + "-A"), settled: "A", elapsed: 21*50*ms + s},
		{name: "a failure between changes", script: script("AB-C-D"), settled: "D", elapsed: 250*ms + s},
		{
			name: "failures hide no change", script: script("A-B-C-D-E"), elapsed: 400 * ms,
			reason: "it changed 4 times", identities: 5, interrupted: 4, failures: 4,
		},
		{
			name: "failures in a row interrupt one window", script: script("A--B--C-----D--E"), elapsed: 750 * ms,
			reason: "it changed 4 times", identities: 5, interrupted: 4, failures: 11,
		},

		// Failures are tried again for two seconds, and twice in any case.
		{
			name: "never read", script: script("-"), elapsed: 2 * s,
			reason: "it could not be read", failures: 41,
		},
		{
			name: "not read any more", script: script("A-"), elapsed: 2 * s,
			reason: "it could not be read", identities: 1, interrupted: 1, failures: 40,
		},
		{name: "read again in time", script: script(strings.Repeat("-", 40) + "A"), settled: "A", elapsed: 3 * s},
		{name: "two seconds begin anew", script: script(strings.Repeat("-", 40) + "A" + strings.Repeat("-", 39) + "A"), settled: "A", elapsed: 5 * s},
		{name: "one failure eats two seconds", script: script("-A", 5*s), settled: "A", elapsed: 5*s + 50*ms + s},
		{
			name: "and the second decides", script: script("--", 5*s), elapsed: 5*s + 50*ms,
			reason: "it could not be read", failures: 2,
		},
		{name: "each good reading grants a second attempt", script: script("A-A-A", 0, 3*s, 0, 3*s), settled: "A", elapsed: 6*s + 200*ms + s},

		// A reading has 30 s, and no more than is left of 60.
		{
			name: "two hang", script: script("-", time.Hour, time.Hour), elapsed: 60 * s,
			reason: "it could not be read", failures: 2,
		},
		{
			name: "equal over a second, but late", script: script("AAA", 28*s, 29*s, time.Hour), elapsed: 60 * s,
			reason: restless, identities: 1, interrupted: 1, failures: 1,
		},
		{
			name: "never still", script: script(strings.Repeat("A-", 2000)), elapsed: 60 * s,
			reason: restless, identities: 1, interrupted: 600, failures: 600,
		},
		{name: "one hangs", script: script("-A", time.Hour), settled: "A", elapsed: 30*s + 50*ms + s},
		{name: "as long as it may is too long", script: script("AA", 30*s), settled: "A", elapsed: 30*s + 50*ms + s},
		{name: "a little less is not", script: script("AA", 30*s-1), settled: "A", elapsed: 31*s - 1},

		{name: "ended at once", script: script("."), elapsed: 0, reason: identity.ErrEnded.Error()},
		{name: "ended in the window", script: script("AA."), elapsed: 100 * ms, reason: identity.ErrEnded.Error(), identities: 1},
		{name: "ended on the edge", script: script(strings.Repeat("A", 20) + "."), elapsed: s, reason: identity.ErrEnded.Error(), identities: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var n atomic.Int32
				got, err := Settle(t.Context(), func(context.Context) (identity.Sample, error) {
					r := tt.script[min(int(n.Add(1)), len(tt.script))-1]
					time.Sleep(r.took)
					switch r.says {
					case '-':
						return identity.Sample{}, errReader
					case '.':
						return identity.Sample{}, identity.ErrEnded
					}
					return sample(r.says), nil
				})
				if elapsed := time.Since(began); elapsed != tt.elapsed {
					t.Errorf("Settle took %v, want %v", elapsed, tt.elapsed)
				}
				time.Sleep(2 * time.Hour) // the readers that were left behind
				if tt.settled != "" {
					if err != nil || got != sample(tt.settled[0]) {
						t.Errorf("Settle = %v, %v, want %s", got, err, tt.settled)
					}
					return
				}
				r, ok := errors.AsType[*Refusal](err)
				if !ok {
					t.Fatalf("Settle = %v, %v, want a refusal", got, err)
				}
				if r.Reason.Error() != tt.reason || r.Elapsed != tt.elapsed ||
					r.Identities != tt.identities || r.Interrupted != tt.interrupted || r.Failures != tt.failures {
					t.Errorf("Settle = %v, want %q after %v, %d identities, %d interrupted, %d failures",
						r, tt.reason, tt.elapsed, tt.identities, tt.interrupted, tt.failures)
				}
				if (r.Last != nil) != (tt.identities > 0) || (r.Err != nil) != (tt.failures > 0) {
					t.Errorf("Settle = %v, lacks its last identity or its last error", r)
				}
			})
		})
	}
}

// TestSpan: the span lies between the end of the first reading and the
// beginning of the last, whatever these two take.
func TestSpan(t *testing.T) {
	at := func(d time.Duration) time.Time { return time.Unix(1000, 0).Add(d) }
	for _, tt := range []struct {
		from, to time.Duration
		want     bool
	}{
		{1 * time.Second, 2 * time.Second, false},
		{1500*time.Millisecond - 1, 9 * time.Second, false},
		{1500 * time.Millisecond, 1500 * time.Millisecond, true},
	} {
		m := machine{began: at(0)}
		if settled, err := m.took(at(0), at(500*time.Millisecond), sample('A')); settled || err != nil {
			t.Fatalf("first reading: %v, %v", settled, err)
		}
		if got, err := m.took(at(tt.from), at(tt.to), sample('A')); got != tt.want || err != nil {
			t.Errorf("took from %v to %v = %v, %v, want %v", tt.from, tt.to, got, err, tt.want)
		}
	}
}

// TestCancel: a stop signal ends the wait, also that for a reader.
func TestCancel(t *testing.T) {
	stop := errors.New("stopped")
	for _, took := range []time.Duration{0, 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(500*time.Millisecond+1, func() { cancel(stop) })
			began := time.Now()
			_, err := Settle(ctx, func(context.Context) (identity.Sample, error) {
				time.Sleep(took)
				return sample('A'), nil
			})
			if elapsed := time.Since(began); !errors.Is(err, stop) || elapsed != 500*time.Millisecond+1 {
				t.Errorf("Settle = %v after %v, want %v", err, elapsed, stop)
			}
			time.Sleep(time.Minute)
		})
	}
}

// TestReader: every reader is told how long it may take.
func TestReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := make(chan time.Duration, 10)
		_, _ = Settle(t.Context(), func(ctx context.Context) (identity.Sample, error) {
			end, _ := ctx.Deadline()
			limits <- time.Until(end)
			<-ctx.Done()
			return identity.Sample{}, ctx.Err()
		})
		if first, second := <-limits, <-limits; first != longest || second != bound-longest-pause || len(limits) > 0 {
			t.Errorf("limits = %v, %v and %d more, want 30s and what is left", first, second, len(limits))
		}
	})
}

func TestRefusal(t *testing.T) {
	last := sample('A')
	r := &Refusal{
		Reason: errors.New("it changed 4 times"), Last: &last, Err: errReader, Elapsed: 3200 * time.Millisecond,
		Identities: 5, Interrupted: 1, Failures: 2,
	}
	const want = `it changed 4 times; after 3.2s; identities: 5, interrupted windows: 1, failed readings: 2; ` +
		`last identity: pid 7, group 7, start 0s, user  (0), directory "", command "A"; last error of a reading: no answer`
	if got := r.Error(); got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}
