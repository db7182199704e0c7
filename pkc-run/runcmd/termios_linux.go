package runcmd

import "golang.org/x/sys/unix"

// Setting waits until what was written has been shown (tcsetattr TCSADRAIN).
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETSW
)
