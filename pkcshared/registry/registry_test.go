package registry

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	stamp = "2027-02-03T04:05:06.007Z"
	role  = "PKC_REGISTRY_TEST_ROLE" // what the test binary plays when re-executed
)

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "holder": // registers argv[2] in argv[1], starts a child that outlives it, waits
		if _, err := Register(os.Args[1], Record{RunID: os.Args[2], StartedAt: stamp}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), role+"=linger")
		child.Stdin, child.Stderr = os.Stdin, os.Stderr
		if err := child.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("ready")
		io.Copy(io.Discard, os.Stdin)
	case "linger":
		io.Copy(io.Discard, os.Stdin)
	}
}

// startHolder starts a process that registers a run and holds its lock.
func startHolder(t *testing.T, dir, runID string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], dir, runID)
	cmd.Env = append(os.Environ(), role+"=holder")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close() // ends the lingering child, too
		cmd.Process.Kill()
		cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("holder says %q, %v", line, err)
	}
	return cmd
}

// testEntry makes an entry that lasts as long as the test at most.
func testEntry(t *testing.T, dir string, r Record) *Entry {
	t.Helper()
	if r.StartedAt == "" {
		r.StartedAt = stamp
	}
	e, err := Register(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Remove() })
	return e
}

// die ends the entry the way the kernel does for a runner that was killed.
func die(t *testing.T, e *Entry) {
	t.Helper()
	if err := e.lock.Close(); err != nil {
		t.Fatal(err)
	}
	e.lock = nil
}

// plant writes a record by hand, with stem.lock beside it unless lock is false.
func plant(t *testing.T, dir, stem, record string, lock bool) string {
	t.Helper()
	path := filepath.Join(dir, stem+recordExt)
	write(t, path, record)
	if lock {
		write(t, filepath.Join(dir, stem+lockExt), "")
	}
	return path
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// record returns a valid record with further fields, such as `"hint":"go",`.
func record(runID, stem, more string) string {
	return fmt.Sprintf(`{"registry_version":1,"run_id":%q,"endpoint":null,"started_at":%q,%s"liveness":{"kind":"advisory_lock","lock_file":%q}}`,
		runID, stamp, more, stem+lockExt)
}

// tree lists what is below dir.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		fmt.Fprintln(&b, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func ids(found []Found) string {
	var s []string
	for _, f := range found {
		s = append(s, f.RunID)
	}
	return strings.Join(s, " ")
}

func ptr(s string) *string { return &s }
