package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"processkit-cli/pkcshared/applet"
)

// The formats that nfpm makes for us.
var formats = [...]string{"deb", "rpm", "apk"}

// recipe is the part of nfpm's configuration that we use. It reads YAML, and
// JSON is YAML.
type recipe struct {
	Name        string    `json:"name"`
	Arch        string    `json:"arch"`
	Platform    string    `json:"platform"`
	Version     string    `json:"version"`
	Section     string    `json:"section"`
	Priority    string    `json:"priority"`
	Maintainer  string    `json:"maintainer"`
	Description string    `json:"description"`
	License     string    `json:"license"`
	Homepage    string    `json:"homepage,omitempty"`
	MTime       time.Time `json:"mtime"`
	Contents    []content `json:"contents"`
	RPM         rpm       `json:"rpm"`
}

// rpm records the build host's name unless it gets another.
type rpm struct {
	BuildHost string `json:"buildhost"`
}

type content struct {
	Src  string `json:"src"`
	Dst  string `json:"dst"`
	Type string `json:"type,omitempty"`
	Info info   `json:"file_info"`
}

type info struct {
	Mode  os.FileMode `json:"mode,omitempty"`
	Owner string      `json:"owner"`
	Group string      `json:"group"`
	MTime time.Time   `json:"mtime"`
}

const description = `runs one command in a container and leaves nothing behind
Small tools that run one command inside an operating-system container, keep
its exit code exact, record its life as JSON lines, and leave nothing behind.`

// packages has nfpm make one package of each format. The recipes and what they
// need stay beside the programs, for whoever wants to look.
func (p *plan) packages(ctx context.Context, c *applet.Call, t target) error {
	stage := filepath.Join(p.bin, t.os, t.arch, "package")
	if err := os.MkdirAll(stage, program); err != nil {
		return err
	}
	for _, format := range formats {
		contents, err := p.contents(t, format, stage)
		if err != nil {
			return err
		}
		r := recipe{
			Name: suiteName, Arch: t.arch, Platform: t.os, Version: p.version,
			Section: "utils", Priority: "optional", License: "MIT",
			Maintainer: p.maintainer, Description: description, Homepage: p.homepage(),
			MTime: p.time, Contents: contents, RPM: rpm{"localhost"},
		}
		b, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		file := filepath.Join(stage, format+".json")
		if err := os.WriteFile(file, b, text); err != nil {
			return err
		}
		args := append(p.nfpm[1:len(p.nfpm):len(p.nfpm)], "package", "-f", file, "-p", format, "-t", p.out)
		cmd := exec.CommandContext(ctx, p.nfpm[0], args...)
		cmd.Env = append(cmd.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", p.time.Unix()))
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Run(); err != nil {
			_, _ = said.WriteTo(c.Err)
			return fmt.Errorf("%s for %s: %w", format, t.arch, err)
		}
	}
	return nil
}

// contents are the suite's files below /usr, as the format's distributions
// want them. The tools are links to the one binary.
func (p *plan) contents(t target, format, stage string) ([]content, error) {
	tools, err := p.tools()
	if err != nil {
		return nil, err
	}
	files, err := p.shared()
	if err != nil {
		return nil, err
	}
	var all []content
	for _, f := range append(files, p.programs(t, suiteName)...) {
		f, kind := adapted(f, format)
		if strings.HasSuffix(f.name, ".gz") {
			f.src, err = compressed(f, stage)
			if err != nil {
				return nil, err
			}
		}
		all = append(all, content{f.src, path.Join("/usr", f.name), kind, p.info(f.mode)})
	}
	for _, tool := range tools {
		all = append(all, content{suiteName, "/usr/bin/" + tool, "symlink", p.info(0)})
	}
	return all, nil
}

func (p *plan) info(mode os.FileMode) info { return info{mode, "root", "root", p.time} }

// adapted names f as the format's policy asks, and with .gz what it wants
// compressed; kind is nfpm's type.
func adapted(f file, format string) (_ file, kind string) {
	dir, base := path.Split(f.name)
	switch {
	case dir == "share/man/man1/":
		f.name += ".gz"
	case format == "deb" && dir == "share/zsh/site-functions/":
		f.name = "share/zsh/vendor-completions/" + base
	case format == "deb" && base == "LICENSE":
		f.name = dir + "copyright"
	case format == "deb" && base == "CHANGELOG.md":
		f.name = dir + "changelog.gz"
	case format != "deb" && base == "LICENSE":
		f.name = "share/licenses/" + suiteName + "/LICENSE"
		if format == "rpm" {
			kind = "license"
		}
	case format == "rpm" && strings.HasPrefix(dir, docDir+"/"):
		kind = "doc"
	}
	return f, kind
}

// compressed leaves f in the stage as gzip -9n does: no name, no time.
func compressed(f file, stage string) (string, error) {
	b, err := os.ReadFile(f.src)
	if err != nil {
		return "", err
	}
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(b); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	dst := filepath.Join(stage, path.Base(f.name))
	return dst, os.WriteFile(dst, buf.Bytes(), text)
}
