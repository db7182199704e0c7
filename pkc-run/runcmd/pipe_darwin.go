package runcmd

import "syscall"

// macOS has no pipe2(2): the lock keeps a fork from seeing the ends first.
func pipeCloexec(fds []int) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := syscall.Pipe(fds); err != nil {
		return err
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	return nil
}
