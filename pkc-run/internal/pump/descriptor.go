package pump

import "os"

// Descriptor is f's descriptor or handle, in the mode that it is in: Fd would
// set a descriptor to blocking, also for others who share it, and take f off
// Go's poller.
func Descriptor(f *os.File) (int, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return -1, err
	}
	fd := -1
	err = raw.Control(func(u uintptr) { fd = int(u) })
	return fd, err
}
