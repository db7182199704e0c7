package file

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// open can open a directory as well, so that the refusal says what it is.
func open(path string, follow bool) (*os.File, error) {
	flags := uint32(windows.FILE_FLAG_BACKUP_SEMANTICS)
	if !follow {
		flags |= windows.FILE_FLAG_OPEN_REPARSE_POINT
	}
	return Create(path, windows.GENERIC_READ, windows.OPEN_EXISTING, flags)
}

// Create is Handle for a file of package os.
func Create(path string, access, disposition, flags uint32) (*os.File, error) {
	h, err := Handle(path, access, disposition, flags)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), path), nil
}

// Handle is CreateFile with everything shared, deletion too, which package os
// does not: what is open could not be renamed or removed. Without security
// attributes the handle is not inherited.
func Handle(path string, access, disposition, flags uint32) (windows.Handle, error) {
	return handle(path, access, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, disposition, flags)
}

func handle(path string, access, share, disposition, flags uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return windows.InvalidHandle, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	h, err := windows.CreateFile(name, access, share, nil, disposition, flags, 0)
	if err != nil {
		return h, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return h, nil
}

// Remove deletes a file, whose name is free at once, also while somebody has
// it open. DeleteFile does that on NTFS since Windows 10 1903; before, a name
// goes with the last handle. Of several who remove one file one succeeds.
func Remove(path string) error {
	err := patiently(func() error { return removeNow(path) }, windows.ERROR_SHARING_VIOLATION)
	if err == nil {
		return nil
	}
	return os.Remove(path)
}

// removeNow does not share the right to delete, so that nobody else has it.
func removeNow(path string) error {
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE
	h, err := handle(path, windows.DELETE, share, windows.OPEN_EXISTING, windows.FILE_FLAG_OPEN_REPARSE_POINT)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	// FILE_DISPOSITION_INFO_EX is these flags, nothing else.
	flags := uint32(windows.FILE_DISPOSITION_DELETE | windows.FILE_DISPOSITION_POSIX_SEMANTICS)
	return windows.SetFileInformationByHandle(h, windows.FileDispositionInfoEx,
		(*byte)(unsafe.Pointer(&flags)), uint32(unsafe.Sizeof(flags)))
}

// Replace renames a file, over another one if need be. A reader of that one,
// or a scanner that looks into the new one, can be in the way for a moment.
func Replace(from, to string) error {
	return patiently(func() error { return os.Rename(from, to) }, windows.ERROR_ACCESS_DENIED, windows.ERROR_SHARING_VIOLATION)
}

// patiently repeats what fails because somebody else is at it.
func patiently(do func() error, busy ...error) error {
	const most = time.Second
	for began, pause := time.Now(), time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := do()
		if !slices.ContainsFunc(busy, func(b error) bool { return errors.Is(err, b) }) || time.Since(began) > most {
			return err
		}
		time.Sleep(pause)
	}
}
