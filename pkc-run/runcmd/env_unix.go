//go:build unix

package runcmd

func sameEnvKey(a, b string) bool { return a == b }
