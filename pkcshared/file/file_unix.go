//go:build unix

package file

import (
	"os"

	"golang.org/x/sys/unix"
)

// open takes a file for reading only, which matters to watchers: closing such
// a descriptor is not the IN_CLOSE_WRITE of a runner that died.
func open(path string, follow bool) (*os.File, error) {
	flags := os.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY
	if !follow {
		flags |= unix.O_NOFOLLOW
	}
	return os.OpenFile(path, flags, 0)
}

// Remove deletes a file.
func Remove(path string) error { return os.Remove(path) }

// Replace renames a file, over another one if need be.
func Replace(from, to string) error { return os.Rename(from, to) }
