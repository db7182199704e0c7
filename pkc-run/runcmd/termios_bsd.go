//go:build darwin || freebsd

package runcmd

import "golang.org/x/sys/unix"

// Setting waits until what was written has been shown (tcsetattr TCSADRAIN).
const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETAW
)
