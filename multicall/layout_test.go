package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// pkg is what `go list -json` tells about a package.
type pkg struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
}

const prefix = "processkit-cli/"

// The platforms whose imports differ.
var systems = []string{"linux", "windows", "darwin", "freebsd"}

func list(t *testing.T, goos string) []pkg {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("this host has no go command")
	}
	mods, err := exec.Command("go", "list", "-m", "-f", "{{.Path}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"list", "-json=ImportPath,Imports,TestImports,XTestImports,Deps"}
	for _, m := range strings.Fields(string(mods)) {
		args = append(args, m+"/...")
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(cmd.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// module is the first element below the prefix: the folder and module name.
func module(path string) (name, rest string) {
	name, rest, _ = strings.Cut(strings.TrimPrefix(path, prefix), "/")
	return name, rest
}

// forbidden says why an import of ours may not be, or nothing.
func forbidden(from, to string, test bool) string {
	fromMod, _ := module(from)
	toMod, toRest := module(to)
	switch {
	case fromMod == toMod:
		return ""
	case toMod == "multicall":
		return "nothing imports the multicall"
	case fromMod == "fixtures":
		return "fixtures stands alone"
	case toMod == "fixtures":
		if !test && toRest != "" {
			return "only tests look deeper into fixtures than its root"
		}
		return ""
	case fromMod == "pkcshared" && toMod != "pkcshared":
		return "pkcshared is below every tool"
	case fromMod != "multicall" && toMod != "pkcshared":
		return "a tool does not import another"
	}
	return ""
}

func TestArrows(t *testing.T) {
	for _, goos := range systems {
		for _, p := range list(t, goos) {
			report := func(imports []string, test bool) {
				for _, to := range imports {
					if !strings.HasPrefix(to, prefix) {
						continue
					}
					if why := forbidden(p.ImportPath, to, test); why != "" {
						t.Errorf("%s: %s -> %s: %s", goos, p.ImportPath, to, why)
					}
				}
			}
			report(p.Imports, false)
			report(p.TestImports, true)
			report(p.XTestImports, true)
		}
	}
}

// heavy are libraries that cost every start or megabytes; tests may use them.
var heavy = []string{
	"github.com/containerd/cgroups/v3/cgroup2",
	"github.com/santhosh-tekuri/jsonschema/v6",
	"github.com/rogpeppe/go-internal/testscript",
	"google.golang.org/protobuf",
	"net/http",
}

func TestLightDependencies(t *testing.T) {
	for _, p := range list(t, "linux") {
		mod, rest := module(p.ImportPath)
		if rest != "" || mod == "fixtures" {
			continue // the binaries are the module roots
		}
		for _, dep := range p.Deps {
			for _, h := range heavy {
				if dep == h || strings.HasPrefix(dep, h+"/") {
					t.Errorf("%s links %s", p.ImportPath, dep)
				}
			}
		}
	}
}
