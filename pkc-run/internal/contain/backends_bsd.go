//go:build darwin || freebsd

package contain

import (
	"errors"
	"fmt"
	"os"
)

var errNoCaps = errors.New("a process group has no caps, and this system has nothing stronger")

func create(l Limits, _ int, _ func(string)) (Group, error) {
	if v := os.Getenv(EnvMechanism); v != "" && v != ProcessGroup {
		return nil, fmt.Errorf("%s must be unset or %q", EnvMechanism, ProcessGroup)
	}
	if l.Any() {
		return nil, &LimitError{l.first(), errNoCaps}
	}
	return strongest(), nil
}
