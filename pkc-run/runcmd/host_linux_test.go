package runcmd_test

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"processkit-cli/pkc-run/internal/contain"
)

// require skips a test that the host cannot run, and names the missing fact.
// PKC_REQUIRE lists facts that a host promises to have: their lack is a fault.
func require(t *testing.T, fact string, have bool, why string) {
	t.Helper()
	if have {
		return
	}
	for _, f := range strings.Split(os.Getenv("PKC_REQUIRE"), ",") {
		if f == fact {
			t.Fatalf("%s is required here and missing: %s", fact, why)
		}
	}
	t.Skipf("needs %s: %s", fact, why)
}

var errNoLeaf = errors.New("no leaf can be made below our own cgroup")

// cgroupUsable tries what a run does first.
var cgroupUsable = sync.OnceValue(func() error {
	g, err := contain.Create(contain.Limits{}, 0, func(string) {})
	if err != nil {
		return err
	}
	defer g.Close()
	if g.Mechanism() != contain.CgroupV2 {
		return errNoLeaf
	}
	return nil
})

// mechanisms runs a test under each mechanism that the host has.
func mechanisms(t *testing.T, f func(t *testing.T, use func(*invocation))) {
	t.Run(contain.CgroupV2, func(t *testing.T) {
		err := cgroupUsable()
		require(t, contain.CgroupV2, err == nil, errText(err))
		f(t, func(*invocation) {})
	})
	t.Run(contain.ProcessGroup, func(t *testing.T) {
		f(t, func(r *invocation) {
			r.env = append(r.env, contain.EnvMechanism+"="+contain.ProcessGroup)
		})
	})
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
