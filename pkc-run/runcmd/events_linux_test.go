package runcmd_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"processkit-cli/pkc-run/internal/contain"
)

// Two endings are not here: internal (104) needs a child that somebody else
// reaps, and a failed hand-over needs a terminal that goes away meanwhile.
func TestSequences(t *testing.T) {
	const prefix, tail = "run_started members_snapshot ", " resource_summary cleanup_started cleanup_finished "
	type row struct {
		name string
		args []string
		sig  syscall.Signal
		code int
		want string
	}
	tests := []row{
		{"natural", []string{"--", "child", "exit", "3"}, 0, 3, prefix + "root_exited" + tail + "runner_exit"},
		{"natural, captured", []string{"--capture-dir", "cap", "--", "child", "exit", "0"}, 0, 0, prefix + "root_exited" + tail + "output_captured runner_exit"},
		{"death by signal", []string{"--", "child", "signal", "TERM"}, 0, 143, prefix + "root_exited" + tail + "runner_exit"},
		{"deadline", []string{"--timeout", "100ms", "--", "child", "hang"}, 0, 106, prefix + "timeout" + tail + "runner_exit"},
		{"silence", []string{"--capture-dir", "cap", "--idle-timeout", "100ms", "--", "child", "hang"}, 0, 106, prefix + "timeout" + tail + "output_captured runner_exit"},
		{"overflow", []string{"--capture-dir", "cap", "--capture-max-bytes", "10", "--capture-overflow", "cancel", "--", "child", "drip", "xxx", "1ms", "99999"}, 0, 113, prefix + "output_overflow" + tail + "output_captured runner_exit"},
		{"signal", []string{"--", "child", "hang"}, syscall.SIGTERM, 107, prefix + "cancelled" + tail + "runner_exit"},
		{"no program", []string{"--", "./nothing"}, 0, 101, "spawn_failed runner_exit"},
		{"no input", []string{"--stdin-file", "nothing", "--", "child", "exit", "0"}, 0, 111, "runner_exit"},
	}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		r := start(t, use, tt.args...)
		if tt.sig != 0 {
			r.began("members_snapshot")
			r.signal(tt.sig)
		}
		s := r.ended(tt.code)
		if got := strings.Join(s.names(), " "); got != tt.want {
			t.Errorf("events = %s, want %s", got, tt.want)
		}
		if tt.code < 100 || tt.code > 119 {
			check(t, s.one(t, "resource_summary"), "read_error", "false")
		}
		r.gone()
	})
}

func TestSnapshots(t *testing.T) {
	type row struct {
		name string
		args []string
	}
	tests := []row{
		{"echoed", nil},
		{"silent", []string{"--no-echo"}},
		{"captured", []string{"--capture-dir", "cap"}},
		{"inherited", []string{"--inherit-stdio"}},
	}
	together(t, tests, func(tt row) string { return tt.name }, func(t *testing.T, tt row, use func(*invocation)) {
		const every = 50 * time.Millisecond
		r, s := do(t, 106, use, append(tt.args, "--snapshot-interval", "50ms", "--timeout", "1s", "--grace", "300ms", "--",
			"child", "ignore-term", "spawn", "2", "hang")...)
		all := s.all("members_snapshot")
		if n := len(all); n < 3 || n > 21 {
			t.Errorf("%d snapshots in 1 s, want about 20", n)
		}
		root := s.one(t, "run_started").Get("root_pid").Int()
		for i, e := range all {
			want := `"interval"`
			if i == 0 {
				want = `"spawn"`
			}
			check(t, e, "reason", want, "read_error", "false")
			if i > 0 {
				if d := since(s.one(t, "run_started"), e); d < time.Duration(i)*every-time.Millisecond {
					t.Errorf("snapshot %d after %v, want %v at least", i, d, time.Duration(i)*every)
				}
			}
			members := e.Get("members").Array()
			for _, m := range members {
				if m.Get("name").Type != gjson.String || m.Get("ppid").Int() == 0 || m.Get("start_time").Int() == 0 {
					t.Errorf("a member lacks a field: %s", m.Raw)
				}
			}
			if len(members) == 0 || members[0].Get("pid").Int() != root || members[0].Get("ppid").Int() != int64(r.cmd.Process.Pid) {
				t.Errorf("snapshot %d does not begin with the root child: %s", i, e.Raw)
			}
		}
		if n := len(all[len(all)-1].Get("members").Array()); n != 3 {
			t.Errorf("the last snapshot has %d members, want 3", n)
		}
		end := s.one(t, "timeout").Get("time").Time()
		if last := all[len(all)-1].Get("time").Time(); last.After(end) {
			t.Errorf("a snapshot at %v, after the end at %v", last, end)
		}
	})
}

// These run alone: a busy host gives less of a processor than was asked for.
func TestResourceSummary(t *testing.T) {
	const mib = 1 << 20
	tests := []struct {
		name         string
		code         int
		args         []string
		cpu, cpuMost int64 // milliseconds
		memory       int64
	}{
		{name: "busy", args: []string{"--", "child", "spin", "300ms"}, cpu: 10, cpuMost: 1000},
		{name: "busy descendant", args: []string{"--", "child", "spawn", "1", "spin", "300ms"}, cpu: 10, cpuMost: 1000},
		{name: "busy until a deadline", code: 106, args: []string{"--timeout", "600ms", "--", "child", "spin", "60s"}, cpu: 10, cpuMost: 1000},
		{name: "idle", code: 106, args: []string{"--timeout", "400ms", "--", "child", "hang"}, cpuMost: 250},
		{name: "large", args: []string{"--", "child", "eat", "64"}, cpuMost: 1000, memory: 64 * mib},
		{name: "large descendant", args: []string{"--", "child", "spawn", "1", "eat", "64"}, cpuMost: 1000, memory: 64 * mib},
		{name: "large until a deadline", code: 106, args: []string{"--idle-timeout", "500ms", "--", "child", "eat", "--hold", "64"}, cpuMost: 1000, memory: 64 * mib},
		{name: "two until a deadline", code: 106, args: []string{"--idle-timeout", "500ms", "--", "child", "spawn", "2", "eat", "--hold", "64"}, cpuMost: 1500, memory: 128 * mib},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mechanisms(t, func(t *testing.T, use func(*invocation)) {
				_, s := do(t, tt.code, use, tt.args...)
				e := s.one(t, "resource_summary")
				check(t, e, "read_error", "false")
				if ms := e.Get("total_cpu_ms"); ms.Type != gjson.Number || ms.Int() < tt.cpu || ms.Int() > tt.cpuMost {
					t.Errorf("total_cpu_ms = %s, want %d to %d", ms.Raw, tt.cpu, tt.cpuMost)
				}
				if b := e.Get("peak_memory_bytes"); b.Type != gjson.Number || b.Int() < tt.memory || b.Int() > 3*tt.memory+64*mib {
					t.Errorf("peak_memory_bytes = %s, want %d or somewhat more", b.Raw, tt.memory)
				}
			})
		})
	}
}

// What the caller had started before it executed us is not of the run.
func TestResourceSummaryOfOthers(t *testing.T) {
	const mib = 1 << 20
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		_, s := do(t, 0, func(r *invocation) {
			use(r)
			through(r, `child eat 200 >eaten & until [ -s eaten ]; do sleep 0.01; done; exec "$@"`)
		}, "--", "sh", "-c", "sleep 0.2")
		if b := s.one(t, "resource_summary").Get("peak_memory_bytes"); b.Int() > 100*mib {
			t.Errorf("peak_memory_bytes = %s, more than the run had", b.Raw)
		}
	})
}

func TestRunStarted(t *testing.T) {
	t.Parallel()
	mechanisms(t, func(t *testing.T, use func(*invocation)) {
		var link string
		prepare := func(r *invocation) {
			use(r)
			var err error
			if r.dir, err = filepath.EvalSymlinks(r.dir); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(r.path("real", "below"), 0o755); err != nil {
				t.Fatal(err)
			}
			link = r.path("link")
			if err := os.Symlink("real", link); err != nil {
				t.Fatal(err)
			}
		}
		t.Run("fields", func(t *testing.T) {
			r, s := do(t, 0, prepare, "--run-id", "a-run", "--label", "b=2", "--label", "a=1", "--label", "B=3", "--label", "empty=", "--", "child", "exit", "0")
			e := s.one(t, "run_started")
			mechanism := `"cgroup_v2"`
			if slices.Contains(r.env, contain.EnvMechanism+"="+contain.ProcessGroup) {
				mechanism = `"process_group"`
			}
			check(t, e, "run_id", `"a-run"`, "labels", `{"B":"3","a":"1","b":"2","empty":""}`,
				"mechanism", mechanism, "abrupt_cleanup", `"direct_child_only"`, "cwd", `"`+r.dir+`"`)
			if e.Get("root_pid").Int() <= 1 {
				t.Errorf("root_pid = %s", e.Get("root_pid").Raw)
			}
		})
		dirs := []struct{ name, cwd, want, physical string }{
			{"relative, unclean, by a link", "./link//below/..", "link", "real"},
			{"upwards", "real/below/../../link/", "link", "real"},
		}
		for _, tt := range dirs {
			t.Run(tt.name, func(t *testing.T) {
				r, s := do(t, 0, prepare, "--cwd", tt.cwd, "--", "child", "print-cwd")
				check(t, s.one(t, "run_started"), "cwd", `"`+r.path(tt.want)+`"`)
				if got, want := r.out.String(), r.path(tt.physical)+"\n"; got != want {
					t.Errorf("the child is in %q, want %q", got, want)
				}
			})
		}
		t.Run("our own, by a link", func(t *testing.T) {
			r := start(t, func(r *invocation) {
				prepare(r)
				through(r, `cd link && exec "$@"`)
			}, "--", "child", "exit", "0")
			r.wait()
			first, _, _ := strings.Cut(readFile(t, filepath.Join(link, "events.jsonl")), "\n")
			if got := gjson.Get(first, "cwd").String(); got != link {
				t.Errorf("cwd = %q, want %q", got, link)
			}
		})
	})
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
