package applet

import "encoding/json"

// JSON appends v as one compact line.
func (o *Output) JSON(v any) error {
	enc := json.NewEncoder(o.w)
	enc.SetEscapeHTML(false)
	return o.ending(enc.Encode(v))
}
