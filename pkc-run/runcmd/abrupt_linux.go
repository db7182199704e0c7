package runcmd

// abruptCleanup: a killed runner takes the root child with it (the
// parent-death signal), and nothing else.
const abruptCleanup = "direct_child_only"
