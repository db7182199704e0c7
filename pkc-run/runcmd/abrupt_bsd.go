//go:build darwin || freebsd

package runcmd

const abruptCleanup = "none"
