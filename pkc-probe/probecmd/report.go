package probecmd

import (
	"fmt"
	"slices"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

// report is the output, field for field.
type report struct {
	ProbeVersion  int      `json:"probe_version"`
	Binary        string   `json:"binary"`
	Version       string   `json:"version"`
	SchemaVersion int      `json:"schema_version"`
	ExitCodeBand  band     `json:"exit_code_band"`
	Surface       []string `json:"surface"`
	Compatible    bool     `json:"compatible"`
	Mismatches    []string `json:"mismatches"`
}

type band struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// demands are what the caller requires; nil means anything.
type demands struct {
	schemaVersion *uint32
	band          *band
	surface       []string
}

func newReport(surface []string, want demands) report {
	r := report{
		ProbeVersion:  1,
		Binary:        "processkit-cli",
		Version:       applet.Version,
		SchemaVersion: event.SchemaVersion,
		ExitCodeBand:  band{int(exit.BandStart), int(exit.BandEnd)},
		Surface:       surface,
		Mismatches:    []string{},
	}
	unmet := func(format string, args ...any) {
		r.Mismatches = append(r.Mismatches, fmt.Sprintf(format, args...))
	}
	if v := want.schemaVersion; v != nil && *v != event.SchemaVersion {
		unmet("schema version %d is required, this is %d", *v, event.SchemaVersion)
	}
	if b := want.band; b != nil && *b != r.ExitCodeBand {
		unmet("exit code band %d-%d is required, this is %d-%d", b.Start, b.End, exit.BandStart, exit.BandEnd)
	}
	for _, token := range want.surface {
		if !slices.Contains(surface, token) {
			unmet("%s is not there", text.Quote(token))
		}
	}
	r.Compatible = len(r.Mismatches) == 0
	return r
}
