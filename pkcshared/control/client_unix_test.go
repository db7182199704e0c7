//go:build unix

package control

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestBadEndpoints(t *testing.T) {
	s, got := serve(t, "r")
	good := s.Endpoint()
	dir, name := filepath.Split(good)
	refused(
		t,
		strings.TrimPrefix(good, "/"), "/"+good, dir+"/"+name, dir+"./"+name, dir+"../"+filepath.Base(dir)+"/"+name,
		dir, dir+"d.sock", "/tmp/c.sock", "/tmp/pkc-/c.sock", "/tmp/pkc-a_b/c.sock", "/tmp/xkc-a/c.sock", good+"\x00", good+"\n", "@"+good,
		`\\.\pipe\processkit-cli-1-2-3`,
	)
	if all := got.all(); len(all) > 0 {
		t.Errorf("passed on = %q", all)
	}
}
