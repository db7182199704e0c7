package contain

import "golang.org/x/sys/unix"

// noteExit asks kqueue(2) for a process's end. It comes with its status.
const noteExit = unix.NOTE_EXIT
