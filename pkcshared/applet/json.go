package applet

import (
	"bytes"
	"encoding/json"
	"io"

	"processkit-cli/pkcshared/text"
)

// JSON appends v as one compact line.
func (o *Output) JSON(v any) error {
	return o.ending(writeJSON(o.w, v))
}

// writeJSON escapes what could steer a terminal: the value stays the same.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(text.EscapeJSON(b.Bytes()))
	return err
}
