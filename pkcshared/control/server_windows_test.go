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

// TestOtherOwner: the anonymous user owns this pipe, if it may be made so.
func TestOtherOwner(t *testing.T) {
	_, endpoint := newListener(t)
	conn, err := dial(endpoint, time.Now().Add(limit))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	sd, err := windows.SecurityDescriptorFromString("O:AN")
	if err != nil {
		t.Fatal(err)
	}
	owner, _, err := sd.Owner()
	if err != nil {
		t.Fatal(err)
	}
	err = raw.Control(func(h uintptr) {
		err := windows.SetSecurityInfo(windows.Handle(h), windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION, owner, nil, nil, nil)
		if err != nil {
			t.Skipf("needs the right to give a pipe to somebody else: %v", err)
		}
		if err := checkOwner(windows.Handle(h)); !errors.Is(err, errForeign) {
			t.Errorf("checkOwner = %v, want %v", err, errForeign)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
