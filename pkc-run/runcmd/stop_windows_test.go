package runcmd_test

func stopAtStep() {}
