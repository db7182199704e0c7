//go:build unix

package contain

import "processkit-cli/pkcshared/event"

var byTerm = Reach{event.ScopeWholeTree, "SIGTERM"}

func (*processGroup) Reach() Reach { return byTerm }
