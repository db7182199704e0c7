package runcmd

import (
	"fmt"
	"io"
	"os"
	"strings"

	"processkit-cli/pkcshared/text"
)

// buildEnv makes the child's environment: inherited unless cleared, then
// removals, files in order, --env, the run id. The last writer of a key wins;
// entries that nothing touches stay as they are, byte for byte.
func buildEnv(inherited []string, p *Plan, files [][2]string) []string {
	var env []string
	if !p.EnvClear {
		env = append(env, inherited...)
	}
	for _, k := range p.EnvRemove {
		env = without(env, k)
	}
	set := func(k, v string) { env = append(without(env, k), k+"="+v) }
	for _, e := range files {
		set(e[0], e[1])
	}
	for _, e := range p.EnvSet {
		set(e[0], e[1])
	}
	if p.RunIDIs != "" {
		set(p.RunIDIs, p.RunID)
	}
	return env
}

func without(env []string, key string) []string {
	kept := env[:0]
	for _, e := range env {
		k, _, ok := strings.Cut(e, "=")
		if !ok || !sameEnvKey(k, key) {
			kept = append(kept, e)
		}
	}
	return kept
}

// lookupEnv finds a key in the child's environment.
func lookupEnv(env []string, key string) (string, bool) {
	for _, e := range env {
		if k, v, ok := strings.Cut(e, "="); ok && sameEnvKey(k, key) {
			return v, true
		}
	}
	return "", false
}

// maxEnvFile bounds a file that no exec could take whole anyway.
const maxEnvFile = 16 << 20

// readEnvFile waits as long as a FIFO or pipe takes, or until a stop signal.
func readEnvFile(path string, sig *signals) ([][2]string, error) {
	return patiently(sig, func() ([][2]string, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, maxEnvFile+1))
		if err != nil {
			return nil, err
		}
		if len(data) > maxEnvFile {
			return nil, fmt.Errorf("%s: larger than %d bytes", text.Quote(path), maxEnvFile)
		}
		entries, err := text.ParseEnvFile(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text.Quote(path), err)
		}
		return entries, nil
	})
}
