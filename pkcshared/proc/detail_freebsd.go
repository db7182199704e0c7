package proc

import (
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// In struct kinfo_file (sys/user.h), which ends with the path and is cut
// after it.
const (
	kfStructSize = 0
	kfPath       = 368
)

var errDir = errors.New("the system does not tell its working directory")

// Dir returns the working directory of a process, by its name in the kernel.
func Dir(pid int) (string, error) {
	b, err := unix.SysctlRaw("kern.proc.cwd", pid)
	if err == unix.ESRCH {
		return "", ErrGone
	}
	if err != nil {
		return "", err
	}
	if len(b) <= kfPath || int(binary.LittleEndian.Uint32(b[kfStructSize:])) > len(b) {
		return "", errDir
	}
	dir := unix.ByteSliceToString(b[kfPath:])
	if dir == "" {
		return "", errDir
	}
	return dir, nil
}
