//go:build linux || freebsd

package runcmd

import "golang.org/x/sys/unix"

func pipeCloexec(fds []int) error { return unix.Pipe2(fds, unix.O_CLOEXEC) }
