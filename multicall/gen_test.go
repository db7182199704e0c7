package main

import (
	"strings"
	"testing"

	"processkit-cli/multicall/gen"
)

func generated(t *testing.T) map[string]string {
	t.Helper()
	help, _ := invoke(t, 0, "processkit-cli", "--help")
	files, err := gen.Files(suite(), help)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestGenerated(t *testing.T) {
	for _, dir := range []string{"man", "completions"} {
		files := map[string]string{}
		for name, text := range generated(t) {
			if below, ok := strings.CutPrefix(name, dir+"/"); ok {
				files[below] = text
			}
		}
		golden(t, "../docs/"+dir, files)
	}
}
