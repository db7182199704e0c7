//go:build !linux

package pump

import "os"

func (*Pump) bypass(*Stream, *busyness) bypassResult { return bypassUnusable }

func atEnd(*os.File) bool { return false }

func buffered(*os.File) int { return 0 }

func enlarge(*os.File) {}
