package event

import (
	"os"

	"processkit-cli/pkcshared/file"
)

// Open opens a stream for reading. It must be a regular file.
func Open(path string) (*os.File, error) { return file.Open(path) }
