package runcmd

import "processkit-cli/pkc-run/internal/contain"

// Windows folds the case of environment names.
func sameEnvKey(a, b string) bool { return contain.CompareNames(a, b) == 0 }
