package runcmd

import "strings"

// Windows folds the case of environment names.
func sameEnvKey(a, b string) bool { return strings.EqualFold(a, b) }
