package runcmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"

	"processkit-cli/pkcshared/text"
)

// defaultExtensions are tried where the child has no PATHEXT.
const defaultExtensions = ".COM;.EXE;.BAT;.CMD"

var errBatch = errors.New("a batch file is run by cmd.exe, which reads its arguments anew; " +
	"run cmd.exe itself: -- cmd.exe /d /c FILE")

// findProgram resolves a bare name through the child's own PATH, never in its
// directory, and a path against that directory. CreateProcess would look in
// ours, and would hand a batch file to cmd.exe without a word.
func findProgram(name, dir string, env []string) (string, error) {
	exts, ok := lookupEnv(env, "PATHEXT")
	if !ok || exts == "" {
		exts = defaultExtensions
	}
	base, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w", text.Quote(name), err)
	}
	if strings.ContainsAny(name, `\/:`) {
		path := inDir(name, base)
		if found := withExtension(path, exts); found != "" {
			path = found
		}
		return path, executable(name, path)
	}
	for _, d := range searchPath(env) {
		if d == "" {
			continue
		}
		if found := withExtension(filepath.Join(inDir(d, base), name), exts); found != "" {
			return found, executable(found, found)
		}
	}
	return "", fmt.Errorf("%s: not found in the child's PATH", text.Quote(name))
}

// searchPath is the child's PATH, or where the system's own programs are.
func searchPath(env []string) []string {
	if path, ok := lookupEnv(env, "PATH"); ok {
		return filepath.SplitList(path)
	}
	var dirs []string
	for _, f := range [...]func() (string, error){windows.GetSystemDirectory, windows.GetSystemWindowsDirectory} {
		if d, err := f(); err == nil {
			dirs = append(dirs, d)
		}
	}
	return dirs
}

// withExtension finds the file that a name without its extension means, or "".
func withExtension(path, exts string) string {
	if filepath.Ext(path) != "" && isFile(path) {
		return path
	}
	for e := range strings.SplitSeq(exts, ";") {
		if e == "" {
			continue
		}
		if e[0] != '.' {
			e = "." + e
		}
		if isFile(path + e) {
			return path + e
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// executable refuses what CreateProcess would not run as a program, or not as
// one with these arguments. shown is what the message names.
func executable(shown, path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		err = errors.Unwrap(err)
	case info.IsDir():
		err = errors.New("is a directory")
	case isBatch(path):
		err = errBatch
	default:
		return nil
	}
	return fmt.Errorf("%s: %w", text.Quote(shown), err)
}

// isBatch goes by the name, as CreateProcess does. Spaces and dots at its end
// are no part of it.
func isBatch(path string) bool {
	ext := filepath.Ext(strings.TrimRight(path, ". "))
	return strings.EqualFold(ext, ".bat") || strings.EqualFold(ext, ".cmd")
}

// inDir resolves path against dir, which is absolute. "\x" is on the drive of
// dir; "D:x" is in the current directory of drive D, which is dir if that is
// on the same drive.
func inDir(path, dir string) string {
	volume := filepath.VolumeName(path)
	switch {
	case filepath.IsAbs(path):
		return path
	case volume != "" && strings.EqualFold(volume, filepath.VolumeName(dir)):
		return filepath.Join(dir, path[len(volume):])
	case volume != "":
		if full, err := windows.FullPath(path); err == nil {
			return full
		}
		return path
	case path != "" && os.IsPathSeparator(path[0]):
		return filepath.VolumeName(dir) + path
	}
	return filepath.Join(dir, path)
}

// checkDir blames a bad --cwd before the program gets the blame.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && info.IsDir() {
		return nil
	}
	if err == nil {
		err = errors.New("not a directory")
	}
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("in --cwd %s: %w", text.Quote(dir), err)
}

// explainSpawn turns what CreateProcess said into what is wrong with which file.
func explainSpawn(err error, path, dir string, _, _ []string) error {
	name := text.Quote(path)
	switch {
	case dir != "" && errors.Is(err, windows.ERROR_DIRECTORY):
		return fmt.Errorf("in --cwd %s: %w", text.Quote(dir), err)
	case errors.Is(err, windows.ERROR_BAD_EXE_FORMAT):
		return fmt.Errorf("%s: not an executable format (a script needs its interpreter: -- INTERPRETER %s)", name, filepath.Base(path))
	case errors.Is(err, windows.ERROR_ELEVATION_REQUIRED):
		return fmt.Errorf("%s: it asks for elevation, which only a caller that has it can give", name)
	}
	return fmt.Errorf("%s: %w", name, err)
}
