package inspectcmd

import (
	"strconv"
	"strings"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/control"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/text"
)

func printJSON(c *applet.Call, v any) error {
	out := c.Output()
	if err := out.JSON(v); err != nil {
		return err
	}
	return out.Flush()
}

func printText(c *applet.Call, s string) error {
	out := c.Output()
	if _, err := out.WriteString(s); err != nil {
		return err
	}
	return out.Flush()
}

// overview is a table of all targets, then a block for each that answered.
func overview(seen []control.Seen) string {
	if len(seen) == 0 {
		return "no live runs to inspect\n"
	}
	rows := [][]string{{"RUN_ID", "STATUS", "ERROR"}}
	for _, s := range seen {
		rows = append(rows, []string{text.Clean(s.RunID), string(s.Status), clean(s.Error)})
	}
	var b strings.Builder
	b.WriteString(text.Table(rows))
	for _, s := range seen {
		if s.Snapshot != nil {
			b.WriteString("\n" + indent(block(*s.Snapshot)))
		}
	}
	return b.String()
}

// block is one run: a row for each field, then its members.
func block(s control.Snapshot) string {
	var b strings.Builder
	row := func(name, value string) { b.WriteString(name + ": " + value + "\n") }
	row("snapshot_version", strconv.Itoa(s.SnapshotVersion))
	row("run_id", text.Clean(s.RunID))
	row("mechanism", text.Clean(s.Mechanism))
	row("root_pid", number(s.RootPID))
	row("started_at", text.Clean(s.StartedAt))
	row("jsonl", clean(s.JSONL))
	row("capture_dir", clean(s.CaptureDir))
	if len(s.Members) == 0 {
		row("members", "none")
		return b.String()
	}
	row("members", strconv.Itoa(len(s.Members)))
	b.WriteString(indent(members(s.Members)))
	return b.String()
}

func members(list []event.Member) string {
	rows := [][]string{{"PID", "PPID", "NAME", "START_TIME"}}
	for _, m := range list {
		rows = append(rows, []string{number(&m.PID), number(m.PPID), clean(m.Name), clean(m.StartTime)})
	}
	return text.Table(rows)
}

func indent(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("  " + line)
	}
	return b.String()
}

func clean(s *string) string {
	if s == nil {
		return "-"
	}
	return text.Clean(*s)
}

func number(n *uint32) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatUint(uint64(*n), 10)
}
