package control

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

// parseAck accepts nothing but the acknowledgement of just this request.
func parseAck(reply gjson.Result, verb Verb, runID string) (Ack, error) {
	accepted, action, id := reply.Get("accepted"), reply.Get("action"), reply.Get("run_id")
	if accepted.Type != gjson.True || action.Type != gjson.String || id.Type != gjson.String {
		return Ack{}, errMalformed
	}
	if action.Str != string(verb) || id.Str != runID {
		return Ack{}, failf(exit.KindUnreachable, "it acknowledged another request: %s of %s", text.Quote(action.Str), text.Quote(id.Str))
	}
	return Ack{true, verb, runID}, nil
}

// parseSnapshot judges the version before anything else, and then every field.
func parseSnapshot(reply gjson.Result, runID string) (Snapshot, error) {
	version := reply.Get("snapshot_version")
	if version.Type != gjson.Number || strings.ContainsAny(version.Raw, ".eE") {
		return Snapshot{}, errMalformed
	}
	foreign := func(direction string) error {
		return failf(exit.KindIncompatible, "its snapshot version %s is %s than those that this build reads, %d to %d",
			text.Clean(version.Raw), direction, oldestSnapshot, SnapshotVersion)
	}
	switch { // by the float: the number can have any size
	case version.Num < oldestSnapshot:
		return Snapshot{}, foreign("older")
	case version.Num > SnapshotVersion:
		return Snapshot{}, foreign("newer")
	}
	d := decoder{object: reply}
	locators := version.Num >= 2 // version 1 has none
	s := Snapshot{
		SnapshotVersion: int(version.Num),
		RunID:           d.text("run_id"),
		Mechanism:       d.text("mechanism"),
		RootPID:         d.number("root_pid"),
		StartedAt:       d.text("started_at"),
		JSONL:           d.optional("jsonl", locators),
		CaptureDir:      d.optional("capture_dir", locators),
		Members:         d.members("members"),
	}
	if d.bad || locators && s.JSONL == nil {
		return Snapshot{}, errMalformed
	}
	if s.RunID != runID {
		return Snapshot{}, failf(exit.KindUnreachable, "it answered for another run, %s", text.Quote(s.RunID))
	}
	return s, nil
}

// decoder reads the fields of an object strictly and notes whether any of them
// is not as it must be.
type decoder struct {
	object gjson.Result
	bad    bool
}

func (d *decoder) get(key string, required bool, types ...gjson.Type) gjson.Result {
	r := d.object.Get(key)
	switch {
	case !r.Exists():
		d.bad = d.bad || required
	case !slices.Contains(types, r.Type):
		d.bad = true
		return gjson.Result{}
	}
	return r
}

func (d *decoder) text(key string) string { return d.get(key, true, gjson.String).Str }

func (d *decoder) optional(key string, required bool) *string {
	r := d.get(key, required, gjson.String, gjson.Null)
	if r.Type != gjson.String {
		return nil
	}
	return &r.Str
}

// number reads a u32, nil for null.
func (d *decoder) number(key string) *uint32 {
	r := d.get(key, true, gjson.Number, gjson.Null)
	if r.Type != gjson.Number {
		return nil
	}
	n, err := strconv.ParseUint(r.Raw, 10, 32)
	if err != nil {
		d.bad = true
		return nil
	}
	u := uint32(n)
	return &u
}

func (d *decoder) members(key string) []event.Member {
	list := d.get(key, true, gjson.JSON)
	members := []event.Member{}
	if !list.IsArray() {
		d.bad = true
		return members
	}
	for _, r := range list.Array() {
		m := decoder{object: r, bad: !r.IsObject()}
		pid := m.number("pid")
		member := event.Member{PPID: m.number("ppid"), Name: m.optional("name", true), StartTime: m.optional("start_time", true)}
		if m.bad || pid == nil {
			d.bad = true
			break
		}
		member.PID = *pid
		members = append(members, member)
	}
	return members
}
