package registry

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"processkit-cli/pkcshared/file"
)

const (
	// orphanAge protects a starting run, which has a lock file and no record
	// for a moment.
	orphanAge = 5 * time.Second

	// leafPatience bounds, over a whole Prune, the wait for cgroup leaves to
	// run empty: the members of a run that was killed a moment ago may still
	// be dying.
	leafPatience = time.Second
)

// PruneOptions say what Prune looks at and whether it deletes.
type PruneOptions struct {
	DryRun bool
	Labels [][2]string // with any, lone locks are left alone
}

// Pruned tells what Prune did, or with DryRun what it would have done.
type Pruned struct {
	Entries  int // stale records
	Live     int
	Unprobed int
	Orphans  int // lock files without a record

	Candidates []Candidate // of a dry run
	Busy       []string    // cgroup leaves that still hold processes, left alone
	Kept       []error     // why files are still there that are counted as removed
}

// Candidate is what a dry run found to remove: a stale record, or a lock file
// without one.
type Candidate struct {
	RunID, StartedAt string
	SocketDir        string // empty if there is none

	LockFile string // name of a lone lock; then the others are empty
}

// Prune removes what runs have left behind that did not end in order: socket,
// cgroup leaf, record and lock file of every stale entry, and lock files that
// never got a record. What it cannot delete it still counts. Any number of
// prunes may run at once; each leftover is counted by one.
func Prune(dir string, o PruneOptions) (Pruned, error) {
	files, err := list(dir)
	if err != nil {
		return Pruned{}, err
	}
	p := pruner{opts: o, dir: dir, locks: map[string]bool{}, until: time.Now().Add(leafPatience)}
	for _, f := range load(dir, files) {
		if f.HasLabels(o.Labels) {
			p.entry(f)
		}
	}
	if len(o.Labels) == 0 {
		p.orphans(files)
	}
	return p.out, nil
}

type pruner struct {
	opts  PruneOptions
	dir   string
	locks map[string]bool // names of lock files that went with their records
	until time.Time       // end of the patience with leaves
	out   Pruned
}

func (p *pruner) entry(f Found) {
	health, lock := hold(f.lock)
	defer lock.Close()
	if absent(f.Path) {
		return // ended in order, or fell to another prune, since it was read
	}
	switch health {
	case Live:
		p.out.Live++
		return
	case Unprobed:
		p.out.Unprobed++
		return
	}
	p.locks[filepath.Base(f.lock)] = true
	socket := reapable(f.Endpoint)
	if p.opts.DryRun {
		p.out.Entries++
		p.out.Candidates = append(p.out.Candidates, Candidate{RunID: f.RunID, StartedAt: f.StartedAt, SocketDir: socket})
		return
	}
	// The record goes last but for its lock: what a crash leaves here is found again.
	if f.Cgroup != nil && removeLeaf(*f.Cgroup, p.until) {
		p.out.Busy = append(p.out.Busy, *f.Cgroup)
	}
	if socket != "" {
		removeSocket(socket)
	}
	err := p.remove(f.Path)
	if lock != nil && names(f.lock, lock) {
		_ = p.remove(f.lock)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		p.out.Entries++
	}
}

// orphans goes through the lock files that had no record when files was listed.
func (p *pruner) orphans(files []string) {
	files = slices.Sorted(slices.Values(files))
	for _, name := range files {
		if len(name) <= len(lockExt) || !strings.HasSuffix(name, lockExt) || p.locks[name] {
			continue
		}
		if _, ok := slices.BinarySearch(files, stemOf(name)+recordExt); !ok {
			p.orphan(name)
		}
	}
}

func (p *pruner) orphan(name string) {
	path := filepath.Join(p.dir, name)
	record := stemOf(path) + recordExt
	fi, err := os.Lstat(path)
	if err != nil || time.Since(fi.ModTime()) < orphanAge || !absent(record) {
		return
	}
	health, lock := hold(path)
	defer lock.Close()
	switch {
	case health == Live:
		p.out.Live++
	case health == Unprobed:
		p.out.Unprobed++
	case lock == nil || !names(path, lock) || !absent(record):
		// Gone, or not the file that was judged.
	case p.opts.DryRun:
		p.out.Orphans++
		p.out.Candidates = append(p.out.Candidates, Candidate{LockFile: name})
	default:
		file.Remove(stemOf(path) + tempExt)
		if err := p.remove(path); !errors.Is(err, fs.ErrNotExist) {
			p.out.Orphans++
		}
	}
}

func (p *pruner) remove(path string) error {
	err := file.Remove(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.out.Kept = append(p.out.Kept, err)
	}
	return err
}

// absent reports whether there is certainly nothing at path, not even a
// dangling link.
func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
