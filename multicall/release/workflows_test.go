package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// judge says what is wrong with a workflow. actionlint knows the language; these
// are the rules of this project.
func judge(text string) []string {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) != 1 {
		return []string{fmt.Sprintf("cannot be read: %v", err)}
	}
	top := doc.Content[0]
	var wrong []string
	if p := value(top, "permissions"); p == nil {
		wrong = append(wrong, "no permissions at the top")
	} else if p.Kind != yaml.MappingNode || slices.ContainsFunc(p.Content, func(n *yaml.Node) bool { return n.Value == "write" }) {
		wrong = append(wrong, "permissions at the top let every job write")
	}
	if strings.Contains(text, "pull_request_target") || strings.Contains(text, "workflow_run") {
		wrong = append(wrong, "a trigger that gives strangers' code a token")
	}
	jobs := value(top, "jobs")
	if jobs == nil {
		return append(wrong, "no jobs")
	}
	for i := 0; i < len(jobs.Content); i += 2 {
		if value(jobs.Content[i+1], "timeout-minutes") == nil {
			wrong = append(wrong, "job "+jobs.Content[i].Value+" has no timeout-minutes")
		}
	}
	return append(wrong, steps(jobs)...)
}

// steps judges every uses and run below n.
func steps(n *yaml.Node) (wrong []string) {
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	version := regexp.MustCompile(`^# v\d+\.\d+\.\d+$`)
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			switch key, v := n.Content[i].Value, n.Content[i+1]; {
			case key == "uses" && !pinned.MatchString(v.Value):
				wrong = append(wrong, v.Value+" is not pinned by a commit")
			case key == "uses" && !version.MatchString(v.LineComment):
				wrong = append(wrong, v.Value+" has no version beside it")
			case key == "uses" && strings.HasPrefix(v.Value, "actions/checkout@"):
				if with := value(n, "with"); with == nil || value(with, "persist-credentials") == nil {
					wrong = append(wrong, "checkout leaves its token in the tree")
				}
			case key == "run" && strings.Contains(v.Value, "${{"):
				wrong = append(wrong, "an expression inside a script: it belongs into env")
			}
		}
	}
	for _, c := range n.Content {
		wrong = append(wrong, steps(c)...)
	}
	return wrong
}

// value is what a mapping has under key, or nil.
func value(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v, want workflows", files, err)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range judge(string(b)) {
			t.Errorf("%s: %s", filepath.Base(path), w)
		}
	}
}

func TestJudge(t *testing.T) {
	const commit = "0123456789012345678901234567890123456789"
	const good = `on: push
permissions:
  contents: read
jobs:
  a:
    timeout-minutes: 5
    permissions:
      contents: write
    steps:
      - uses: actions/checkout@` + commit + ` # v1.2.3
        with:
          persist-credentials: false
      - run: make
        env:
          REF: ${{ github.ref }}
`
	if got := judge(good); len(got) > 0 {
		t.Errorf("judge(good) = %q, want nothing", got)
	}
	for _, tt := range []struct{ old, new, want string }{
		{"on: push", ":", "cannot be read"},
		{"permissions:\n  contents: read", "", "no permissions"},
		{"permissions:\n  contents: read", "permissions: write-all", "every job write"},
		{"contents: read", "contents: write", "every job write"},
		{"push", "pull_request_target", "trigger"},
		{"timeout-minutes: 5", "if: true", "no timeout"},
		{"jobs:", "others:", "no jobs"},
		{commit, "v1", "not pinned"},
		{commit, commit[:39], "not pinned"},
		{" # v1.2.3", "", "no version"},
		{" # v1.2.3", " # main", "no version"},
		{"persist-credentials", "fetch-depth", "token in the tree"},
		{"run: make", "run: echo ${{ github.event.issue.title }}", "expression"},
	} {
		got := judge(strings.Replace(good, tt.old, tt.new, 1))
		if len(got) != 1 || !strings.Contains(got[0], tt.want) {
			t.Errorf("judge with %q for %q = %q, want %q", tt.new, tt.old, got, tt.want)
		}
	}
}
