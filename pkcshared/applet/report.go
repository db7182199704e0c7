package applet

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

// envelope is a failure for machines, one line on stderr.
type envelope struct {
	ErrorVersion int       `json:"error_version"`
	Code         exit.Code `json:"code"`
	Kind         exit.Kind `json:"kind"`
	Operation    string    `json:"operation"`
	RunID        *string   `json:"run_id"`
	Retryable    bool      `json:"retryable"`
	Message      string    `json:"message"`
}

// report prints why the command ended. A silent error has nothing to say.
func (c *Call) report(operation, format string, runID *string, err error) {
	e, ok := errors.AsType[*exit.Error](err)
	if !ok {
		e = exit.Errorf(exit.Internal, "%w", err)
	}
	if e.Err == nil {
		return
	}
	if format != "json" || e.Kind == exit.KindUsage {
		hint := ""
		if e.Kind == exit.KindUsage {
			hint = "; see " + c.words(operation) + " --help"
		}
		fmt.Fprintf(c.messages(), "%s: %s%s\n", c.Prog, oneLine(e.Error()), hint)
		return
	}
	_ = writeJSON(c.messages(), envelope{1, e.Code, e.Kind, operation, runID, e.Kind.Retryable(), e.Error()})
}

// messages is the standard error for our own lines. Its reader may have stopped
// reading, and the wait for it is bounded: a run has deadlines to keep, and
// every command comes to its end.
func (c *Call) messages() io.Writer { return bounded{c.Err} }

type bounded struct{ f *os.File }

func (b bounded) Write(p []byte) (int, error) {
	const most = 2 * time.Second
	line := slices.Clone(p) // the write can outlast this call
	done := make(chan error, 1)
	go func() {
		_, err := b.f.Write(line)
		done <- err
	}()
	select {
	case err := <-done:
		return len(p), err
	case <-time.After(most):
		return 0, os.ErrDeadlineExceeded
	}
}

// runIDOf is the run that the command line names, or nil.
func runIDOf(fs *flag.FlagSet) *string {
	var id *string
	fs.Visit(func(f *flag.Flag) {
		if f.Name == "run-id" {
			v := f.Value.String()
			id = &v
		}
	})
	return id
}

// oneLine keeps a message one line, whatever the paths in it are called.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if text.Unsafe(r) {
			return ' '
		}
		return r
	}, s)
}
