//go:build unix

package capture

import "syscall"

// nonblock keeps a FIFO without a reader from hanging the open.
const nonblock = syscall.O_NONBLOCK
