package control

import (
	"errors"
	"os"
	"time"
)

var errNoTransport = errors.New("no control transport for Windows in this build")

type listener struct{}

func newEndpoint() (string, error) { return "", errNoTransport }

func listen(string) (*listener, error) { return nil, errNoTransport }

func (*listener) accept() (*os.File, error) { return nil, os.ErrClosed }

func (*listener) close() error { return nil }

func sameUser(*os.File) bool { return false }

func dial(string, time.Time) (*os.File, error) { return nil, errNoTransport }
