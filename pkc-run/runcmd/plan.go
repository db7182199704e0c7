package runcmd

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"time"

	"processkit-cli/pkc-run/internal/contain"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

// Plan is a valid command line. Making one has no side effect.
type Plan struct {
	Argv    []string
	JSONL   string
	RunID   string
	named   bool   // the run id was given, so another run may have it
	RunIDIs string // environment key that tells the child its run id, or ""
	Labels  map[string]string
	Dir     string // as given, "" for the runner's own

	Timeout, Idle, Interval text.Millis  // 0 for none
	Grace                   *text.Millis // nil when not given
	Limits                  contain.Limits

	CaptureDir       string // as given, "" for none
	CaptureMax       uint64
	CancelOnOverflow bool

	InheritStdio, InheritStdin, NoEcho bool
	StdinFile                          string
	NoWindow, CtrlBreak                bool // see contain.Command

	ArgvRaw   bool
	EnvClear  bool
	EnvRemove []string
	EnvFiles  []string
	EnvSet    [][2]string
}

const defaultCaptureMax = 8 << 20

// conflicts are the pairs of flags that exclude each other.
var conflicts = [...][2]string{
	{"inherit-stdio", "capture-dir"},
	{"inherit-stdio", "create-no-window"},
	{"inherit-stdio", "idle-timeout"},
	{"inherit-stdio", "inherit-stdin"},
	{"inherit-stdio", "stdin-file"},
	{"inherit-stdio", "no-echo"},
	{"inherit-stdin", "stdin-file"},
	{"detach", "inherit-stdio"},
	{"detach", "inherit-stdin"},
	{"detach", "windows-graceful-ctrl-break"},
	{"create-no-window", "windows-graceful-ctrl-break"},
}

// requirements are flags that mean nothing without another.
var requirements = [...][2]string{
	{"capture-max-bytes", "capture-dir"},
	{"capture-overflow", "capture-dir"},
}

func usage(format string, args ...any) error { return exit.Errorf(exit.Usage, format, args...) }

func newPlan(o *options, argv []string) (*Plan, error) {
	if err := checkGiven(o, argv); err != nil {
		return nil, err
	}
	p := &Plan{
		Argv:         argv,
		JSONL:        o.jsonl,
		RunID:        o.runID,
		RunIDIs:      o.runIDEnv,
		Dir:          o.cwd,
		CaptureDir:   o.captureDir,
		CaptureMax:   defaultCaptureMax,
		InheritStdio: o.inheritStdio,
		InheritStdin: o.inheritStdin,
		NoEcho:       o.noEcho,
		StdinFile:    o.stdinFile,
		NoWindow:     o.createNoWindow,
		CtrlBreak:    o.gracefulCtrlBreak,
		ArgvRaw:      o.argvRaw,
		EnvClear:     bool(o.envClear),
		EnvRemove:    o.envRemove,
		EnvFiles:     o.envFiles,
	}
	j := judge{given: o.given}
	value(&j, "timeout", o.timeout, text.ParsePositiveDuration, &p.Timeout)
	value(&j, "idle-timeout", o.idleTimeout, text.ParsePositiveDuration, &p.Idle)
	value(&j, "snapshot-interval", o.interval, text.ParsePositiveDuration, &p.Interval)
	if o.given["grace"] {
		p.Grace = new(text.Millis)
		value(&j, "grace", o.grace, text.ParseDuration, p.Grace)
	}
	value(&j, "max-memory", o.maxMemory, text.ParseSize, &p.Limits.Memory)
	value(&j, "max-processes", o.maxProcesses, text.ParseCount, &p.Limits.Processes)
	value(&j, "cpu-quota", o.cpuQuota, text.ParseQuota, &p.Limits.CPU)
	value(&j, "capture-max-bytes", o.captureMaxBytes, text.ParseSize, &p.CaptureMax)
	value(&j, "capture-overflow", o.captureOver, parseOverflow, &p.CancelOnOverflow)
	if j.err != nil {
		return nil, j.err
	}
	if err := p.identity(o); err != nil {
		return nil, err
	}
	return p, p.environment(o)
}

// checkGiven judges which flags stand together, before what they say.
func checkGiven(o *options, argv []string) error {
	if !o.given["jsonl"] {
		return usage("--jsonl FILE is required")
	}
	paths := [...][2]string{
		{"jsonl", o.jsonl},
		{"cwd", o.cwd},
		{"capture-dir", o.captureDir},
		{"stdin-file", o.stdinFile},
	}
	for _, f := range paths {
		if o.given[f[0]] && f[1] == "" {
			return usage("--%s: want a path, got an empty string", f[0])
		}
	}
	if slices.Contains(o.envFiles, "") {
		return usage("--env-file: want a path, got an empty string")
	}
	if len(argv) == 0 || argv[0] == "" {
		return usage("a program is required: -- PROGRAM [ARG...]")
	}
	for _, c := range conflicts {
		if o.given[c[0]] && o.given[c[1]] {
			return usage("--%s and --%s exclude each other", c[0], c[1])
		}
	}
	for _, r := range requirements {
		if o.given[r[0]] && !o.given[r[1]] {
			return usage("--%s needs --%s", r[0], r[1])
		}
	}
	return nil
}

// judge keeps the first complaint about a value.
type judge struct {
	given map[string]bool
	err   error
}

func value[T any](j *judge, name, s string, parse func(string) (T, error), to *T) {
	if j.err != nil || !j.given[name] {
		return
	}
	v, err := parse(s)
	if err != nil {
		j.err = usage("--%s: %w", name, err)
		return
	}
	*to = v
}

func parseOverflow(s string) (cancel bool, err error) {
	switch s {
	case "truncate":
		return false, nil
	case "cancel":
		return true, nil
	}
	return false, errors.New("want truncate or cancel")
}

func (p *Plan) identity(o *options) error {
	if o.given["run-id"] {
		if err := text.CheckRunID(p.RunID); err != nil {
			return usage("--run-id: %w", err)
		}
		p.named = true
	} else {
		p.RunID = "run-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 10)
	}
	p.Labels = make(map[string]string, len(o.labels))
	for _, l := range o.labels {
		k, v, err := text.ParseLabel(l)
		if err != nil {
			return usage("--label: %w", err)
		}
		p.Labels[k] = v
	}
	return nil
}

func (p *Plan) environment(o *options) error {
	for _, k := range o.envRemove {
		if err := text.CheckEnvKey(k); err != nil {
			return usage("--env-remove: %w", err)
		}
	}
	for _, e := range o.env {
		k, v, err := text.ParseEnvEntry(e)
		if err != nil {
			return usage("--env: %w", err)
		}
		p.EnvSet = append(p.EnvSet, [2]string{k, v})
	}
	if !o.given["run-id-env"] {
		return nil
	}
	if err := text.CheckEnvKey(p.RunIDIs); err != nil {
		return usage("--run-id-env: %w", err)
	}
	for _, e := range p.EnvSet {
		if sameEnvKey(e[0], p.RunIDIs) {
			return usage("--run-id-env and --env both set %s", text.Quote(p.RunIDIs))
		}
	}
	return nil
}
