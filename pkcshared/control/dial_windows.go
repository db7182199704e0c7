package control

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// sameUser: the kernel held every client against the access list.
func sameUser(*os.File) bool { return true }

// dial connects to a pipe. While it is busy it tries again until the deadline,
// and for a moment where it is not there yet. The server learns who we are and
// cannot act as us.
func dial(endpoint string, deadline time.Time) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(endpoint)
	if err != nil {
		return nil, err
	}
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING,
			windows.FILE_FLAG_OVERLAPPED|windows.SECURITY_SQOS_PRESENT|windows.SECURITY_IDENTIFICATION, 0)
		switch {
		case err == nil:
			return owned(h, endpoint)
		case absent(err) && time.Since(began) < birth:
		case !errors.Is(err, windows.ERROR_PIPE_BUSY):
			return nil, err
		case time.Now().After(deadline):
			return nil, os.ErrDeadlineExceeded
		}
	}
}

var errForeign = errors.New("it belongs to another user")

// owned refuses a pipe that is neither this user's nor the system's: once a
// runner is gone, anybody can take the name.
func owned(h windows.Handle, endpoint string) (*os.File, error) {
	err := checkOwner(h)
	if err != nil {
		_ = windows.CloseHandle(h)
		return nil, err
	}
	return os.NewFile(uintptr(h), endpoint), nil
}

func checkOwner(h windows.Handle) error {
	sd, err := windows.GetSecurityInfo(h, windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("its owner: %w", err)
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return fmt.Errorf("its owner: %w", err)
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("current user: %w", err)
	}
	if !trusted(owner, user.User.Sid) {
		return errForeign
	}
	return nil
}

// trusted are the user, and those who could act as the user anyway: what an
// elevated process makes can belong to the administrators.
func trusted(owner, user *windows.SID) bool {
	return owner.Equals(user) || owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) || owner.IsWellKnown(windows.WinLocalSystemSid)
}

// absent says that nobody listens.
func absent(err error) bool { return errors.Is(err, windows.ERROR_FILE_NOT_FOUND) }

// hungUp says that the other end has closed.
func hungUp(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) ||
		errors.Is(err, windows.ERROR_PIPE_NOT_CONNECTED)
}
