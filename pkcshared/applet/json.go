package applet

import (
	"io"

	"processkit-cli/pkcshared/text"
)

// JSON appends v as one compact line.
func (o *Output) JSON(v any) error {
	return o.ending(writeJSON(o.w, v))
}

// writeJSON escapes what could steer a terminal: the value stays the same.
func writeJSON(w io.Writer, v any) error {
	line := append(text.AppendJSON(nil, v), '\n')
	_, err := w.Write(text.EscapeJSON(line))
	return err
}
