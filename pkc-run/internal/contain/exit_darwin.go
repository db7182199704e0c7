package contain

import "golang.org/x/sys/unix"

// noteExit asks kqueue(2) for a child's end, with its status.
const noteExit = unix.NOTE_EXIT | unix.NOTE_EXITSTATUS
