//go:build darwin || freebsd

package contain

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// peek waits for the end of a child and leaves it a zombie. It fails where the
// child ended before it could be watched.
func peek(pid int) (syscall.WaitStatus, error) {
	queue, err := watch([]int{pid})
	if err != nil {
		return 0, err
	}
	defer unix.Close(queue)
	for {
		var events [1]unix.Kevent_t
		n, err := unix.Kevent(queue, nil, events[:], nil)
		if err == unix.EINTR || err == nil && n == 0 {
			continue
		}
		return syscall.WaitStatus(events[0].Data & unix.NOTE_PDATAMASK), err
	}
}

// awaitOne waits until one of some processes ends, at most d. It fails at once
// where one of them is gone already.
func awaitOne(pids []int, d time.Duration) error {
	queue, err := watch(pids)
	if err != nil {
		return err
	}
	defer unix.Close(queue)
	var events [1]unix.Kevent_t
	timeout := unix.NsecToTimespec(d.Nanoseconds())
	_, err = unix.Kevent(queue, nil, events[:], &timeout)
	return err
}

func watch(pids []int) (queue int, err error) {
	queue, err = unix.Kqueue()
	if err != nil {
		return -1, err
	}
	unix.CloseOnExec(queue)
	changes := make([]unix.Kevent_t, len(pids))
	for i, pid := range pids {
		unix.SetKevent(&changes[i], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
		changes[i].Fflags = noteExit
	}
	if _, err := unix.Kevent(queue, changes, nil, nil); err != nil {
		unix.Close(queue)
		return -1, err
	}
	return queue, nil
}
