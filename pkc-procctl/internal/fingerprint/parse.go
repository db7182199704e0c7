package fingerprint

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"processkit-cli/pkc-procctl/internal/identity"
	"processkit-cli/pkcshared/text"
)

// Parse reads a file strictly: every key, each once, each of its type. Keys
// that it does not know are left alone. Its errors name the key.
func Parse(b []byte) (Fingerprint, error) {
	if !utf8.Valid(b) || !gjson.ValidBytes(b) {
		return Fingerprint{}, errors.New("it is not JSON")
	}
	o, err := open("", gjson.ParseBytes(b))
	if err != nil {
		return Fingerprint{}, err
	}
	// The version comes first: of another one, nothing else is known.
	version := o.integer("fingerprint_version", math.MinInt64, math.MaxInt64)
	if o.err != nil {
		return Fingerprint{}, o.err
	}
	if version != Version {
		return Fingerprint{}, fmt.Errorf("fingerprint_version: the fingerprint has %d, this build reads %d", version, Version)
	}
	f := Fingerprint{
		Version:          Version,
		Host:             o.str("host"),
		User:             o.str("user"),
		UID:              int(o.integer("uid", 0, math.MaxUint32)),
		PID:              int(o.integer("pid", 2, math.MaxInt32)), // kill(2) has other meanings for less
		PGID:             int(o.integer("pgid", 2, math.MaxInt32)),
		StartTime:        o.start("start_time"),
		Attempt:          o.str("attempt"),
		CommandRequested: o.strs("command_requested"),
		CommandSettled:   o.str("command_settled"),
		LaunchedAt:       o.str("launched_at"),
	}
	if o.err != nil {
		return Fingerprint{}, o.err
	}
	if _, err := time.Parse(time.RFC3339, f.LaunchedAt); err != nil {
		return Fingerprint{}, fmt.Errorf("launched_at: %s is not a timestamp", text.Quote(f.LaunchedAt))
	}
	if f.PGID != f.PID {
		return Fingerprint{}, fmt.Errorf("pgid: the fingerprint has %d, and %d for pid: the process must lead its group", f.PGID, f.PID)
	}
	return f, nil
}

// object gives its members, and remembers the first that was not as it must be.
type object struct {
	prefix  string
	members map[string]gjson.Result
	err     error
}

func open(name string, r gjson.Result) (*object, error) {
	if !r.IsObject() {
		return nil, fmt.Errorf("%s is not an object", orWhole(name))
	}
	o := &object{members: map[string]gjson.Result{}}
	if name != "" {
		o.prefix = name + "."
	}
	var twice string
	r.ForEach(func(k, v gjson.Result) bool {
		if _, ok := o.members[k.Str]; ok {
			twice = k.Str
			return false
		}
		o.members[k.Str] = v
		return true
	})
	if twice != "" {
		return nil, fmt.Errorf("%s%s is there twice", o.prefix, text.Clean(twice))
	}
	return o, nil
}

func orWhole(name string) string {
	if name == "" {
		return "it"
	}
	return name
}

func (o *object) get(key, want string, fits func(gjson.Result) bool) gjson.Result {
	v, ok := o.members[key]
	switch {
	case o.err != nil:
	case !ok:
		o.err = fmt.Errorf("%s%s is missing", o.prefix, key)
	case !fits(v):
		o.err = fmt.Errorf("%s%s: %s is not %s", o.prefix, key, text.Clean(v.Raw), want)
	default:
		return v
	}
	return gjson.Result{}
}

func isString(v gjson.Result) bool { return v.Type == gjson.String }

func (o *object) str(key string) string { return o.get(key, "a string", isString).Str }

func (o *object) strs(key string) []string {
	var all []string
	o.get(key, "an array of strings", func(v gjson.Result) bool {
		if !v.IsArray() {
			return false
		}
		ok := true
		v.ForEach(func(_, e gjson.Result) bool {
			all, ok = append(all, e.Str), ok && isString(e)
			return ok
		})
		return ok
	})
	return all
}

// integer takes plain digits only: 1e3 and 1.0 are numbers, but doubtful ones.
func (o *object) integer(key string, least, most int64) int64 {
	var n int64
	o.get(key, fmt.Sprintf("an integer from %d to %d", least, most), func(v gjson.Result) bool {
		var err error
		n, err = strconv.ParseInt(v.Raw, 10, 64)
		return v.Type == gjson.Number && err == nil && n >= least && n <= most
	})
	return n
}

func (o *object) start(key string) identity.Start {
	r := o.get(key, "an object", gjson.Result.IsObject)
	if o.err != nil {
		return identity.Start{}
	}
	in, err := open(key, r)
	if err != nil {
		o.err = err
		return identity.Start{}
	}
	s := identity.Start{Kind: identity.Kind(in.str("kind"))}
	switch s.Kind {
	case identity.LinuxTicks:
		s.Ticks, s.BootID = in.digits("ticks"), in.str("boot_id")
	case identity.DarwinTimeval:
		s.Sec, s.Usec = in.integer("sec", 0, math.MaxInt64), in.integer("usec", 0, 999999)
	case identity.PSSeconds:
		s.Sec = in.integer("value", 0, math.MaxInt64)
	default:
		if in.err == nil {
			in.err = fmt.Errorf("start_time.kind: %s is unknown", text.Quote(string(s.Kind)))
		}
	}
	o.err = in.err
	return s
}

// digits is a number as the kernel prints it, in a string.
func (o *object) digits(key string) string {
	return o.get(key, "a string of digits", func(v gjson.Result) bool {
		n, err := strconv.ParseUint(v.Str, 10, 64)
		return isString(v) && err == nil && strconv.FormatUint(n, 10) == v.Str
	}).Str
}
