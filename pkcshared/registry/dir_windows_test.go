package registry

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"

	"processkit-cli/fixtures/wine"
)

func TestDir(t *testing.T) {
	tests := []struct{ env, local, profile, want string }{
		{`C:\e\runs`, `C:\l`, `C:\u`, `C:\e\runs`},
		{"", `C:\l`, `C:\u`, `C:\l\processkit-cli\runs`},
		{"", "", `C:\u`, `C:\u\.local\state\processkit-cli\runs`},
		{"", "", "", ""},
	}
	for _, tt := range tests {
		t.Setenv(DirEnv, tt.env)
		t.Setenv("LOCALAPPDATA", tt.local)
		t.Setenv("USERPROFILE", tt.profile)
		if got, err := Dir(); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("Dir() with %+v = %q, %v, want %q", tt, got, err, tt.want)
		}
	}
}

func TestRegisterOwnsItsDirectory(t *testing.T) {
	wine.Skip(t, "does not keep the access lists of directories")
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "a", "runs")
	check := func(when string) {
		t.Helper()
		testEntry(t, dir, Record{RunID: "a"})
		if only, err := ownerOnly(dir, user.User.Sid); !only || err != nil {
			t.Errorf("%s: ownerOnly = %v, %v, want true", when, only, err)
		}
	}
	check("new")
	wide, err := windows.SecurityDescriptorFromString("D:(A;;FA;;;WD)")
	if err != nil {
		t.Fatal(err)
	}
	acl, _, err := wide.DACL()
	if err != nil {
		t.Fatal(err)
	}
	err = windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.UNPROTECTED_DACL_SECURITY_INFORMATION, nil, nil, acl, nil)
	if err != nil {
		t.Fatal(err)
	}
	if only, err := ownerOnly(dir, user.User.Sid); only || err != nil {
		t.Errorf("ownerOnly(open to everyone) = %v, %v, want false", only, err)
	}
	check("widened")
}
