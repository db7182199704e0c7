package runcmd

import "os"

// openEmpty opens a stream at its start. Appending leaves no hole where
// somebody empties the file meanwhile; but a handle that may empty a file does
// not append (FILE_WRITE_DATA), so a regular file is opened once more.
func openEmpty(path string, sig *signals) (*os.File, error) {
	f, err := openPatiently(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600, sig)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return f, nil
	}
	_ = f.Close()
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600)
}
