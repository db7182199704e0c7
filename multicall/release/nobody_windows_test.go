package main

import (
	"os/exec"
	"testing"
)

func asNobody(t *testing.T, _ *site, _ *exec.Cmd) { t.Fatal("nobody is root on Windows") }
