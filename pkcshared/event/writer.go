package event

import (
	"io"
	"time"

	"processkit-cli/pkcshared/text"
)

// Writer appends events to a stream, one write per line. After the first
// failed write it stays silent: a run never suffers from its own record.
type Writer struct {
	out    io.Writer
	failed func(error)
	line   []byte
	broken bool
}

// NewWriter returns a Writer to out. The first write error goes to failed,
// and nothing is written after it. A Writer belongs to one goroutine.
func NewWriter(out io.Writer, failed func(error)) *Writer {
	return &Writer{out: out, failed: failed}
}

// Write stamps e and appends it.
func (w *Writer) Write(e Event) {
	if w.broken {
		return
	}
	*e.envelope() = Envelope{SchemaVersion, Timestamp(time.Now()), e.kind()}
	w.line = append(text.AppendJSON(w.line[:0], e), '\n')
	if _, err := w.out.Write(w.line); err != nil {
		w.broken = true
		w.failed(err)
	}
}
