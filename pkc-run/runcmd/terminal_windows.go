package runcmd

import "os"

// terminal: a Windows console has no foreground group to hand over.
type terminal struct{}

func findTerminal(*Plan, *os.File) *terminal { return nil }

func (*terminal) descriptor() int { return -1 }

func (*terminal) given(int) {}

func (*terminal) restore() {}

func (*terminal) suspend() bool { return false }
