package runcmd

const abruptCleanup = "whole_tree"
