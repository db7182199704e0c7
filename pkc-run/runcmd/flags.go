// Package runcmd is the run command: one contained child from its flags to
// its exit code.
package runcmd

import (
	"context"
	_ "embed"
	"flag"

	"processkit-cli/pkcshared/applet"
)

//go:embed help.txt
var help string

// options mirrors the flags, unjudged.
type options struct {
	jsonl, runID, cwd, stdinFile, runIDEnv     string
	timeout, idleTimeout, grace, interval      string
	maxMemory, maxProcesses, cpuQuota          string
	captureDir, captureMaxBytes, captureOver   string
	inheritStdio, inheritStdin, noEcho, detach bool
	argvRaw, createNoWindow, gracefulCtrlBreak bool
	envClear                                   repeatableBool
	labels, envRemove, envFiles, env           applet.List
	given                                      map[string]bool
}

// New makes the run command.
func New() *applet.Applet {
	var o options
	fs := o.flags()
	caught := make(chan *signals, 1)
	return &applet.Applet{
		Name:     "run",
		Help:     help,
		Flags:    fs,
		Operands: true,
		// Each signal is a round through a thread of the runtime's, in all as
		// long as reading the flags takes.
		Early: func() { go func() { caught <- catch() }() },
		Exec: func(_ context.Context, c *applet.Call) error {
			o.given = given(fs)
			p, err := newPlan(&o, c.Operands)
			if err != nil {
				return err
			}
			if o.detach {
				return detach(c, p, o.given, <-caught)
			}
			return run(c, p, <-caught)
		},
	}
}

func (o *options) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("run", flag.ContinueOnError)
	fs.StringVar(&o.jsonl, "jsonl", "", "")
	fs.StringVar(&o.runID, "run-id", "", "")
	fs.Var(&o.labels, "label", "")
	fs.StringVar(&o.cwd, "cwd", "", "")
	fs.StringVar(&o.timeout, "timeout", "", "")
	fs.StringVar(&o.idleTimeout, "idle-timeout", "", "")
	fs.StringVar(&o.grace, "grace", "", "")
	fs.StringVar(&o.interval, "snapshot-interval", "", "")
	fs.StringVar(&o.maxMemory, "max-memory", "", "")
	fs.StringVar(&o.maxProcesses, "max-processes", "", "")
	fs.StringVar(&o.cpuQuota, "cpu-quota", "", "")
	fs.StringVar(&o.captureDir, "capture-dir", "", "")
	fs.StringVar(&o.captureMaxBytes, "capture-max-bytes", "", "")
	fs.StringVar(&o.captureOver, "capture-overflow", "", "")
	fs.BoolVar(&o.inheritStdio, "inherit-stdio", false, "")
	fs.BoolVar(&o.inheritStdin, "inherit-stdin", false, "")
	fs.StringVar(&o.stdinFile, "stdin-file", "", "")
	fs.BoolVar(&o.noEcho, "no-echo", false, "")
	fs.BoolVar(&o.detach, "detach", false, "")
	fs.BoolVar(&o.createNoWindow, "create-no-window", false, "")
	fs.BoolVar(&o.gracefulCtrlBreak, "windows-graceful-ctrl-break", false, "")
	fs.BoolVar(&o.argvRaw, "argv-raw", false, "")
	fs.Var(&o.envClear, "env-clear", "")
	fs.Var(&o.envRemove, "env-remove", "")
	fs.Var(&o.envFiles, "env-file", "")
	fs.Var(&o.env, "env", "")
	fs.StringVar(&o.runIDEnv, "run-id-env", "", "")
	return fs
}

func given(fs *flag.FlagSet) map[string]bool {
	names := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { names[f.Name] = true })
	return names
}

// repeatableBool is a switch that may be given again to no effect.
type repeatableBool bool

func (b *repeatableBool) String() string   { return "" }
func (b *repeatableBool) IsBoolFlag() bool { return true }
func (b *repeatableBool) Repeats() bool    { return true }

func (b *repeatableBool) Set(string) error {
	*b = true
	return nil
}
