package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

const summary = "Runs one command in a container, keeps its exit code, leaves nothing behind"

// manifest is what the templates say of a release.
type manifest struct {
	Name, Version, Summary, Homepage, Date string
	Tools                                  []string

	plan *plan
	sums checksums
}

// archiveOf is the archive for one target, as it is published.
type archiveOf struct{ URL, Hash, Dir string }

// manifests writes what each package manager reads into a directory of its own.
func (p *plan) manifests(dir string, sums checksums) error {
	tools, err := p.tools()
	if err != nil {
		return err
	}
	m := &manifest{
		Name: suiteName, Version: p.version, Summary: summary, Homepage: p.homepage(),
		Date: p.time.Format("2006-01-02"), Tools: tools, plan: p, sums: sums,
	}
	scoop, err := m.scoop()
	if err != nil {
		return err
	}
	files := map[string][]byte{"scoop/" + suiteName + ".json": scoop}
	for name, from := range map[string]string{
		"homebrew/" + suiteName + ".rb":             "formula.rb",
		"winget/" + wingetID + ".yaml":              "winget-version.yaml",
		"winget/" + wingetID + ".installer.yaml":    "winget-installer.yaml",
		"winget/" + wingetID + ".locale.en-US.yaml": "winget-locale.yaml",
	} {
		if files[name], err = m.render(from); err != nil {
			return err
		}
	}
	for name, b := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), program); err != nil {
			return err
		}
		if err := os.WriteFile(file, b, text); err != nil {
			return err
		}
	}
	return nil
}

// wingetID is publisher and package.
const wingetID = suiteName + "." + suiteName

func (m *manifest) render(name string) ([]byte, error) {
	t, err := template.New(name).
		Funcs(template.FuncMap{"upper": strings.ToUpper}).
		ParseFS(templates, "templates/"+name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, m)
	return b.Bytes(), err
}

// Archive fails for what is not in the release: no manifest names a file that
// nobody can download.
func (m *manifest) Archive(os, arch string) (archiveOf, error) {
	t := target{os, arch}
	dir := t.stem(suiteName, m.Version)
	name := dir + t.ending()
	hash := m.sums.of(name)
	if hash == "" {
		return archiveOf{}, fmt.Errorf("manifests need %s/%s among the targets", os, arch)
	}
	return archiveOf{m.plan.url(name), hash, dir}, nil
}

// WingetID is for templates.
func (m *manifest) WingetID() string { return wingetID }

// WingetArchs gives winget's names for ours.
func (m *manifest) WingetArchs() map[string]string {
	return map[string]string{"amd64": "x64", "arm64": "arm64"}
}

type scoopManifest struct {
	Version      string                `json:"version"`
	Description  string                `json:"description"`
	Homepage     string                `json:"homepage"`
	License      string                `json:"license"`
	Architecture map[string]scoopEntry `json:"architecture"`
	Bin          []string              `json:"bin"`
}

type scoopEntry struct {
	URL        string `json:"url"`
	Hash       string `json:"hash"`
	ExtractDir string `json:"extract_dir"`
}

func (m *manifest) scoop() ([]byte, error) {
	s := scoopManifest{m.Version, m.Summary, m.Homepage, "MIT", map[string]scoopEntry{}, nil}
	for name, arch := range map[string]string{"64bit": "amd64", "arm64": "arm64"} {
		a, err := m.Archive("windows", arch)
		if err != nil {
			return nil, err
		}
		s.Architecture[name] = scoopEntry{a.URL, a.Hash, a.Dir}
	}
	for _, tool := range append([]string{m.Name}, m.Tools...) {
		s.Bin = append(s.Bin, `bin\`+tool+".exe")
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "    ")
	err := enc.Encode(s)
	return b.Bytes(), err
}
