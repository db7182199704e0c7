package registry

import "golang.org/x/sys/unix"

// unlocked is sent when the runner's lock file, open for writing, is closed.
const unlocked = unix.NOTE_CLOSE_WRITE
