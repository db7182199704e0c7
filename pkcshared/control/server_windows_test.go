package control

import (
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"processkit-cli/fixtures/wine"
)

// TestOwnerOnly reads back what protects the pipe.
func TestOwnerOnly(t *testing.T) {
	l, _ := newListener(t)
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	sd, err := windows.GetSecurityInfo(l.pipe, windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		t.Fatal(err)
	}
	sid := user.User.Sid.String()
	got := sd.String()
	if !strings.HasPrefix(got, "O:"+sid+"D:P(A;;") || !strings.HasSuffix(got, ";;;"+sid+")") || strings.Count(got, "(") != 1 {
		t.Errorf("security of the pipe = %s, want one entry, for its owner %s", got, sid)
	}
}

// TestNoSecondServer: a name that is taken is not shared.
func TestNoSecondServer(t *testing.T) {
	wine.Skip(t, "makes a second first instance of a pipe")
	_, endpoint := newListener(t)
	if l, err := listen(endpoint); err == nil {
		_ = l.close()
		t.Errorf("two servers share %s", endpoint)
	}
}

func TestTrustedOwners(t *testing.T) {
	sid := func(s string) *windows.SID {
		t.Helper()
		id, err := windows.StringToSid(s)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	const user = "S-1-5-21-1-2-3-1001"
	for owner, want := range map[string]bool{
		user:                  true,
		"S-1-5-32-544":        true,  // administrators
		"S-1-5-18":            true,  // the system
		"S-1-5-21-1-2-3-1002": false, // another user
		"S-1-5-32-545":        false, // users
		"S-1-5-7":             false, // anonymous
		"S-1-1-0":             false, // everyone
	} {
		if got := trusted(sid(owner), sid(user)); got != want {
			t.Errorf("trusted(%s) = %v, want %v", owner, got, want)
		}
	}
}

// TestNobodysPipe: a pipe without a word on who owns it.
func TestNobodysPipe(t *testing.T) {
	if !wine.Is() {
		t.Skip("only under Wine does such a pipe have no owner")
	}
	endpoint, err := newEndpoint()
	if err != nil {
		t.Fatal(err)
	}
	name, err := windows.UTF16PtrFromString(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	h, err := windows.CreateNamedPipe(name, windows.PIPE_ACCESS_DUPLEX, windows.PIPE_TYPE_BYTE, 1, 0, 0, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer windows.CloseHandle(h)
	if conn, err := dial(endpoint, time.Now().Add(limit)); !errors.Is(err, errForeign) {
		conn.Close()
		t.Errorf("dial = %v, want %v", err, errForeign)
	}
}
