//go:build !linux && !darwin && !freebsd

package event

import (
	"context"
	"errors"
	"os"
)

// notifier does not exist here.
type notifier struct{}

func newNotifier(*os.File) (*notifier, error) { return nil, errors.ErrUnsupported }

func (*notifier) wait(context.Context) error { return errors.ErrUnsupported }

func (*notifier) close() {}
