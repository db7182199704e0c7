package main

import (
	"errors"
	"regexp"
	"strings"
)

// target is a system and an architecture, by Go's names.
type target struct{ os, arch string }

func parseTarget(s string) (target, error) {
	if !regexp.MustCompile(`^[a-z0-9]+/[a-z0-9]+$`).MatchString(s) {
		return target{}, errors.New("--target: want OS/ARCH, such as linux/amd64")
	}
	os, arch, _ := strings.Cut(s, "/")
	return target{os, arch}, nil
}

func (t target) windows() bool { return t.os == "windows" }

// exe ends the name of a program.
func (t target) exe() string {
	if t.windows() {
		return ".exe"
	}
	return ""
}

// stem names an archive without its ending, and the one directory in it.
func (t target) stem(name, version string) string {
	return name + "_" + version + "_" + t.os + "_" + t.arch
}

func (t target) ending() string {
	if t.windows() {
		return ".zip"
	}
	return ".tar.gz"
}
