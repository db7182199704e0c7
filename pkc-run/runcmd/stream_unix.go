//go:build unix

package runcmd

import "os"

// openEmpty opens a stream at its start. Appending leaves no hole where
// somebody empties the file meanwhile.
func openEmpty(path string, sig *signals) (*os.File, error) {
	return openPatiently(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600, sig)
}
