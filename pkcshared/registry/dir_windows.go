package registry

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"

	"golang.org/x/sys/windows"
)

func defaultDir() (string, error) {
	if local := os.Getenv("LOCALAPPDATA"); local != "" {
		return filepath.Join(local, "processkit-cli", "runs"), nil
	}
	if home := os.Getenv("USERPROFILE"); home != "" {
		return filepath.Join(home, ".local", "state", "processkit-cli", "runs"), nil
	}
	return "", errors.New("no place for the registry: none of " + DirEnv + ", LOCALAPPDATA and USERPROFILE is set")
}

// openList opens dir for listing. A file could be opened as well, and its list
// would look like that of a directory that is gone.
func openList(dir string) (*os.File, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	info, err := d.Stat()
	if err == nil && !info.IsDir() {
		err = &os.PathError{Op: "open", Path: dir, Err: windows.ERROR_DIRECTORY}
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// inherit makes files and folders below take over the entry.
const inherit = windows.OBJECT_INHERIT_ACE | windows.CONTAINER_INHERIT_ACE

// fileAllAccess is FILE_ALL_ACCESS of winnt.h.
const fileAllAccess = windows.STANDARD_RIGHTS_REQUIRED | windows.SYNCHRONIZE | 0x1FF

// ensureDir creates dir with its parents and gives it a protected DACL with
// the current user as its only entry. It writes the DACL only when it differs:
// setting one walks through everything below.
func ensureDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("current user: %w", err)
	}
	if only, err := ownerOnly(dir, user.User.Sid); only || err != nil {
		return err
	}
	var pin runtime.Pinner // the entry holds it as a number
	defer pin.Unpin()
	pin.Pin(user.User.Sid)
	acl, err := windows.ACLFromEntries([]windows.EXPLICIT_ACCESS{{
		AccessPermissions: fileAllAccess,
		AccessMode:        windows.SET_ACCESS,
		Inheritance:       inherit,
		Trustee: windows.TRUSTEE{
			TrusteeForm:  windows.TRUSTEE_IS_SID,
			TrusteeType:  windows.TRUSTEE_IS_USER,
			TrusteeValue: windows.TrusteeValueFromSID(user.User.Sid),
		},
	}}, nil)
	if err != nil {
		return fmt.Errorf("owner-only access list: %w", err)
	}
	return windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, acl, nil)
}

// ownerOnly reports whether dir already has the DACL that ensureDir would set.
func ownerOnly(dir string, user *windows.SID) (bool, error) {
	sd, err := windows.GetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return false, fmt.Errorf("access list of the registry: %w", err)
	}
	control, _, err := sd.Control()
	if err != nil {
		return false, err
	}
	acl, _, err := sd.DACL()
	if err != nil || acl == nil { // no DACL at all: open to everyone
		return false, nil
	}
	if control&windows.SE_DACL_PROTECTED == 0 || acl.AceCount != 1 {
		return false, nil
	}
	var ace *windows.ACCESS_ALLOWED_ACE
	if err := windows.GetAce(acl, 0, &ace); err != nil {
		return false, err
	}
	sid := (*windows.SID)(unsafe.Pointer(&ace.SidStart))
	return ace.Header.AceType == windows.ACCESS_ALLOWED_ACE_TYPE &&
		ace.Header.AceFlags == inherit &&
		ace.Mask == fileAllAccess &&
		sid.Equals(user), nil
}
