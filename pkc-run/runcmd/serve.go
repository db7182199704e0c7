package runcmd

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/control"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/registry"
	"processkit-cli/pkcshared/text"
)

// presence is the run as others find it: its record, and the socket that the
// record names. A run does without either rather than fail.
type presence struct {
	entry    *registry.Entry
	server   *control.Server
	opening  chan opened // the server to be, while listen works on it
	closing  chan error  // how closing the server went, once it has
	commands chan control.Verb
	calls    chan func()
	decided  chan struct{} // closed when the ending is decided
	record   registry.Record
}

var errDecided = errors.New("the ending of this run is decided")

// publish makes the run known before anything else is made that a crash would
// leave behind: what the record names, prune can remove.
func (r *runner) publish(leaf string) {
	p := &r.presence
	p.commands = make(chan control.Verb, 1)
	p.calls = make(chan func())
	p.decided = make(chan struct{})
	endpoint, err := control.NewEndpoint()
	if err != nil {
		r.Warn("the run takes no control commands: %v", err)
	}
	p.record = r.newRecord(leaf, endpoint)
	dir, err := registry.Dir()
	if err == nil {
		p.entry, err = registry.Register(dir, p.record)
	}
	if err != nil {
		r.Warn("the run is not in the registry: %v", err)
		return // and nobody could find its socket
	}
	reached("registered")
	if endpoint != "" {
		r.listen(endpoint)
	}
	reached("published")
	if r.plan.named {
		go r.warnOfTwins(dir)
	}
}

func (r *runner) newRecord(leaf, endpoint string) registry.Record {
	cmd := event.NewCommand(r.plan.Argv, false)
	jsonl := r.absolute(r.plan.JSONL)
	rec := registry.Record{
		RunID:      r.plan.RunID,
		StartedAt:  event.Timestamp(time.Now()),
		ArgvSHA256: &cmd.ArgvSHA256,
		Hint:       cmd.Hint,
		Labels:     r.plan.Labels,
		JSONL:      &jsonl,
	}
	if r.plan.CaptureDir != "" {
		dir := r.absolute(r.plan.CaptureDir)
		rec.CaptureDir = &dir
	}
	if endpoint != "" {
		rec.Endpoint = &endpoint
	}
	if leaf != "" {
		rec.Cgroup = &leaf
	}
	return rec
}

type opened struct {
	server *control.Server
	err    error
}

// listen makes the endpoint that the record names. A directory and a socket
// can take a disk a millisecond, so the container is made meanwhile.
func (r *runner) listen(endpoint string) {
	c := make(chan opened, 1)
	r.presence.opening = c
	go func() {
		s, err := control.Listen(endpoint)
		c <- opened{s, err}
	}()
}

// listening waits for listen. Without an endpoint the record names none.
func (r *runner) listening() {
	p := &r.presence
	if p.opening == nil {
		return
	}
	o := <-p.opening
	p.opening, p.server = nil, o.server
	if o.err == nil {
		return
	}
	r.Warn("the run takes no control commands: %v", o.err)
	p.record.Endpoint = nil
	if err := p.entry.Update(p.record); err != nil {
		r.Warn("the registry names an endpoint that does not exist: %v", err)
	}
}

// absolute resolves a path against the runner's own directory, never --cwd.
func (r *runner) absolute(path string) string {
	return filepath.Clean(inDir(path, r.wd))
}

// warnOfTwins runs beside the run. Listing a large registry takes longer than
// a short run, so there it comes a moment later.
func (r *runner) warnOfTwins(dir string) {
	const large, moment = 64 << 10, 100 * time.Millisecond
	if info, err := os.Stat(dir); err == nil && info.Size() > large {
		time.Sleep(moment)
	}
	warnOfTwins(r.Call, dir, r.plan.RunID)
}

func warnOfTwins(c *applet.Call, dir, runID string) {
	if registry.Count(dir, runID) > 1 {
		c.Warn("run id %s is in use by another live run; commands by id will call it ambiguous", text.Quote(runID))
	}
}

// serve answers clients from now on, with the child there to speak of.
func (r *runner) serve() {
	p := &r.presence
	if p.server == nil {
		return
	}
	p.server.Serve(control.Run{
		ID:       r.plan.RunID,
		Snapshot: r.controlSnapshot,
		Request: func(v control.Verb) {
			select {
			case p.commands <- v:
			default: // an earlier one is on its way; the first wins
			}
		},
	})
}

// controlSnapshot has the loop that owns the container look at it.
func (r *runner) controlSnapshot() (control.Snapshot, error) {
	answered := make(chan control.Snapshot, 1)
	select {
	case r.presence.calls <- func() { answered <- r.lookInside() }:
		return <-answered, nil
	case <-r.presence.decided:
		return control.Snapshot{}, errDecided
	}
}

func (r *runner) lookInside() control.Snapshot {
	// A failed read shows as no members, as the wire has no place for it.
	members, _ := r.group.Members()
	pid := uint32(r.child.PID)
	rec := &r.presence.record
	return control.Snapshot{
		SnapshotVersion: control.SnapshotVersion,
		RunID:           r.plan.RunID,
		Mechanism:       r.group.Mechanism(),
		RootPID:         &pid,
		StartedAt:       rec.StartedAt,
		JSONL:           rec.JSONL,
		CaptureDir:      rec.CaptureDir,
		Members:         event.MembersOf(members),
	}
}

// decide stops serving: from here on nobody can change how the run ends. The
// teardown does not wait for the endpoint to be removed.
func (r *runner) decide() {
	p := &r.presence
	close(p.decided)
	if p.server == nil {
		return
	}
	c := make(chan error, 1)
	p.closing = c
	go func() { c <- p.server.Close() }()
}

// withdraw takes the run out of the registry, and its endpoint away.
func (r *runner) withdraw() {
	p := &r.presence
	r.listening()
	var err error
	switch {
	case p.closing != nil:
		err = <-p.closing
	case p.server != nil:
		err = p.server.Close()
	}
	if err != nil {
		r.Warn("cannot remove the control endpoint: %v", err)
	}
	if err := p.entry.Remove(); err != nil {
		r.Warn("cannot leave the registry: %v", err)
	}
}
