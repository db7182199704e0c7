package registry

import "golang.org/x/sys/unix"

// unlocked is sent when flock lets go of a file.
const unlocked = unix.NOTE_FUNLOCK
