package contain

import (
	"errors"
	"fmt"
	"os"
)

var errForced = errors.New(EnvMechanism + "=" + ProcessGroup + " is set, and a process group has no caps")

func create(l Limits, launcher int, before func(leaf string)) (Group, error) {
	switch v := os.Getenv(EnvMechanism); v {
	case "":
	case ProcessGroup:
		if l.Any() {
			return nil, &LimitError{l.first(), errForced}
		}
		return newProcessGroup()
	default:
		return nil, fmt.Errorf("%s must be unset or %q", EnvMechanism, ProcessGroup)
	}
	g, err := newCgroup(l, launcher, before)
	if err == nil {
		return g, nil
	}
	if l.Any() {
		var le *LimitError
		if errors.As(err, &le) {
			return nil, err
		}
		return nil, &LimitError{l.first(), err}
	}
	return newProcessGroup()
}
