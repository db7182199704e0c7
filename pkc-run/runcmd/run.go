package runcmd

import (
	"errors"
	"os"
	"time"

	"processkit-cli/pkc-run/internal/capture"
	"processkit-cli/pkc-run/internal/contain"
	"processkit-cli/pkc-run/internal/pump"
	"processkit-cli/pkc-run/internal/supervise"
	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/exit"
)

// runner is one run from its setup to its last event.
type runner struct {
	*applet.Call
	plan    *Plan
	signals *signals
	stream  *os.File
	events  *event.Writer

	wd    string // our own directory
	cwd   string // of the child, absolute
	stdin *os.File
	env   []string
	files *capture.Files
	group contain.Group
	stdio *stdio
	tty   *terminal
	child *contain.Child
	pump  *pump.Pump

	presence presence
	ready    *os.File // wakes the launcher of a detached run
	launcher int      // its pid, or 0
	warnings string   // for it
}

// reached is told of every step of a run; tests stop a runner there.
var reached = func(step string) {}

// run is the story of one run. Every return after the stream is open has
// written runner_exit as its last line.
func run(c *applet.Call, p *Plan, sig *signals) (err error) {
	r := &runner{Call: c, plan: p, signals: sig}
	r.ready, r.launcher = takeReady()
	defer func() {
		if err != nil {
			r.tell(err.Error())
		}
	}()
	if sig.err != nil {
		r.Warn("stop signals end this process abruptly: %v", sig.err)
	}
	if err := r.openStream(); err != nil {
		return err
	}
	reached("stream")
	if err := r.setUp(); err != nil {
		return r.refuse(event.SourceSetup, err)
	}
	reached("setup")
	if sig := r.signals.pending(); sig != nil {
		return r.refuse(event.SourceCancelled, cancelledEarly(sig))
	}
	if err := r.contain(); err != nil {
		return r.refuse(event.SourceContainerError, err)
	}
	reached("container")
	if err := r.spawn(); err != nil {
		return err
	}
	defer r.tty.restore()
	r.announce()
	r.serve()
	reached("race")
	outcome := r.race()
	r.decide()
	reached("decided")
	return r.finish(p.ending(outcome))
}

// openStream resolves our own directory and opens the event stream. Without
// one nobody would know about the run, so nothing starts.
func (r *runner) openStream() error {
	var err error
	if r.wd, err = os.Getwd(); err != nil {
		return exit.Errorf(exit.Setup, "cannot tell the current directory: %w", err)
	}
	r.cwd = r.absolute(r.plan.Dir)
	if r.ready != nil { // the launcher looked too, but earlier
		if err := detachable(r.plan.JSONL); err != nil {
			return exit.Errorf(exit.Setup, "--jsonl: %w", err)
		}
	}
	if err := noInput(r.plan); err != nil {
		return err
	}
	r.stream, err = openEmpty(r.plan.JSONL, r.signals)
	if errors.Is(err, errEarly) {
		return cancelledEarly(r.signals.pending())
	}
	if err != nil {
		return exit.Errorf(exit.Setup, "--jsonl: %w", err)
	}
	r.events = event.NewWriter(newStreamFile(r.stream), func(err error) {
		r.Warn("the event stream ends here: %v", err)
	})
	return nil
}

// setUp opens what the child needs, in the order that faults are reported in.
func (r *runner) setUp() error {
	p := r.plan
	var err error
	if p.CaptureDir != "" {
		if r.files, err = capture.Open(p.CaptureDir, p.CaptureMax, r.stream); err != nil {
			return exit.Errorf(exit.Setup, "--capture-dir: %w", err)
		}
	}
	if p.StdinFile != "" {
		if r.stdin, err = openStdin(p.StdinFile, r.signals); err != nil {
			return setupError("stdin-file", err)
		}
	}
	var fromFiles [][2]string
	for _, path := range p.EnvFiles {
		entries, err := readEnvFile(path, r.signals)
		if err != nil {
			return setupError("env-file", err)
		}
		fromFiles = append(fromFiles, entries...)
	}
	r.env = buildEnv(os.Environ(), p, fromFiles)
	if r.stdio, err = newStdio(r.Call, p, r.stdin); err != nil {
		return exit.Errorf(exit.Setup, "cannot make the child's streams: %w", err)
	}
	return nil
}

// setupError leaves a wait that a signal ended to whoever reads the signal.
func setupError(flag string, err error) error {
	if errors.Is(err, errEarly) {
		return nil
	}
	return exit.Errorf(exit.Setup, "--%s: %w", flag, err)
}

func cancelledEarly(sig os.Signal) error {
	_, title := signalNames(sig)
	return exit.Errorf(exit.Cancelled, "run cancelled (%s) before the program was started", title)
}

func (r *runner) contain() error {
	var err error
	r.group, err = contain.Create(r.plan.Limits, r.launcher, r.publish)
	if err == nil {
		return nil
	}
	var limit *contain.LimitError
	if errors.As(err, &limit) {
		detail := limit.Err.Error()
		r.events.Write(&event.LimitHit{Limit: limit.Limit, Detail: &detail})
	}
	return r.containerFailed(event.PhaseCreate, err)
}

func (r *runner) containerFailed(phase string, err error) error {
	r.events.Write(&event.ContainerFailed{Phase: phase, Code: int(exit.Backend), Message: err.Error()})
	return exit.Errorf(exit.Backend, "%w", err)
}

// spawn starts the program. A failure is told in full before it returns.
func (r *runner) spawn() error {
	p := r.plan
	path := ""
	err := checkDir(p.Dir)
	if err == nil {
		path, err = findProgram(p.Argv[0], p.Dir, r.env)
	}
	if err != nil {
		return r.spawnFailed(err)
	}
	cmd := contain.Command{Path: path, Argv: p.Argv, Env: r.env, Dir: p.Dir}
	for i, f := range r.stdio.child {
		if cmd.Stdio[i], err = lend(f); err != nil {
			return r.spawnFailed(err)
		}
	}
	r.tty = findTerminal(p, r.In)
	cmd.Terminal, cmd.JobControl = r.tty.descriptor(), r.tty != nil
	cmd.NoWindow, cmd.CtrlBreak = p.NoWindow, p.CtrlBreak
	r.child, err = r.group.Spawn(cmd)
	r.stdio.closeChild()
	switch {
	case errors.Is(err, contain.ErrForeground):
		return r.foregroundFailed(err)
	case errors.Is(err, contain.ErrAttach):
		_ = r.group.Close()
		return r.refuse(event.SourceContainerError, r.containerFailed(event.PhaseAttach, err))
	case err != nil:
		return r.spawnFailed(explainSpawn(err, path, p.Dir, p.Argv, r.env))
	}
	r.tty.given(r.child.PID)
	return nil
}

func (r *runner) spawnFailed(err error) error {
	err = exit.Errorf(exit.Spawn, "cannot start %w", err)
	if cerr := r.group.Close(); cerr != nil {
		r.Warn("%v", cerr)
	}
	r.events.Write(&event.SpawnFailed{Code: int(exit.Spawn), Message: err.Error()})
	return r.refuse(event.SourceSpawnError, err)
}

// foregroundFailed ends a child that was born but never got the terminal and
// so never executed its program.
func (r *runner) foregroundFailed(err error) error {
	err = r.containerFailed(event.PhaseForeground, err)
	r.takeDown(ending{})
	return r.refuse(event.SourceContainerError, err)
}

// refuse ends a run that has no child: the last event, and the error.
func (r *runner) refuse(source string, err error) error {
	r.withdraw()
	r.events.Write(&event.RunnerExit{Code: int32(exit.CodeOf(err)), Source: source})
	return err
}

// announce tells that the child runs, and starts moving its output.
func (r *runner) announce() {
	r.listening()
	p := r.plan
	pid := uint32(r.child.PID)
	r.events.Write(&event.RunStarted{
		RunID:         p.RunID,
		Labels:        p.Labels,
		RootPID:       &pid,
		Mechanism:     r.group.Mechanism(),
		AbruptCleanup: abruptCleanup,
		Cwd:           &r.cwd,
		Command:       event.NewCommand(p.Argv, p.ArgvRaw),
	})
	r.tell(started + r.warnings)
	r.snapshot(event.ReasonSpawn)
	r.pump = r.stdio.pump(r.Call, p, r.files)
}

func (r *runner) snapshot(reason string) {
	members, err := r.group.Members()
	if err != nil {
		r.Warn("cannot list the members of the run: %v", err)
	}
	r.events.Write(&event.MembersSnapshot{Reason: reason, ReadError: err != nil, Members: event.MembersOf(members)})
}

func (r *runner) race() supervise.Outcome {
	p := r.plan
	race := supervise.Race{
		Signals:  r.signals.c,
		Exited:   r.child.Exited,
		Commands: r.presence.commands,
		Calls:    r.presence.calls,
		Timeout:  p.Timeout.Duration(),
		Idle:     p.Idle.Duration(),
		Interval: p.Interval.Duration(),
		Snapshot: func() { r.snapshot(event.ReasonInterval) },
		Stopped:  r.child.Stopped,
		Suspend:  r.tty.suspend,
	}
	if r.pump != nil {
		race.Silence, race.Pending = r.pump.Silence, r.pump.Pending
		if p.CancelOnOverflow {
			race.Overflow = r.pump.Overflow
		}
	}
	return race.Run()
}

// finish is the tail of every run that had a child.
func (r *runner) finish(e ending) error {
	if e.event != nil {
		r.events.Write(e.event)
	}
	done, by := r.takeDown(e)
	reached("torn down")
	r.drain(e)
	if r.files != nil {
		r.events.Write(&event.OutputCaptured{Stdout: r.files.Stdout.Close(), Stderr: r.files.Stderr.Close()})
	}
	reached("captured")
	r.withdraw()
	reached("withdrawn")
	r.events.Write(&event.RunnerExit{Code: int32(e.code), Source: e.source, ChildCode: e.child})
	if e.reason != "" {
		return exit.As(e.code, exit.Kind(e.source), "%s", e.account(by, done))
	}
	if s := leftovers(done); s != "" {
		r.Warn("%s", s)
	}
	return exit.Silent(e.code)
}

// measure reads what the tree used while its container still tells, and counts
// who lives of it.
func (r *runner) measure() *event.CleanupStarted {
	if r.plan.Limits.Any() {
		v := r.group.Evidence()
		r.events.Write(&event.LimitEvidence{Memory: v.Memory, Processes: v.Processes, CPU: v.CPU})
	}
	members, err := r.group.Members()
	var u contain.Usage
	if err == nil {
		u = r.group.Usage(members)
	}
	r.events.Write(&event.ResourceSummary{
		ReadError:        err != nil,
		PeakMemoryBytes:  u.PeakMemory,
		TotalCPUMs:       u.CPUMillis,
		IOReadBytes:      u.IORead,
		IOWriteBytes:     u.IOWrite,
		PeakProcessCount: u.PeakProcesses,
	})
	return &event.CleanupStarted{MembersBefore: len(members), ReadError: err != nil}
}

func (r *runner) takeDown(e ending) (done *event.CleanupFinished, by string) {
	before := r.measure()
	r.events.Write(before)
	var grace time.Duration
	if e.grace != nil {
		grace = e.grace.Duration()
	}
	done, by = supervise.TakeDown(r.group, e.soft, grace, before)
	if err := r.group.Close(); err != nil {
		r.Warn("%v", err)
	}
	r.events.Write(done)
	return done, by
}

// drain moves what the tree had written. Output of a child that ended by
// itself is waited for like that of any program, as long as its reader takes;
// a stop signal ends that wait.
func (r *runner) drain(e ending) {
	if r.pump == nil {
		return
	}
	const hold = 5 * time.Second
	natural := e.child != nil
	patient := func() bool { return natural && r.signals.pending() == nil }
	if !r.pump.Drain(hold, patient) {
		r.Warn("stopped waiting for output: a process outside the run holds the child's pipe, or nobody reads ours")
	}
	for {
		select {
		case err := <-r.pump.Lost:
			r.Warn("output was not echoed to its end: %v", err)
			continue
		default:
		}
		break
	}
}
