//go:build darwin || freebsd

package runcmd

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// closeOnExec marks every open descriptor from first on.
func closeOnExec(first int) {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
}
