//go:build unix

package runcmd_test

import (
	"os"
	"os/signal"
	"syscall"

	"processkit-cli/pkc-run/runcmd"
)

// stopEnv names the step at which a runner stops itself, for the test to kill.
const stopEnv = "PKC_TEST_STOP_AT"

// loseEnv has a runner ignore SIGCHLD before it has a child: the kernel then
// keeps no status for it (wait(2)).
const loseEnv = "PKC_TEST_LOSE_CHILD"

func nativePrograms() map[string]func() { return nil }

func meddle() {
	at, lose := os.Getenv(stopEnv), os.Getenv(loseEnv) != ""
	runcmd.OnReached(func(step string) {
		if step == at {
			// Another thread may take the signal, and this one run on meanwhile.
			continued := make(chan os.Signal, 1)
			signal.Notify(continued, syscall.SIGCONT)
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			<-continued
		}
		if step == "container" && lose {
			signal.Ignore(syscall.SIGCHLD)
		}
	})
}
