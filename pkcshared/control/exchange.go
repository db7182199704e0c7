package control

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/registry"
	"processkit-cli/pkcshared/text"
)

// failure is a reason why there is no usable answer, with its kind.
type failure struct {
	kind exit.Kind
	err  error
}

func (f *failure) Error() string { return f.err.Error() }

func failf(k exit.Kind, format string, args ...any) error {
	return &failure{k, fmt.Errorf(format, args...)}
}

// broken tells what kept an exchange from its end: a deadline has a kind of
// its own, a peer that left or hangs up a text of its own.
func broken(what string, err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return failf(exit.KindIPCDeadline, "%s: no answer within %v", what, patience)
	case absent(err):
		return failf(exit.KindUnreachable, "its control endpoint is gone: its ending may have been decided")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), hungUp(err):
		return failf(exit.KindUnreachable, "it closed the connection without an answer: its ending may have been decided")
	}
	return failf(exit.KindUnreachable, "%s: %w", what, err)
}

// connect opens the endpoint that a record names. Its shape is checked first:
// a record is only a file, and must not send us anywhere else.
func connect(f registry.Found) (*os.File, error) {
	if f.Endpoint == nil {
		return nil, failf(exit.KindUnreachable, "it is live but publishes no control endpoint")
	}
	if !wellFormed(*f.Endpoint) {
		return nil, failf(exit.KindUnreachable, "its record names something that is no control endpoint")
	}
	conn, err := dial(*f.Endpoint, time.Now().Add(patience))
	if err != nil {
		return nil, broken("cannot connect to its control endpoint", err)
	}
	return conn, nil
}

// exchange sends one verb and reads one line, a JSON object that is no refusal.
func exchange(conn *os.File, verb Verb) (gjson.Result, error) {
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return gjson.Result{}, broken("cannot talk to its control endpoint", err)
	}
	if _, err := io.WriteString(conn, string(verb)+"\n"); err != nil {
		return gjson.Result{}, broken("cannot send the request", err)
	}
	line, err := readLine(conn)
	if err != nil {
		return gjson.Result{}, broken("cannot read the answer", err)
	}
	reply := gjson.ParseBytes(line)
	if !utf8.Valid(line) || !gjson.ValidBytes(line) || !reply.IsObject() {
		return gjson.Result{}, errMalformed
	}
	if e := reply.Get("error"); e.Type == gjson.String {
		return gjson.Result{}, failf(exit.KindUnreachable, "it answered: %s", peerText(e.Str))
	}
	return reply, nil
}

var errMalformed error = &failure{exit.KindUnreachable, errors.New("its answer is malformed")}

// peerText keeps what another process says to one harmless line of at most
// 500 characters.
func peerText(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > 500 {
			b.WriteString("...")
			break
		}
		if text.Unsafe(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}
