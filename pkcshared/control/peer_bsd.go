//go:build darwin || freebsd

package control

import "golang.org/x/sys/unix"

// solLocal is SOL_LOCAL, unix(4).
const solLocal = 0

func peerUID(fd int) (int, error) {
	c, err := unix.GetsockoptXucred(fd, solLocal, unix.LOCAL_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(c.Uid), nil
}
