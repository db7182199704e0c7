package prunecmd

import (
	"fmt"
	"strings"

	"processkit-cli/pkcshared/registry"
	"processkit-cli/pkcshared/text"
)

// report is the line of prune --json.
type report struct {
	Pruned   int `json:"pruned"`
	Live     int `json:"live"`
	Unprobed int `json:"unprobed"`
	Orphans  int `json:"orphaned_locks"`

	Candidates []any `json:"candidates,omitzero"` // nil without --dry-run
}

type entry struct {
	Kind      string  `json:"kind"`
	RunID     string  `json:"run_id"`
	StartedAt string  `json:"started_at"`
	SocketDir *string `json:"socket_dir"`
}

type orphanedLock struct {
	Kind string `json:"kind"`
	Name string `json:"lock_file_name"`
}

func newReport(p registry.Pruned, dry bool) report {
	r := report{Pruned: p.Entries, Live: p.Live, Unprobed: p.Unprobed, Orphans: p.Orphans}
	if !dry {
		return r
	}
	r.Candidates = []any{}
	for _, c := range p.Candidates {
		if c.LockFile != "" {
			r.Candidates = append(r.Candidates, orphanedLock{"orphaned_lock", c.LockFile})
			continue
		}
		e := entry{Kind: "entry", RunID: c.RunID, StartedAt: c.StartedAt}
		if c.SocketDir != "" {
			e.SocketDir = &c.SocketDir
		}
		r.Candidates = append(r.Candidates, e)
	}
	return r
}

// prose is the report for people: the candidates of a dry run, then the tally.
func prose(p registry.Pruned, dry bool) string {
	verb, note := "pruned", ""
	if dry {
		verb, note = "would prune", " (dry run)"
	}
	if p.Entries+p.Live+p.Unprobed+p.Orphans == 0 {
		return "no stale entries to prune" + note + "\n"
	}
	var b strings.Builder
	for _, c := range p.Candidates {
		switch {
		case c.LockFile != "":
			b.WriteString(text.Clean(c.LockFile))
		default:
			fmt.Fprintf(&b, "run_id=%s started_at=%s", text.Clean(c.RunID), c.StartedAt)
		}
		if c.SocketDir != "" {
			b.WriteString(" socket_dir=" + text.Clean(c.SocketDir))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s %d, live %d, unprobed %d, orphaned locks %d\n", verb, p.Entries, p.Live, p.Unprobed, p.Orphans)
	return b.String()
}
