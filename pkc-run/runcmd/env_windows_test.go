package runcmd_test

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"processkit-cli/pkcshared/event"
)

func TestEnvOrder(t *testing.T) {
	files := map[string]string{"one": "T_A=one\r\nt_b=one\n", "two": "t_a=two"}
	// The caller has T_A=in, T_B=in.
	tests := []struct{ args, want string }{
		{"", "T_A=in T_B=in"},
		{"--env-clear", ""},
		{"--env-remove t_a", "T_B=in"},
		{"--env t_A=set", "T_B=in t_A=set"},
		{"--env T_A=1 --env t_a=2", "T_B=in t_a=2"},
		{"--env T_A= --env T_B==", "T_A= T_B=="},
		{"--env-file one", "T_A=one t_b=one"},
		{"--env-file one --env-file two", "t_a=two t_b=one"},
		{"--env T_B=set --env-file one --env-remove t_a --env-clear", "T_A=one T_B=set"},
		{"--run-id R --run-id-env t_a", "T_B=in t_a=R"},
		{"--env-clear --env \u00e9T_\u00c9=1 --env \u00c9t_\u00e9=2", "\u00c9t_\u00e9=2"},
	}
	for _, tt := range tests {
		r, _ := do(t, 0, func(r *invocation) {
			r.write(files)
			r.env = []string{"T_A=in", "T_B=in"}
		}, append(strings.Fields(tt.args), "--", childPath(t), "print-env")...)
		var got []string
		for line := range strings.Lines(r.out.String()) {
			if name := strings.ToUpper(line); strings.HasPrefix(name, "T_") || strings.HasPrefix(name, "ÉT_") {
				got = append(got, strings.TrimSpace(line))
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != tt.want {
			t.Errorf("pkc-run %s: environment %q, want %q", tt.args, got, tt.want)
		}
	}
}

func TestRunIDEnvFoldsCase(t *testing.T) {
	r := start(t, nil, "--run-id-env", "run_id", "--env", "RUN_ID=x", "--", "child", "exit", "0")
	if got := r.wait(); got != 100 || !strings.Contains(r.err.String(), "both set") {
		t.Errorf("code = %d, stderr %q, want 100", got, r.err.String())
	}
}

// Without flags the child has the environment of a program that was started
// directly, with the current directories of drives.
func TestEnvUntouched(t *testing.T) {
	odd := []string{"=Q:=Q:\\odd", "EMPTY=", "two words=a b", "\u00e9=\U0001F600", "lone=\xed\xa0\x80"}
	r, _ := do(t, 0, func(r *invocation) { r.env = odd }, "--", "child", "print-env")
	direct := exec.Command("child", "print-env")
	direct.Env, direct.Dir = append(os.Environ(), odd...), r.dir
	want, err := direct.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := func(s string) []string {
		all := strings.Split(strings.TrimSpace(s), "\n")
		slices.Sort(all)
		return all
	}
	if got, want := lines(r.out.String()), lines(string(want)); !slices.Equal(got, want) {
		t.Errorf("environment = %q, want %q", got, want)
	}
}

// No character of an argument changes on its way, a lone surrogate included.
func TestExactArguments(t *testing.T) {
	odd := []string{
		"", " ", "a b", "\t", `"`, `\`, `\\`, `a\\b`, `a\"b`, `\\\"`, `c:\dir\`, `c:\a dir\`, `\\host\share\`, "a\nb", "%PATH%", "^&|<>()!",
		"*", "?.go", "'", "--", "--detach", "\u00e9", "\U0001F600", "\xed\xa0\x80", "a\xed\xb0\x80b", `"&calc.exe`, "=", "\u3000", `a""b`,
	}
	r, s := do(t, 0, nil, append([]string{"--argv-raw", "--", "child", "print-argv"}, odd...)...)
	var got []string
	for line := range strings.Lines(r.out.String()) {
		b, err := hex.DecodeString(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(b))
	}
	if !slices.Equal(got, odd) {
		t.Errorf("arguments = %q, want %q", got, odd)
	}
	c := s.one(t, "run_started").Get("command")
	argv := append([]string{"child", "print-argv"}, odd...)
	check(t, c, "argv_sha256", fmt.Sprintf("%q", event.NewCommand(argv, false).ArgvSHA256),
		"argv.25", `"\u0000\\xed\\xa0\\x80"`)
}
