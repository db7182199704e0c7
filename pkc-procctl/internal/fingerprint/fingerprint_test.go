package fingerprint

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"processkit-cli/pkc-procctl/internal/identity"
)

const whole = `{"fingerprint_version":1,"host":"h","user":"u","uid":10,"pid":20,"pgid":20,` +
	`"start_time":{"kind":"linux_ticks","ticks":"30","boot_id":"b"},"attempt":"/a","command_requested":["c","<d>"],` +
	`"command_settled":"e","launched_at":"2026-01-02T03:04:05.678Z"}`

func example(s identity.Start) Fingerprint {
	return Fingerprint{
		Version: 1, Host: "h", User: "u", UID: 10, PID: 20, PGID: 20, StartTime: s, Attempt: "/a",
		CommandRequested: []string{"c", "<d>"}, CommandSettled: "e", LaunchedAt: "2026-01-02T03:04:05.678Z",
	}
}

func TestRoundTrip(t *testing.T) {
	for _, tt := range []struct {
		start identity.Start
		want  string
	}{
		{identity.Start{Kind: identity.LinuxTicks, Ticks: "30", BootID: "b"}, `{"kind":"linux_ticks","ticks":"30","boot_id":"b"}`},
		{identity.Start{Kind: identity.DarwinTimeval, Sec: 40, Usec: 0}, `{"kind":"darwin_timeval","sec":40,"usec":0}`},
		{identity.Start{Kind: identity.PSSeconds, Sec: 50}, `{"kind":"ps_seconds","value":50}`},
	} {
		f := example(tt.start)
		b, err := f.Encode()
		want := strings.Replace(whole, `{"kind":"linux_ticks","ticks":"30","boot_id":"b"}`, tt.want, 1) + "\n"
		if err != nil || string(b) != want {
			t.Errorf("Encode(%v) = %s, %v, want %s", f, b, err, want)
		}
		got, err := Parse(b)
		if err != nil || !reflect.DeepEqual(got, f) {
			t.Errorf("Parse(%s) = %+v, %v, want %+v", b, got, err, f)
		}
	}
}

func TestParse(t *testing.T) {
	const start = `{"kind":"linux_ticks","ticks":"30","boot_id":"b"}`
	tests := []struct{ from, to, err string }{
		{`"host":"h"`, `"host":"h","more":[1]`, ""},
		{`"host":"h"`, "\n\t\"ho\\u0073t\" : \"h\"", ""},
		{`"boot_id":"b"`, `"boot_id":"b","more":null`, ""},
		{`["c","<d>"]`, `[]`, ""},

		{whole, ``, "it is not JSON"},
		{whole, `{}`, "fingerprint_version is missing"},
		{whole, `null`, "it is not an object"},
		{whole, `[]`, "it is not an object"},
		{`"b"}`, "\"\xff\"}", "it is not JSON"},
		{`"host":"h"`, `"Host":"h"`, "host is missing"},
		{`"host":"h"`, `"host":null`, "host: null is not a string"},
		{`"host":"h"`, `"host":1`, "host: 1 is not a string"},
		{`"host":"h"`, `"host":"h","host":"h"`, "host is there twice"},
		{`"host":"h"`, `"host":"h","h\u006fst":"i"`, "host is there twice"},
		{`_version":1`, `_version":"1"`, `fingerprint_version: "1" is not an integer`},
		{`_version":1`, `_version":1.0`, "fingerprint_version: 1.0 is not an integer"},
		{`_version":1`, `_version":0`, "fingerprint_version: the fingerprint has 0, this build reads 1"},
		{`"user":"u"`, `"user":["u"]`, "user: "},
		{`"uid":10`, `"uid":-1`, "uid: -1 is not an integer from 0"},
		{`"uid":10`, `"uid":1e1`, "uid: 1e1 is not"},
		{`"uid":10`, `"uid":4294967296`, "uid: "},
		{`"pid":20`, `"pid":"20"`, "pid: "},
		{`"pid":20`, `"pid":1`, "pid: 1 is not an integer from 2"},
		{`"pid":20`, `"pid":0`, "pid: 0 is not an integer from 2"},
		{`"pid":20`, `"pid":-20`, "pid: -20 is not an integer from 2"},
		{`"pid":20`, `"pid":2147483648`, "pid: 2147483648 is not"},
		{`"pid":20`, `"pid":99999999999999999999`, "pid: "},
		{`"pgid":20`, `"pgid":21`, "pgid: the fingerprint has 21, and 20 for pid"},
		{`"attempt":"/a"`, `"attempt":{}`, "attempt: "},
		{start, `"30"`, "start_time: "},
		{start, `{"ticks":"30","boot_id":"b"}`, "start_time.kind is missing"},
		{start, `{"kind":"sundial","ticks":"30"}`, `start_time.kind: "sundial" is unknown`},
		{start, `{"kind":"linux_ticks","boot_id":"b"}`, "start_time.ticks is missing"},
		{start, `{"kind":"linux_ticks","ticks":30,"boot_id":"b"}`, "start_time.ticks: 30 is not a string of digits"},
		{start, `{"kind":"linux_ticks","ticks":"030","boot_id":"b"}`, "start_time.ticks: "},
		{start, `{"kind":"linux_ticks","ticks":"","boot_id":"b"}`, "start_time.ticks: "},
		{start, `{"kind":"linux_ticks","ticks":"30"}`, "start_time.boot_id is missing"},
		{start, `{"kind":"linux_ticks","ticks":"30","ticks":"30","boot_id":"b"}`, "start_time.ticks is there twice"},
		{start, `{"kind":"darwin_timeval","sec":1}`, "start_time.usec is missing"},
		{start, `{"kind":"darwin_timeval","sec":1,"usec":1000000}`, "start_time.usec: "},
		{start, `{"kind":"ps_seconds","value":"1"}`, "start_time.value: "},
		{`["c","<d>"]`, `"c"`, "command_requested: "},
		{`["c","<d>"]`, `["c",1]`, "command_requested: "},
		{`"command_settled":"e"`, `"command_settled":null`, "command_settled: "},
		{`"launched_at":"2026-01-02T03:04:05.678Z"`, `"launched_at":1`, "launched_at: "},
		{`"2026-01-02T03:04:05.678Z"`, `"yesterday"`, "launched_at: \"yesterday\" is not a timestamp"},
	}
	for _, tt := range tests {
		in := strings.Replace(whole, tt.from, tt.to, 1)
		_, err := Parse([]byte(in))
		if got := fmt.Sprint(err); tt.err == "" && err != nil || tt.err != "" && !strings.HasPrefix(got, tt.err) {
			t.Errorf("Parse(%s) = %v, want %q", in, err, tt.err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Parse(b)
		if err != nil {
			return
		}
		if got.PID < 2 || got.PGID != got.PID || got.UID < 0 || got.StartTime.Kind == "" {
			t.Errorf("Parse(%q) = %+v", b, got)
		}
		again, err := got.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if same, err := Parse(again); err != nil || same.Process() != got.Process() {
			t.Errorf("Parse(%q) = %+v, and what it writes %+v, %v", b, got, same, err)
		}
	})
}

func TestDiffers(t *testing.T) {
	start := identity.Start{Kind: identity.LinuxTicks, Ticks: "30", BootID: "b"}
	f := example(start)
	if err := f.Differs(f.Process()); err != nil {
		t.Errorf("Differs(itself) = %v", err)
	}
	later := start
	later.Ticks = "31"
	for _, tt := range []struct {
		change func(*identity.Process)
		want   string
	}{
		{func(p *identity.Process) { p.PID = 21 }, "pid: the fingerprint has 20, the system has 21"},
		{func(p *identity.Process) { p.PGID = 21 }, "pgid: the fingerprint has 20, the system has 21"},
		{func(p *identity.Process) { p.Start = later }, "start_time: the fingerprint has 30 ticks of boot b, the system has 31 ticks of boot b"},
		{func(p *identity.Process) { p.User = "v" }, `user: the fingerprint has "u", the system has "v"`},
		{func(p *identity.Process) { p.UID = 0 }, "uid: the fingerprint has 10, the system has 0"},
		{func(p *identity.Process) { p.Dir = "/a (deleted)" }, `attempt: the fingerprint has "/a", the system has "/a (deleted)"`},
	} {
		p := f.Process()
		tt.change(&p)
		if got := f.Differs(p); got == nil || got.Error() != tt.want {
			t.Errorf("Differs(%v) = %v, want %s", p, got, tt.want)
		}
	}
}
