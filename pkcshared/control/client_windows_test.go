package control

import (
	"strings"
	"testing"
)

func TestBadEndpoints(t *testing.T) {
	s, got := serve(t, "r")
	good := s.Endpoint()
	token := strings.TrimPrefix(good, pipePrefix)
	refused(
		t,
		token, pipePrefix, good+" ", good+"\x00", good+"\n", good+`\`, good+"_", strings.ToUpper(good),
		strings.ReplaceAll(good, `\`, "/"), `\\localhost\pipe\processkit-cli-`+token, `\\?\pipe\processkit-cli-`+token,
		`\\.\pipe\..\pipe\processkit-cli-`+token, `\\.\pipe\other-`+token, `C:\x`, "/tmp/pkc-1-2-3/c.sock",
	)
	if all := got.all(); len(all) > 0 {
		t.Errorf("passed on = %q", all)
	}
}
