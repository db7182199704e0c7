package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"time"
)

// archive writes files into a new archive in dir.
func (t target) archive(dir, stem string, files []file, mtime time.Time) error {
	f, err := os.OpenFile(filepath.Join(dir, stem+t.ending()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, text)
	if err != nil {
		return err
	}
	pack := tarball
	if t.windows() {
		pack = zipped
	}
	err = pack(f, below(stem, files), mtime)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// tarball has no entries for directories: those would change modes and times of
// the ones that are there where it is unpacked.
func tarball(w io.Writer, files []file, mtime time.Time) error {
	zw := gzip.NewWriter(w) // the best level takes thrice the time and saves a third of a percent
	tw := tar.NewWriter(zw)
	for _, f := range files {
		b, err := os.ReadFile(f.src)
		if err != nil {
			return err
		}
		h := &tar.Header{Format: tar.FormatUSTAR, Name: f.name, Mode: int64(f.mode), Size: int64(len(b)), ModTime: mtime}
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
		if _, err := tw.Write(b); err != nil {
			return err
		}
	}
	if err := tw.Close(); err != nil {
		return err
	}
	return zw.Close()
}

func zipped(w io.Writer, files []file, mtime time.Time) error {
	zw := zip.NewWriter(w)
	for _, f := range files {
		b, err := os.ReadFile(f.src)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: mtime}
		h.SetMode(f.mode)
		e, err := zw.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := e.Write(b); err != nil {
			return err
		}
	}
	return zw.Close()
}
