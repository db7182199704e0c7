package control

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/tidwall/gjson"

	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/registry"
	"processkit-cli/pkcshared/text"
)

// failure is a reason why a runner gave no usable answer, with its kind.
type failure struct {
	kind exit.Kind
	err  error
}

func (f *failure) Error() string { return f.err.Error() }

func unreachable(format string, args ...any) error {
	return &failure{exit.KindUnreachable, fmt.Errorf(format, args...)}
}

// timely tells a deadline from any other failure of an exchange.
func timely(err error, format string, args ...any) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &failure{exit.KindIPCDeadline, fmt.Errorf(format+": no answer within %v", append(args, patience)...)}
	}
	return unreachable(format+": %w", append(args, err)...)
}

// connect opens the endpoint that a record names. Its shape is checked first:
// a record is only a file, and must not send us anywhere else.
func connect(f registry.Found) (*os.File, error) {
	if f.Endpoint == nil {
		return nil, unreachable("it is live but publishes no control endpoint")
	}
	if _, ok := registry.SocketDir(*f.Endpoint); !ok {
		return nil, unreachable("its record names something that is no control endpoint")
	}
	conn, err := dial(*f.Endpoint, time.Now().Add(patience))
	if err != nil {
		return nil, timely(err, "cannot connect to its control endpoint")
	}
	return conn, nil
}

// exchange sends one verb and reads one line.
func exchange(conn *os.File, verb Verb) (gjson.Result, error) {
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return gjson.Result{}, timely(err, "cannot talk to its control endpoint")
	}
	if _, err := io.WriteString(conn, string(verb)+"\n"); err != nil {
		return gjson.Result{}, timely(err, "cannot send the request")
	}
	line, err := readLine(conn)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return gjson.Result{}, unreachable("it closed the connection without an answer: its ending may have been decided")
	case err != nil:
		return gjson.Result{}, timely(err, "cannot read the answer")
	}
	reply := gjson.ParseBytes(line)
	if !gjson.ValidBytes(line) || !reply.IsObject() {
		return gjson.Result{}, errMalformed
	}
	if e := reply.Get("error"); e.Type == gjson.String {
		return gjson.Result{}, unreachable("it answered: %s", peerText(e.Str))
	}
	return reply, nil
}

var errMalformed = unreachable("its answer is malformed")

// peerText keeps what another process says to one harmless line.
func peerText(s string) string { return text.Clean(s) }

// parseAck accepts nothing but the acknowledgement of just this request.
func parseAck(reply gjson.Result, verb Verb, runID string) (Ack, error) {
	accepted, action, id := reply.Get("accepted"), reply.Get("action"), reply.Get("run_id")
	if accepted.Type != gjson.True || action.Type != gjson.String || id.Type != gjson.String {
		return Ack{}, errMalformed
	}
	if action.Str != string(verb) || id.Str != runID {
		return Ack{}, unreachable("it acknowledged another request: %s of %s", text.Quote(action.Str), text.Quote(id.Str))
	}
	return Ack{true, verb, runID}, nil
}

// parseSnapshot judges the version before anything else, and then every field.
func parseSnapshot(reply gjson.Result, runID string) (Snapshot, error) {
	v := reply.Get("snapshot_version")
	if v.Type != gjson.Number || v.Num != math.Trunc(v.Num) {
		return Snapshot{}, errMalformed
	}
	switch {
	case v.Num > SnapshotVersion:
		return Snapshot{}, &failure{exit.KindIncompatible, fmt.Errorf("its snapshot version %s is newer than the %d to %d that this build reads", v.Raw, oldestSnapshot, SnapshotVersion)}
	case v.Num < oldestSnapshot:
		return Snapshot{}, &failure{exit.KindIncompatible, fmt.Errorf("its snapshot version %s is older than the %d to %d that this build reads", v.Raw, oldestSnapshot, SnapshotVersion)}
	}
	d := decoder{reply: reply}
	s := Snapshot{
		SnapshotVersion: int(v.Num),
		RunID:           d.text("run_id"),
		Mechanism:       d.text("mechanism"),
		RootPID:         d.number("root_pid"),
		StartedAt:       d.text("started_at"),
		JSONL:           d.optional("jsonl", v.Num >= 2),
		CaptureDir:      d.optional("capture_dir", v.Num >= 2),
		Members:         d.members("members"),
	}
	if d.bad || v.Num >= 2 && s.JSONL == nil {
		return Snapshot{}, errMalformed
	}
	if s.RunID != runID {
		return Snapshot{}, unreachable("it answered for another run, %s", text.Quote(s.RunID))
	}
	return s, nil
}

// decoder reads fields strictly and notes the first that is not as it must be.
type decoder struct {
	reply gjson.Result
	bad   bool
}

func (d *decoder) get(key string, required bool, types ...gjson.Type) gjson.Result {
	r := d.reply.Get(key)
	if !r.Exists() {
		d.bad = d.bad || required
		return r
	}
	for _, t := range types {
		if r.Type == t {
			return r
		}
	}
	d.bad = true
	return gjson.Result{}
}

func (d *decoder) text(key string) string { return d.get(key, true, gjson.String).Str }

func (d *decoder) optional(key string, required bool) *string {
	r := d.get(key, required, gjson.String, gjson.Null)
	if r.Type != gjson.String {
		return nil
	}
	return &r.Str
}

func (d *decoder) number(key string) *uint32 {
	r := d.get(key, true, gjson.Number, gjson.Null)
	if r.Type != gjson.Number {
		return nil
	}
	if r.Num < 0 || r.Num > math.MaxUint32 || r.Num != math.Trunc(r.Num) {
		d.bad = true
		return nil
	}
	n := uint32(r.Num)
	return &n
}

func (d *decoder) members(key string) []event.Member {
	list := d.get(key, true, gjson.JSON)
	if !list.IsArray() {
		d.bad = true
		return nil
	}
	members := []event.Member{}
	for _, r := range list.Array() {
		m := decoder{reply: r}
		pid := m.number("pid")
		member := event.Member{PPID: m.number("ppid"), Name: m.optional("name", true), StartTime: m.optional("start_time", true)}
		if m.bad || pid == nil {
			d.bad = true
			return nil
		}
		member.PID = *pid
		members = append(members, member)
	}
	return members
}
