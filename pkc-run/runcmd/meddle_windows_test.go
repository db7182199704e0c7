package runcmd_test

func meddle() {}
