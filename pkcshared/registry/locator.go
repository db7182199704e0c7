package registry

import (
	"path"
	"strings"
	"unicode"
)

// Names of what a run leaves behind if it dies, before a token that is its own.
const (
	LeafPrefix = "pkc-"      // its cgroup leaf
	SelfPrefix = "pkc-self-" // beside the leaf, where a runner with caps is itself

	ownPrefix  = LeafPrefix // of its socket directory as well
	socketName = "c.sock"
)

// SocketDir returns the directory of a Unix socket endpoint, false if the
// endpoint has not the shape <base>/pkc-<token>/c.sock that a runner writes.
// It goes by the text alone.
func SocketDir(endpoint string) (string, bool) {
	dir, name := path.Split(endpoint)
	dir = strings.TrimSuffix(dir, "/")
	return dir, name == socketName && isPlain(endpoint) && isOwnName(path.Base(dir))
}

// isPlain reports whether p is absolute and in its simplest spelling.
func isPlain(p string) bool {
	return path.IsAbs(p) && path.Clean(p) == p && !strings.ContainsFunc(p, unicode.IsControl)
}

// isOwnName reports whether name is pkc-<token>.
func isOwnName(name string) bool {
	token, ok := strings.CutPrefix(name, ownPrefix)
	return ok && IsToken(token)
}

// IsToken reports whether s is made as what tells the endpoints of runs apart:
// of ASCII letters, digits and "-".
func IsToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-')
	})
}
