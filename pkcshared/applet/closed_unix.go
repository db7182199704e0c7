//go:build unix

package applet

import (
	"errors"
	"syscall"
)

func isClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
