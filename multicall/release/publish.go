package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"processkit-cli/pkcshared/applet"
)

const sumsName = "SHA256SUMS"

// publish fills the output directory, which must be empty: whatever it holds in
// the end is of this release.
func (p *plan) publish(ctx context.Context, c *applet.Call) error {
	if err := os.MkdirAll(p.out, program); err != nil {
		return err
	}
	if there, err := os.ReadDir(p.out); err != nil {
		return err
	} else if len(there) > 0 {
		return fmt.Errorf("%s is not empty", p.out)
	}
	for _, t := range p.targets {
		if err := p.pack(ctx, c, t); err != nil {
			return err
		}
	}
	if err := p.scripts(); err != nil {
		return err
	}
	sums, err := sum(p.out)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.out, sumsName), []byte(sums.String()), text); err != nil {
		return err
	}
	if p.base == "" {
		c.Warn("no manifests for Homebrew, Scoop and winget: --base-url (BASE_URL of make) says where releases are published")
		return nil
	}
	return p.manifests(filepath.Join(p.out, "manifests"), sums)
}

func (p *plan) pack(ctx context.Context, c *applet.Call, t target) error {
	files, err := p.suite(t)
	if err != nil {
		return err
	}
	if err := t.archive(p.out, t.stem(suiteName, p.version), files, p.time); err != nil {
		return err
	}
	if err := t.archive(p.out, t.stem(runnerName, p.version), p.runner(t), p.time); err != nil {
		return err
	}
	if t.os != "linux" || len(p.nfpm) == 0 {
		return nil
	}
	return p.packages(ctx, c, t)
}

// scripts adds the installers, which are published with what they install.
func (p *plan) scripts() error {
	found, err := match(p.root, "docs/install/install.*")
	if err != nil {
		return err
	}
	for _, src := range found {
		b, err := os.ReadFile(src)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(p.out, filepath.Base(src)), b, text); err != nil {
			return err
		}
	}
	return nil
}

// checksum is a line of SHA256SUMS.
type checksum struct{ hex, name string }

type checksums []checksum

// sum reads every file in dir, in the order of their names.
func sum(dir string) (checksums, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var sums checksums
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		sums = append(sums, sumOf(e.Name(), b))
	}
	return sums, nil
}

func sumOf(name string, content []byte) checksum {
	h := sha256.Sum256(content)
	return checksum{hex.EncodeToString(h[:]), name}
}

// String is what sha256sum(1) prints and checks.
func (s checksums) String() string {
	var b strings.Builder
	for _, c := range s {
		fmt.Fprintf(&b, "%s  %s\n", c.hex, c.name)
	}
	return b.String()
}

func (s checksums) of(name string) string {
	for _, c := range s {
		if c.name == name {
			return c.hex
		}
	}
	return ""
}
