//go:build unix

package controltest

import (
	"io"
	"net"
	"os"
	"path/filepath"
)

// Endpoints of the right and of a wrong shape; nobody listens there.
const (
	absent    = "/tmp/pkc-0-0-0/c.sock"
	misshapen = "/tmp/c.sock"
)

// listen handles clients until stop, with package net, which shares no code
// with the real server.
func listen(handle func(io.ReadWriter)) (endpoint string, stop func(), err error) {
	dir, err := os.MkdirTemp("/tmp", "pkc-")
	if err != nil {
		return "", nil, err
	}
	endpoint = filepath.Join(dir, "c.sock")
	l, err := net.Listen("unix", endpoint)
	if err != nil {
		_ = os.RemoveAll(dir)
		return "", nil, err
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				handle(conn)
			}()
		}
	}()
	return endpoint, func() {
		_ = l.Close()
		_ = os.RemoveAll(dir)
	}, nil
}
