package event

import (
	"bytes"
	"encoding/json"
	"io"
	"time"
)

// Writer appends events to a stream, one write per line. After the first
// failed write it stays silent: a run never suffers from its own record.
type Writer struct {
	out    io.Writer
	failed func(error)
	buf    bytes.Buffer
	enc    *json.Encoder
	broken bool
}

// NewWriter returns a Writer to out. The first write error goes to failed,
// and nothing is written after it. A Writer belongs to one goroutine.
func NewWriter(out io.Writer, failed func(error)) *Writer {
	w := &Writer{out: out, failed: failed}
	w.enc = json.NewEncoder(&w.buf)
	w.enc.SetEscapeHTML(false)
	return w
}

// Write stamps e and appends it.
func (w *Writer) Write(e Event) {
	if w.broken {
		return
	}
	*e.envelope() = Envelope{SchemaVersion, Timestamp(time.Now()), e.kind()}
	w.buf.Reset()
	err := w.enc.Encode(e)
	if err == nil {
		_, err = w.out.Write(w.buf.Bytes())
	}
	if err != nil {
		w.broken = true
		w.failed(err)
	}
}
