//go:build unix

package runcmd_test

import (
	"os"
	"syscall"

	"processkit-cli/pkc-run/runcmd"
)

// stopEnv names the step at which a runner stops itself, for the test to kill.
const stopEnv = "PKC_TEST_STOP_AT"

func stopAtStep() {
	at := os.Getenv(stopEnv)
	runcmd.OnReached(func(step string) {
		if step == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		}
	})
}
