package eventscmd

import (
	"fmt"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

// printer is one way to show a stream. Its errors end the command.
type printer interface {
	line(event.Line) error
	end() error // after the last line; flushes
}

func newPrinter(c *applet.Call, out *applet.Output, o *options, schema *event.Schema) printer {
	r := rejects{c: c, out: out}
	switch {
	case o.validate:
		return &verdicts{out: out, schema: schema}
	case o.json:
		return &verbatim{rejects: r}
	}
	return &prose{rejects: r}
}

// rejects reports what is no JSON, in its place among the output.
type rejects struct {
	c      *applet.Call
	out    *applet.Output
	syntax event.Syntax
}

// check reports l, true if it is JSON.
func (r *rejects) check(l event.Line) (bool, error) {
	if l.TooLong {
		return false, r.report(l, tooLong())
	}
	if err := r.syntax.Check(l.Text); err != nil {
		return false, r.report(l, err.Error())
	}
	return true, nil
}

func (r *rejects) report(l event.Line, why string) error {
	if err := r.out.Flush(); err != nil {
		return err
	}
	r.c.Warn("line %d: %s: %s", l.Number, why, text.Clean(string(l.Text)))
	return nil
}

func tooLong() string { return fmt.Sprintf("longer than %d bytes", event.MaxLine) }

// verbatim passes JSON on as it is.
type verbatim struct{ rejects }

func (v *verbatim) line(l event.Line) error {
	ok, err := v.check(l)
	if !ok {
		return err
	}
	_, err = v.out.Write(l.Raw)
	if err == nil && l.Raw[len(l.Raw)-1] != '\n' {
		_, err = v.out.WriteString("\n")
	}
	return err
}

func (v *verbatim) end() error { return v.out.Flush() }

// verdicts holds every line against the schema.
type verdicts struct {
	out              *applet.Output
	schema           *event.Schema
	checked, invalid int
}

func (v *verdicts) line(l event.Line) error {
	v.checked++
	what := ""
	if l.TooLong {
		what = tooLong()
	} else if err := v.schema.Check(l.Text); err != nil {
		what = err.Error()
	}
	if what == "" {
		return nil
	}
	v.invalid++
	_, err := fmt.Fprintf(v.out, "line %d: %s\n", l.Number, what)
	return v.ending(err)
}

func (v *verdicts) end() error {
	fmt.Fprintf(v.out, "checked %d, valid %d, invalid %d\n", v.checked, v.checked-v.invalid, v.invalid)
	if err := v.ending(v.out.Flush()); err != nil || v.invalid == 0 {
		return err
	}
	return exit.Errorf(exit.EventsInvalid, "%d of %d lines do not conform", v.invalid, v.checked)
}

// ending keeps the verdict when the reader goes away: it is in the exit code.
func (v *verdicts) ending(err error) error {
	if err != nil && exit.CodeOf(err) == exit.OK && v.invalid > 0 {
		return exit.Silent(exit.EventsInvalid)
	}
	return err
}
