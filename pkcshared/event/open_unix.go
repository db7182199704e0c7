//go:build unix

package event

import "golang.org/x/sys/unix"

const nonblock = unix.O_NONBLOCK | unix.O_NOCTTY
