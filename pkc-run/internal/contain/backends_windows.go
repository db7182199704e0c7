package contain

import (
	"fmt"
	"os"
)

func create(l Limits, _ int, _ func(string)) (Group, error) {
	if v := os.Getenv(EnvMechanism); v != "" && v != JobObject {
		return nil, fmt.Errorf("%s must be unset or %q", EnvMechanism, JobObject)
	}
	return newJob(l)
}
