// Package installed finds the tools that a stand-alone pkc-probe can vouch
// for, by what the linker wrote into their files. Nothing is executed.
package installed

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"processkit-cli/fixtures"
	"processkit-cli/pkcshared/applet"
)

const (
	modules = "processkit-cli/"
	suite   = "processkit-cli" // the binary that holds every tool
	self    = "probe"
)

// Surface is what this tool and its installed siblings can do together.
func Surface() []string {
	dir := ""
	if path, err := os.Executable(); err == nil {
		dir = filepath.Dir(path)
	}
	return finder{dir, applet.Version}.surface()
}

// finder looks beside itself and on PATH for one version.
type finder struct{ dir, version string }

func (f finder) surface() []string {
	tokens := strings.Fields(fixtures.Surface)
	if f.has(suite, modules+"multicall") {
		return tokens
	}
	known := map[string]bool{self: true}
	return slices.DeleteFunc(tokens, func(token string) bool {
		tool, _, _ := strings.Cut(token, ":")
		there, asked := known[tool]
		if !asked {
			name := applet.LinkPrefix + tool
			there = f.has(name, modules+name, modules+"multicall")
			known[tool] = there
		}
		return !there
	})
}

// has reports whether a program of that name has our version and is built
// from one of the packages: the tool itself, or what its link leads to. Of
// those on PATH the first one counts, as it is the one that would be run.
func (f finder) has(name string, packages ...string) bool {
	var candidates []string
	if f.dir != "" {
		candidates = append(candidates, filepath.Join(f.dir, name+ext))
	}
	if path, err := exec.LookPath(name); err == nil {
		candidates = append(candidates, path)
	}
	return slices.ContainsFunc(candidates, func(path string) bool {
		info, err := os.Stat(path) // a FIFO would keep us waiting
		if err != nil || !info.Mode().IsRegular() {
			return false
		}
		build, err := buildinfo.ReadFile(path)
		return err == nil && slices.Contains(packages, build.Path) && versionOf(build) == f.version
	})
}

// versionTag starts the build tag that carries the version: of everything that
// a builder can say, -tags is what the linker records also under -trimpath,
// which leaves -ldflags out. See BUILD in the Makefile.
const versionTag = "processkit.version."

// versionOf is the version that a binary was built as, or nothing.
func versionOf(build *buildinfo.BuildInfo) string {
	for _, s := range build.Settings {
		if s.Key != "-tags" {
			continue
		}
		for tag := range strings.SplitSeq(s.Value, ",") {
			if version, ok := strings.CutPrefix(tag, versionTag); ok {
				return version
			}
		}
	}
	return ""
}
