package runcmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// living lists the processes that run a program of this test binary. Its
// directory is the binary's own, so they are of a test; and tests here run one
// after the other.
func living(t *testing.T, program string) []int {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer windows.CloseHandle(snapshot)
	var pids []int
	entry := windows.ProcessEntry32{}
	entry.Size = uint32(unsafe.Sizeof(entry))
	for err := windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		if strings.EqualFold(windows.UTF16ToString(entry.ExeFile[:]), filepath.Base(path)) && runs(entry.ProcessID, path) {
			pids = append(pids, int(entry.ProcessID))
		}
	}
	return pids
}

// runs reports whether a process lives and has a file as its program.
func runs(pid uint32, path string) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, pid)
	if err != nil {
		return false
	}
	defer windows.CloseHandle(h)
	if ended, _ := windows.WaitForSingleObject(h, 0); ended == windows.WAIT_OBJECT_0 {
		return false
	}
	var image [windows.MAX_LONG_PATH]uint16
	n := uint32(len(image))
	if windows.QueryFullProcessImageName(h, 0, &image[0], &n) != nil {
		return false
	}
	return strings.EqualFold(windows.UTF16ToString(image[:n]), path)
}

// gone expects that nothing of a finished run is left.
func (r *invocation) gone() {
	r.t.Helper()
	if pids := living(r.t, "child"); len(pids) > 0 {
		r.t.Errorf("alive after the run: %v", pids)
	}
}

// write makes files in the run's directory.
func (r *invocation) write(files map[string]string) {
	r.t.Helper()
	for name, content := range files {
		path := r.path(name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// put puts a program of this test binary where a test wants it.
func (r *invocation) put(program, to string) {
	r.t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		r.t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	r.write(map[string]string{to: string(b)})
}

// says waits until the child has written a line to its captured stdout.
func (r *invocation) says(line string) {
	r.t.Helper()
	waitFor(r.t, line+" from the child", func() bool {
		b, _ := os.ReadFile(r.path("cap", "stdout.log"))
		return strings.Contains("\n"+string(b), "\n"+line+"\n")
	})
}

// ended waits for the end and returns the stream.
func (r *invocation) ended(want int) stream {
	r.t.Helper()
	if got := r.wait(); got != want {
		r.t.Fatalf("code = %d, want %d; stderr: %s\n%s", got, want, r.err.String(), r.raw())
	}
	return r.stream()
}

// passHandle has the runner inherit the write end of a pipe, and returns both
// ends. The number of the handle is the same in every process that inherits it.
func (r *invocation) passHandle() (from, to *os.File) {
	r.t.Helper()
	from, to, err := os.Pipe()
	if err != nil {
		r.t.Fatal(err)
	}
	h := syscall.Handle(to.Fd())
	if err := syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
		r.t.Fatal(err)
	}
	r.cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{h}}
	r.t.Cleanup(func() { from.Close(); to.Close() })
	return from, to
}

// within runs f, which waits for what has no deadline of its own.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("%s: not within %v", what, limit)
	}
}
