package runcmd_test

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/windows"

	"processkit-cli/fixtures/child/childcmd"
)

func meddle() {}

// nativePrograms has the child under other names too: the test binary goes by
// the name that it was called by.
func nativePrograms() map[string]func() {
	child := func() { os.Exit(childcmd.Main(os.Args[1:])) }
	return map[string]func(){"press": press, "other": child, "odd": child}
}

// press EVENT PID: sends Ctrl-C (0) or Ctrl-Break (1) to every process on the
// console of a process, and again for every byte of stdin.
func press() {
	call := func(name string, args ...uintptr) {
		if ok, _, err := windows.NewLazySystemDLL("kernel32.dll").NewProc(name).Call(args...); ok == 0 {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
	}
	event, _ := strconv.Atoi(os.Args[1])
	pid, _ := strconv.Atoi(os.Args[2])
	_, _, _ = windows.NewLazySystemDLL("kernel32.dll").NewProc("FreeConsole").Call()
	call("AttachConsole", uintptr(pid))
	call("SetConsoleCtrlHandler", 0, 1) // not to us
	for again := []byte{0}; ; {
		call("GenerateConsoleCtrlEvent", uintptr(event), 0)
		if _, err := os.Stdin.Read(again); err != nil {
			return
		}
	}
}
