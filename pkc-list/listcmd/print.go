package listcmd

import (
	"maps"
	"slices"
	"strings"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/registry"
	"processkit-cli/pkcshared/text"
)

// entry is one line of list --json.
type entry struct {
	RunID      string            `json:"run_id"`
	Health     registry.Health   `json:"health"`
	StartedAt  string            `json:"started_at"`
	Hint       *string           `json:"hint"`
	ArgvSHA256 *string           `json:"argv_sha256"`
	Labels     map[string]string `json:"labels"`
	JSONL      *string           `json:"jsonl"`
	CaptureDir *string           `json:"capture_dir"`
	Endpoint   *string           `json:"endpoint"`
}

func printLines(out *applet.Output, found []registry.Found) error {
	for _, e := range found {
		err := out.JSON(entry{
			e.RunID, e.Health, e.StartedAt, e.Hint, e.ArgvSHA256, e.Labels, e.JSONL, e.CaptureDir, e.Endpoint,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func printTable(out *applet.Output, found []registry.Found) error {
	rows := [][]string{
		{"RUN_ID", "HEALTH", "STARTED_AT", "HINT", "ARGV_SHA256", "LABELS", "JSONL", "CAPTURE_DIR", "ENDPOINT"},
	}
	for _, e := range found {
		rows = append(rows, []string{
			text.Clean(e.RunID), string(e.Health), e.StartedAt, cell(e.Hint), digest(e.ArgvSHA256),
			pairs(e.Labels), cell(e.JSONL), cell(e.CaptureDir), cell(e.Endpoint),
		})
	}
	s := "no runs registered\n"
	if len(rows) > 1 {
		s = text.Table(rows)
	}
	_, err := out.WriteString(s)
	return err
}

func cell(s *string) string {
	if s == nil {
		return "-"
	}
	return text.Clean(*s)
}

// digest shortens a digest to what tells two apart.
func digest(s *string) string {
	if s == nil {
		return "-"
	}
	return (*s)[:12] + "..."
}

func pairs(labels map[string]string) string {
	if len(labels) == 0 {
		return "-"
	}
	var s []string
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		s = append(s, k+"="+labels[k])
	}
	return text.Clean(strings.Join(s, ","))
}
