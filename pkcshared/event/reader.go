package event

import (
	"bytes"
	"io"
)

// MaxLine is the longest payload of a line, in bytes, that readers take.
const MaxLine = 1 << 20

// maxEcho is how much a Line shows of a longer one.
const maxEcho = 256

// Line is one line of a stream. Its bytes are valid until the Reader goes on.
type Line struct {
	Number  int    // from 1; blank lines count
	Text    []byte // without its ending, which is "\n" or "\r\n"
	Raw     []byte // as it is in the stream; nil if TooLong
	TooLong bool   // more than MaxLine: Text is only its beginning
}

// Reader splits a stream into lines, in constant memory whatever is in there.
// Blank lines are left out.
type Reader struct {
	src        io.Reader
	buf        []byte
	start, end int   // what of buf is not consumed
	seen       int   // how much of that is known to hold no newline
	number     int   // of the last line
	offset     int64 // of what is consumed, in the stream
	skipping   bool  // inside a line that is too long
}

// NewReader returns a Reader of src, which may grow.
func NewReader(src io.Reader) *Reader {
	return &Reader{src: src, buf: make([]byte, 256<<10)}
}

// Next returns the next complete line. It is io.EOF when the source has no
// more of them; after growth Next can be called again.
func (r *Reader) Next() (Line, error) {
	for {
		if i := bytes.IndexByte(r.buf[r.start+r.seen:r.end], '\n'); i >= 0 {
			raw := r.buf[r.start : r.start+r.seen+i+1]
			r.consume(len(raw))
			if r.skipping {
				r.skipping = false
				continue
			}
			r.number++
			text := bytes.TrimSuffix(raw[:len(raw)-1], []byte("\r"))
			if !blank(text) {
				return r.line(text, raw), nil
			}
			continue
		}
		r.seen = r.end - r.start
		if r.skipping {
			r.consume(r.seen)
		} else if r.seen > MaxLine+1 { // too long even if it ends in "\r\n" right here
			r.skipping = true
			r.number++
			return r.line(r.buf[r.start:r.end], nil), nil
		}
		if err := r.fill(); err != nil {
			return Line{}, err
		}
	}
}

// Tail consumes what follows the last newline, false if that is nothing. It
// is a line only once nobody writes any more.
func (r *Reader) Tail() (Line, bool) {
	rest := r.buf[r.start:r.end]
	r.consume(len(rest))
	if r.skipping || blank(rest) {
		return Line{}, false
	}
	r.number++
	return r.line(rest, rest), true
}

// Reset forgets everything, for a source that starts again.
func (r *Reader) Reset() { *r = Reader{src: r.src, buf: r.buf} }

func (r *Reader) consume(n int) {
	r.start += n
	r.seen = 0
	r.offset += int64(n)
}

func (r *Reader) line(text, raw []byte) Line {
	if len(text) > MaxLine {
		return Line{Number: r.number, Text: text[:maxEcho], TooLong: true}
	}
	return Line{Number: r.number, Text: text, Raw: raw}
}

// fill reads once, behind what is there.
func (r *Reader) fill() error {
	switch {
	case r.start == r.end:
		r.start, r.end = 0, 0
	case r.end < len(r.buf):
	case r.start > 0:
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	default:
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := r.src.Read(r.buf[r.end:])
	r.end += n
	if n > 0 {
		return nil // an error comes again
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// blank reports whether b is nothing but white space of JSON.
func blank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
