package runcmd

// OnReached has f told of every step of a run.
func OnReached(f func(step string)) { reached = f }
