package probecmd_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"

	"processkit-cli/fixtures"
	"processkit-cli/fixtures/script"
	"processkit-cli/pkc-probe/probecmd"
	"processkit-cli/pkcshared/applet"
)

func few() []string { return []string{"probe", "probe:--json", "wait"} }

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pkc-probe": func() { applet.Main(probecmd.New(few)) },
		"whole":     func() { applet.Main(probecmd.New(probecmd.Whole)) },
	})
}

func TestScripts(t *testing.T) {
	script.Run(t, nil, func(e *testscript.Env) error {
		return os.WriteFile(e.WorkDir+"/schema.json", []byte(fixtures.EventSchema), 0o600)
	})
}

// TestWhole requires every token there is, of the binary that has all.
func TestWhole(t *testing.T) {
	args := []string{"--json"}
	for token := range strings.Lines(fixtures.Surface) {
		args = append(args, "--require-surface="+strings.TrimSpace(token))
	}
	if len(args) < 50 {
		t.Fatalf("only %d tokens", len(args)-1)
	}
	var outputs []string
	for range 2 {
		out, err := exec.Command("whole", args...).Output()
		if err != nil {
			t.Fatalf("whole %q: %v", args, err)
		}
		outputs = append(outputs, string(out))
	}
	if outputs[0] != outputs[1] || strings.Count(outputs[0], "\n") != 1 {
		t.Errorf("outputs differ or are not one line: %q", outputs)
	}
	var surface []string
	for _, r := range gjson.Get(outputs[0], "surface").Array() {
		surface = append(surface, r.Str)
	}
	if got, want := strings.Join(surface, "\n")+"\n", fixtures.Surface; got != want {
		t.Errorf("surface = %q, want %q", got, want)
	}
	if !slices.IsSorted(surface) || len(slices.Compact(surface)) != len(args)-1 {
		t.Errorf("surface is not sorted and unique: %q", surface)
	}
}
