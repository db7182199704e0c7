package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDockerfiles: built from a version, ending in nothing but what was built,
// not root, and started without a shell.
func TestDockerfiles(t *testing.T) {
	files, err := filepath.Glob("../../docs/install/*.Dockerfile")
	if err != nil || len(files) != 2 {
		t.Fatalf("%q, %v, want two Dockerfiles", files, err)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(b), "\\\n", "")
		var stages, last []string
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "FROM ") {
				stages, last = append(stages, strings.TrimSpace(line)), nil
			}
			last = append(last, strings.TrimSpace(line))
		}
		if len(stages) != 2 || !regexp.MustCompile(`^FROM --platform=\$BUILDPLATFORM golang:\d+\.\d+\.\d+ AS build$`).MatchString(stages[0]) || stages[1] != "FROM scratch" {
			t.Errorf("%s has stages %q", path, stages)
		}
		for _, line := range last {
			word, rest, _ := strings.Cut(line, " ")
			var argv []string
			switch {
			case word == "COPY" && !strings.HasPrefix(rest, "--from=build "):
				t.Errorf("%s: %s", path, line)
			case word == "ENTRYPOINT" && (json.Unmarshal([]byte(rest), &argv) != nil || len(argv) != 1 || argv[0][0] != '/'):
				t.Errorf("%s: %s", path, line)
			case word == "RUN" || word == "ADD" || word == "CMD":
				t.Errorf("%s: the last stage has a %s", path, word)
			}
		}
		for _, line := range []string{"USER 65532:65532"} {
			if !slices.Contains(last, line) {
				t.Errorf("%s has no %q", path, line)
			}
		}
		ignored, err := os.ReadFile(path + ".dockerignore")
		if err != nil || string(ignored) != ".git\nbin\ndist\n" {
			t.Errorf("%s.dockerignore = %q, %v", path, ignored, err)
		}
	}
}
