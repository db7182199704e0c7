package runcmd

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"processkit-cli/pkc-run/internal/contain"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

// planOf judges flags as they come from the strict scan: --name=value only.
func planOf(t *testing.T, argv []string, args ...string) (*Plan, error) {
	t.Helper()
	var o options
	fs := o.flags()
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	o.given = given(fs)
	return newPlan(&o, argv)
}

func TestPlan(t *testing.T) {
	argv := []string{"make", "-j4", "--", "--jsonl"}
	five := text.Millis(5000)
	zero := text.Millis(0)
	tests := []struct {
		name string
		args []string
		want Plan
	}{
		{"the least", nil, Plan{}},
		{
			"deadlines and caps",
			[]string{
				"--timeout=1500ms", "--idle-timeout=2m", "--grace=5", "--snapshot-interval=1h",
				"--max-memory=64M", "--max-processes=4294967295", "--cpu-quota=.5",
			},
			Plan{
				Timeout: 1500, Idle: 120_000, Grace: &five, Interval: 3_600_000,
				Limits: contain.Limits{Memory: 64 << 20, Processes: 4294967295, CPU: .5},
			},
		},
		{"a grace of zero is not none", []string{"--grace=0ms"}, Plan{Grace: &zero}},
		{
			"capture, input, directory",
			[]string{
				"--capture-dir=c", "--capture-max-bytes=1", "--capture-overflow=cancel",
				"--no-echo", "--stdin-file=-in", "--cwd=..", "--argv-raw",
			},
			Plan{
				CaptureDir: "c", CaptureMax: 1, CancelOnOverflow: true,
				NoEcho: true, StdinFile: "-in", Dir: "..", ArgvRaw: true,
			},
		},
		{
			"the later label of a key counts",
			[]string{"--label=k=1", "--label=l=", "--label=k=a=b"},
			Plan{Labels: map[string]string{"k": "a=b", "l": ""}},
		},
		{
			"environment",
			[]string{
				"--env=A==", "--env-clear", "--env-remove=B", "--env-file=f", "--env=A=", "--env-clear",
				"--env-file=g", "--env-remove=C", "--run-id-env=I",
			},
			Plan{
				EnvClear: true, EnvRemove: []string{"B", "C"}, EnvFiles: []string{"f", "g"},
				EnvSet: [][2]string{{"A", "="}, {"A", ""}}, RunIDIs: "I",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Argv, tt.want.JSONL, tt.want.RunID, tt.want.named = argv, "e", "é", true
			if tt.want.CaptureMax == 0 {
				tt.want.CaptureMax = 8 << 20
			}
			if tt.want.Labels == nil {
				tt.want.Labels = map[string]string{}
			}
			tt.args = append(tt.args, "--jsonl=e", "--run-id=é")
			got, err := planOf(t, argv, tt.args...)
			if err != nil {
				t.Fatalf("newPlan(%q) = %v", tt.args, err)
			}
			if !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("newPlan(%q) = %+v, want %+v", tt.args, *got, tt.want)
			}
		})
	}
}

func TestGeneratedRunID(t *testing.T) {
	var ids [2]string
	for i := range ids {
		p, err := planOf(t, []string{"x"}, "--jsonl=e")
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = p.RunID
		for now := time.Now(); time.Now().UnixNano() == now.UnixNano(); { // some clocks tick slowly
		}
		rest, ok := strings.CutPrefix(p.RunID, "run-")
		pid, nanos, ok2 := strings.Cut(rest, "-")
		if !ok || !ok2 || strings.Trim(pid+nanos, "0123456789") != "" || len(nanos) < 19 {
			t.Errorf("run id = %q, want run-PID-NANOSECONDS", p.RunID)
		}
	}
	if ids[0] == ids[1] {
		t.Errorf("two runs have the id %q", ids[0])
	}
}

// Each value's grammar has its tests in package text; here, that every flag
// is held against one and is the flag that gets the blame.
func TestPlanRefusals(t *testing.T) {
	durations := []string{"", "0", "0ms", "-1s", "+1s", "1.5s", "1 s", "1S", "1d", "s", "18446744073709551616ms"}
	tests := []struct {
		flag   string
		values []string
		with   []string
	}{
		{"jsonl", []string{""}, nil},
		{"cwd", []string{""}, nil},
		{"stdin-file", []string{""}, nil},
		{"capture-dir", []string{""}, nil},
		{"env-file", []string{""}, nil},
		{"timeout", durations, nil},
		{"idle-timeout", durations, nil},
		{"snapshot-interval", durations, nil},
		{"grace", []string{"", "-1", "1.5s", "soon"}, nil},
		{"max-memory", []string{"", "0", "0k", "1kb", "1.5m", "-1", "18446744073709551615k"}, nil},
		{"max-processes", []string{"", "0", "-1", "+1", "1k", "4294967296"}, nil},
		{"cpu-quota", []string{"", "0", "-1", "+1", "nan", "inf", "0x1", "1_0", "1,5"}, nil},
		{"capture-max-bytes", []string{"", "0", "1t"}, []string{"--capture-dir=c"}},
		{"capture-overflow", []string{"", "Cancel", "kill"}, []string{"--capture-dir=c"}},
		{"run-id", []string{"", "a\nb", "a\u202eb", "\xff", strings.Repeat("x", 257)}, nil},
		{"label", []string{"", "k", "=v", "9=v", "k=\x1b", "k=\xff"}, nil},
		{"env", []string{"", "SECRET", "=SECRET", "a b=SECRET", "a\t=SECRET"}, nil},
		{"env-remove", []string{"", "a b", "A=SECRET"}, nil},
		{"run-id-env", []string{"", "a\n", "A=SECRET"}, nil},
		{"run-id-env", []string{"KEY"}, []string{"--env=KEY=SECRET"}},
	}
	for _, tt := range tests {
		for _, v := range tt.values {
			args := append([]string{"--jsonl=e"}, tt.with...)
			args = append(args, "--"+tt.flag+"="+v)
			_, err := planOf(t, []string{"x"}, args...)
			switch {
			case err == nil || exit.CodeOf(err) != exit.Usage:
				t.Errorf("newPlan(%q) = %v, want a usage error", args, err)
			case !strings.Contains(err.Error(), "--"+tt.flag) || strings.Contains(err.Error(), "SECRET"):
				t.Errorf("newPlan(%q) = %v, want --%s named and no value", args, err, tt.flag)
			}
		}
	}
}

func TestPlanNeedsAProgram(t *testing.T) {
	for _, argv := range [][]string{nil, {""}, {"", "x"}} {
		if _, err := planOf(t, argv, "--jsonl=e"); exit.CodeOf(err) != exit.Usage {
			t.Errorf("newPlan(%q) = %v, want a usage error", argv, err)
		}
	}
}

// The key of the run id must differ from every key that --env sets, as the
// platform compares keys.
func TestRunIDKeyCase(t *testing.T) {
	_, err := planOf(t, []string{"x"}, "--jsonl=e", "--run-id-env=key", "--env=KEY=v")
	if got, want := err != nil, sameEnvKey("key", "KEY"); got != want {
		t.Errorf("newPlan with key and KEY = %v, want an error: %v", err, want)
	}
}
