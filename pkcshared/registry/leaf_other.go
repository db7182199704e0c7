//go:build !linux

package registry

import "time"

// removeLeaf: there are no cgroups here.
func removeLeaf(string, time.Time) bool { return false }
