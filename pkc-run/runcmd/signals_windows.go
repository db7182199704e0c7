package runcmd

import "os"

var stopSignals = [...]os.Signal{os.Interrupt}

func signalNames(os.Signal) (source, title string) { return "ctrl_c", "Ctrl-C" }

func dieOfQuit() {}
