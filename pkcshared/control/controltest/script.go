package controltest

import (
	"fmt"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"processkit-cli/pkcshared/registry"
)

// Commands are what scripts make runs with.
func Commands() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"fake": fake, "heard": heard}
}

// SetUp gives a script its table of runs.
func SetUp(e *testscript.Env) error {
	e.Values[runs{}] = map[string]*Run{}
	return nil
}

// runs is the key of that table.
type runs struct{}

func table(ts *testscript.TestScript) map[string]*Run {
	return ts.Value(runs{}).(map[string]*Run)
}

// fake KIND ID [KEY=VALUE...]: a run of a kind of Start, with labels.
func fake(ts *testscript.TestScript, _ bool, args []string) {
	labels := map[string]string{}
	for _, l := range args[2:] {
		k, v, _ := strings.Cut(l, "=")
		labels[k] = v
	}
	r, err := Start(ts.Getenv(registry.DirEnv), args[0], args[1], labels)
	ts.Check(err)
	ts.Defer(r.Close)
	table(ts)[args[1]] = r
}

// heard ID [VERB...]: that is all the run was passed, now or soon.
func heard(ts *testscript.TestScript, _ bool, args []string) {
	r, want := table(ts)[args[0]], fmt.Sprint(args[1:])
	for end := time.Now().Add(10 * time.Second); fmt.Sprint(r.Heard()) != want; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("%s was passed %v, want %s", args[0], r.Heard(), want)
		}
	}
}
