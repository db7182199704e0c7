//go:build unix

package group

import "errors"

// errInexact says that this system cannot signal a group but by its number.
var errInexact = errors.New("by number only")

// state is whether a group has members, zombies included.
type state int

const (
	unknown state = iota // the number may be another group's
	there
	gone
)
