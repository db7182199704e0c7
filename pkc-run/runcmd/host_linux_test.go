package runcmd_test

import (
	"errors"
	"sync"
	"testing"

	"processkit-cli/fixtures/need"
	"processkit-cli/pkc-run/internal/contain"
)

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
		need.Fact(t, contain.CgroupV2, err == nil, errText(err))
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
