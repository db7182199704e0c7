package event

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/tidwall/gjson"
)

const (
	outcomeWindow   = 64 << 10 // of head and tail, in bytes
	outcomePatience = 500 * time.Millisecond
	outcomePause    = 10 * time.Millisecond
)

// Outcome is how a run ended, as its stream tells, in the shape in which it
// is reported.
type Outcome struct {
	RunID     string  `json:"run_id"`
	Status    string  `json:"status"`
	Code      *int32  `json:"code"`
	Source    *string `json:"source"`
	ChildCode *int32  `json:"child_code"`
}

// The values of Outcome.Status. Unknown has no code and no source.
const (
	StatusReported = "reported"
	StatusUnknown  = "unknown"
)

// ReadOutcome reads the ending of run runID from its stream; path is the
// locator of the run's record, empty if it has none. The last line comes a
// moment after the record is gone, so it waits a little for it. Whatever
// stands in the way, the outcome is then unknown.
func ReadOutcome(ctx context.Context, path, runID string) Outcome {
	unknown := Outcome{RunID: runID, Status: StatusUnknown}
	if !filepath.IsAbs(path) {
		return unknown
	}
	f, err := Open(path)
	if err != nil {
		return unknown
	}
	defer f.Close()
	if !belongs(f, runID) {
		return unknown
	}
	ctx, cancel := context.WithTimeout(ctx, outcomePatience)
	defer cancel()
	for {
		if o, ok := lastExit(f); ok {
			o.RunID = runID
			return o
		}
		if sleep(ctx, outcomePause) != nil {
			return unknown
		}
	}
}

// belongs reports whether f tells of run runID: a line that begins in the
// first window, however long it is, says that this run started.
func belongs(f *os.File, runID string) bool {
	r := NewReader(io.NewSectionReader(f, 0, outcomeWindow+MaxLine+2))
	for r.offset < outcomeWindow {
		l, err := r.Next()
		if err != nil {
			return false
		}
		if l.TooLong || !gjson.ValidBytes(l.Text) {
			continue
		}
		e := gjson.ParseBytes(l.Text)
		if id := e.Get("run_id"); isEvent(e, "run_started") && id.Type == gjson.String && id.Str == runID {
			return true
		}
	}
	return false
}

// lastExit returns the last well-formed runner_exit in the last window of f.
func lastExit(f *os.File) (Outcome, bool) {
	info, err := f.Stat()
	if err != nil {
		return Outcome{}, false
	}
	// One byte more tells whether the window starts with a line.
	start := max(info.Size()-outcomeWindow-1, 0)
	b := make([]byte, info.Size()-start)
	n, err := f.ReadAt(b, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return Outcome{}, false
	}
	b = b[:n]
	if start > 0 {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	b = b[:bytes.LastIndexByte(b, '\n')+1] // no newline yet: still being written
	for len(b) > 0 {
		i := bytes.LastIndexByte(b[:len(b)-1], '\n') + 1
		if o, ok := runnerExit(b[i:]); ok {
			return o, true
		}
		b = b[:i]
	}
	return Outcome{}, false
}

// runnerExit reads a terminal line. Sources may be added to version 1.
func runnerExit(line []byte) (o Outcome, ok bool) {
	if !gjson.ValidBytes(line) {
		return o, false
	}
	e := gjson.ParseBytes(line)
	source, child := e.Get("source"), e.Get("child_code")
	code, ok := int32Of(e.Get("code"))
	if !ok || !isEvent(e, "runner_exit") || source.Type != gjson.String || source.Str == "" {
		return o, false
	}
	o = Outcome{Status: StatusReported, Code: &code, Source: &source.Str}
	if child.Raw == "null" {
		return o, true
	}
	c, ok := int32Of(child)
	o.ChildCode = &c
	return o, ok
}

// isEvent reports whether e opens as an event of this name and version.
func isEvent(e gjson.Result, name string) bool {
	version, at := e.Get("schema_version"), e.Get("time")
	return e.IsObject() && version.Type == gjson.Number && version.Num == SchemaVersion &&
		at.Type == gjson.String && e.Get("event").Str == name
}

func int32Of(v gjson.Result) (int32, bool) {
	if v.Type != gjson.Number || v.Num != math.Trunc(v.Num) || v.Num < math.MinInt32 || v.Num > math.MaxInt32 {
		return 0, false
	}
	return int32(v.Num), true
}
