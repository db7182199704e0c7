// Package registry is the directory in which running commands can be found.
//
// A run has two files there, under a name that says nothing about it:
//
//	<stem>.json   what is known about the run, written once, atomically
//	<stem>.lock   locked (flock, LockFileEx) for as long as the runner lives
//
// The lock is the only evidence of life. The kernel drops it however the
// runner ends, so a record without a held lock is a leftover, which Prune
// removes. Nothing is addressed by pid.
//
//	Register: create lock ─ lock it ─ still ours? ─ write .tmp ─ rename to .json
//	Remove:   delete .json ─ delete .lock ─ close
//	Prune:    share the lock ─ leaf, socket ─ delete .json ─ delete .lock ─ close
//
// Records are bytes that somebody else wrote: readers take regular files only,
// bound what they read, check each field, and skip what does not conform.
package registry

import "os"

// DirEnv names the environment variable that overrides the place of the
// registry.
const DirEnv = "PROCESSKIT_CLI_REGISTRY_DIR"

// Dir returns where the registry is, whether or not it exists.
func Dir() (string, error) {
	if dir := os.Getenv(DirEnv); dir != "" {
		return dir, nil
	}
	return defaultDir()
}
