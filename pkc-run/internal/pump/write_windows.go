package pump

import "os"

func writeAll(f *os.File, b []byte) error {
	_, err := f.Write(b)
	return err
}
