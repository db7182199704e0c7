package runcmd_test

import (
	"fmt"
	"strings"
	"testing"
)

// All 32 bits of a code arrive. 259 is STILL_ACTIVE, and 0xC000013A the end by
// an unhandled Ctrl-C.
func TestChildCodes(t *testing.T) {
	for _, code := range []int{0, 1, 2, 100, 119, 255, 256, 259, 0x80000000, 0xC0000005, 0xC000013A, 0xFFFFFFFF} {
		_, s := do(t, code, nil, "--", "child", "exit", fmt.Sprint(code))
		n := fmt.Sprint(int32(uint32(code)))
		check(t, s.one(t, "root_exited"), "outcome", `"exited"`, "code", n, "signal", "null")
		check(t, s.one(t, "runner_exit"), "code", n, "source", `"child_exit"`, "child_code", n)
		check(t, s.one(t, "run_started"), "mechanism", `"job_object"`, "abrupt_cleanup", `"whole_tree"`)
		s.clean(t)
	}
}

func TestProgramsThatCannotStart(t *testing.T) {
	batch := map[string]string{"x.bat": "@exit 0\r\n", "dir/y.CMD": "@exit 0\r\n", "data": "x", "script.py": "pass\n"}
	tests := []struct {
		name string
		args []string
		want string // on stderr
	}{
		{"missing, bare", []string{"--", "no-such-program"}, `"no-such-program": not found in the child's PATH`},
		{"missing, by path", []string{"--", `.\no-such-program`}, `no-such-program": `},
		{"in our directory, bare", []string{"--env", "PATH=dir", "--", "x"}, "not found in the child's PATH"},
		{"a directory", []string{"--", `.\dir`}, "is a directory"},
		{"no format", []string{"--", `.\data`}, "not an executable format"},
		{"a script", []string{"--env", "PATHEXT=.PY", "--", `.\script`}, "script.PY"},
		{"missing directory", []string{"--cwd", "nowhere", "--", "child", "exit", "0"}, `--cwd "nowhere": `},
		{"a file as directory", []string{"--cwd", "data", "--", "child", "exit", "0"}, `--cwd "data": not a directory`},
		{"PATH of the child", []string{"--env", `PATH=C:\nowhere`, "--", "child", "exit", "0"}, "not found in the child's PATH"},

		{"batch file", []string{"--", `.\x.bat`}, "a batch file is run by cmd.exe"},
		{"batch file, arguments", []string{"--", `.\x.bat`, `"&calc.exe`}, "a batch file is run by cmd.exe"},
		{"batch file, no extension", []string{"--", `.\x`}, "a batch file is run by cmd.exe"},
		{"batch file, dots and spaces", []string{"--", `.\x.bat. .`}, "a batch file is run by cmd.exe"},
		{"batch file, found", []string{"--env", "PATH=dir", "--", "y"}, "a batch file is run by cmd.exe"},
		{"batch file, found by its name", []string{"--env", "PATH=dir", "--", "Y.cmd"}, "a batch file is run by cmd.exe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, s := do(t, 101, func(r *invocation) { r.write(batch) }, tt.args...)
			if got := strings.Join(s.names(), " "); got != "spawn_failed runner_exit" {
				t.Errorf("events = %s", got)
			}
			check(t, s.one(t, "spawn_failed"), "code", "101")
			check(t, s.one(t, "runner_exit"), "code", "101", "source", `"spawn_error"`, "child_code", "null")
			if got := r.err.String(); !strings.Contains(got, tt.want) {
				t.Errorf("stderr = %q, want %q", got, tt.want)
			}
		})
	}
}

// cmd.exe runs a batch file for whoever asks for cmd.exe.
func TestBatchFileByItsInterpreter(t *testing.T) {
	do(t, 7, func(r *invocation) {
		r.write(map[string]string{"x.bat": "@exit %1\r\n"})
	}, "--", "cmd", "/d", "/c", "x.bat", "7")
}

func TestProgramLookup(t *testing.T) {
	tests := []struct {
		args []string
		want int
	}{
		{[]string{"--", "child", "exit", "3"}, 3},
		{[]string{"--env", "path=bin", "--", "other", "exit", "4"}, 4},
		{[]string{"--env", `PATH=C:\nowhere;;"bin"`, "--", "other.exe", "exit", "4"}, 4},
		{[]string{"--env", "PATHEXT=.odd;.exe", "--", `bin\other`, "exit", "5"}, 5},
		{[]string{"--env", "PATHEXT=.ODD", "--env", "PATH=bin", "--", "odd", "exit", "6"}, 6},
		{[]string{"--cwd", "bin", "--", `.\other`, "exit", "7"}, 7},
		{[]string{"--cwd", "bin", "--", "../bin/other.exe", "exit", "8"}, 8},
		{[]string{"--cwd", "bin", "--env", "PATH=.", "--", "other", "exit", "9"}, 9},
		{[]string{"--env-clear", "--", "cmd", "/d", "/c", "exit 10"}, 10},
	}
	for _, tt := range tests {
		do(t, tt.want, func(r *invocation) {
			r.put("child", "bin/other.exe")
			r.put("child", "bin/odd.odd")
		}, tt.args...)
	}
}
