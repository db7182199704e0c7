//go:build unix

package runcmd

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"processkit-cli/pkcshared/text"
)

// defaultPath is searched where the child has no PATH, as execvp(3) does.
const defaultPath = "/bin:/usr/bin"

// findProgram resolves a bare name through the child's own PATH. A name with
// a slash is the child's to resolve, against its own directory.
func findProgram(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	path, ok := lookupEnv(env, "PATH")
	if !ok {
		path = defaultPath
	}
	var denied error
	for _, d := range filepath.SplitList(path) {
		candidate := filepath.Join(d, name)
		if d == "" || d == "." {
			candidate = "./" + name // an empty element is the current directory
		}
		err := executable(inDir(candidate, dir))
		if err == nil {
			return candidate, nil
		}
		if denied == nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) {
			denied = fmt.Errorf("%s: %w", text.Quote(candidate), err)
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", fmt.Errorf("%s: not found in the child's PATH", text.Quote(name))
}

func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return errors.Unwrap(err)
	}
	if info.IsDir() {
		return unix.EISDIR
	}
	if !info.Mode().IsRegular() {
		return unix.EACCES // as execve(2) says
	}
	return unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS)
}

func inDir(path, dir string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// checkDir blames a bad --cwd before the program gets the blame.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = unix.ENOTDIR
	}
	if err == nil {
		err = unix.Faccessat(unix.AT_FDCWD, dir, unix.X_OK, unix.AT_EACCESS)
	}
	if err == nil {
		return nil
	}
	if pe := (*os.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("in --cwd %s: %w", text.Quote(dir), err)
}

// explainSpawn turns what execve(2) said into what is wrong with which file.
func explainSpawn(err error, path, dir string, argv, env []string) error {
	name := text.Quote(path)
	switch {
	case errors.Is(err, unix.ENOEXEC):
		return fmt.Errorf("%s: not an executable format (a script needs a #! line)", name)
	case errors.Is(err, unix.E2BIG):
		return fmt.Errorf("%s: %s", name, explainTooBig(argv, env))
	case errors.Is(err, unix.ETXTBSY):
		return fmt.Errorf("%s: still open for writing by another process", name)
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EACCES), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
		file := inDir(path, dir)
		if ferr := executable(file); ferr != nil {
			return fmt.Errorf("%s: %w", name, ferr)
		}
		if i := interpreter(file); i != "" {
			return fmt.Errorf("%s: its interpreter %s: %w", name, text.Quote(i), err)
		}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// interpreter reads the first word after "#!".
func interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n') // BINPRM_BUF_SIZE
	after, ok := strings.CutPrefix(string(line), "#!")
	if !ok {
		return ""
	}
	if words := strings.Fields(after); len(words) > 0 {
		return words[0]
	}
	return ""
}

// explainTooBig names the string that breaks the limit on one (Linux: 32
// pages, execve(2)), or the total. An environment value is never shown.
func explainTooBig(argv, env []string) string {
	limit := 32 * os.Getpagesize()
	total := 0
	for i, a := range argv {
		if len(a) >= limit {
			return fmt.Sprintf("argument %d has %d bytes, the limit for one is %d", i, len(a), limit-1)
		}
		total += len(a) + 1
	}
	for _, e := range env {
		if len(e) >= limit {
			k, _, _ := strings.Cut(e, "=")
			return fmt.Sprintf("environment variable %s has %d bytes, the limit for one is %d", text.Quote(k), len(e), limit-1)
		}
		total += len(e) + 1
	}
	return fmt.Sprintf("arguments and environment have %d bytes together, more than the system takes (ulimit -s)", total)
}
