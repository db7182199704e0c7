package contain

import (
	"strings"
	"testing"
)

func TestResolveCgroup(t *testing.T) {
	const (
		proc   = "22 1 0:21 / /proc rw,relatime - proc proc rw\n"
		v1     = "30 29 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
		pure   = "31 25 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
		hybrid = "32 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		part   = "33 25 0:27 /user.slice /mnt/users rw - cgroup2 cgroup2 rw\n"
		spaces = "34 25 0:27 /a\\040b /mnt/x\\040y\\134z rw - cgroup2 none rw\n"
	)
	tests := []struct {
		name, mounts, own string
		want              string // empty for an error
	}{
		{"pure", proc + pure, "/user.slice/a", "/sys/fs/cgroup/user.slice/a"},
		{"root", proc + pure, "/", "/sys/fs/cgroup"},
		{"hybrid", proc + v1 + hybrid, "/x", "/sys/fs/cgroup/unified/x"},
		{"first that shows it", proc + part + pure, "/system.slice", "/sys/fs/cgroup/system.slice"},
		{"part of it", part, "/user.slice/u", "/mnt/users/u"},
		{"beside that part", part, "/user.slice2", ""},
		{"odd names", spaces, "/a b/c d", `/mnt/x y\z/c d`},
		{"names with dots", pure, "/..a/b", "/sys/fs/cgroup/..a/b"},
		{"above the namespace", pure, "/../x", ""},
		{"just above the namespace", pure, "/..", ""},
		{"v1 only", proc + v1, "/x", ""},
		{"nothing", "", "/x", ""},
		{"torn line", "31 25 0:27 / - cgroup2 cgroup2 rw\n", "/x", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := resolveCgroup(tt.mounts, tt.own)
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("resolveCgroup(%q) = %q, %v, want %q", tt.own, got, err, tt.want)
			}
		})
	}
}

func TestUnescapeMount(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""},
		{"/plain", "/plain"},
		{`/a\040b`, "/a b"},
		{`/t\011n\012b\134h\043`, "/t\tn\nb\\h#"},
		{`\134040`, `\040`},
		{`/end\04`, `/end\04`},
		{`/end\`, `/end\`},
		{`/not\999`, `/not\999`},
	}
	for _, tt := range tests {
		if got := unescapeMount(tt.in); got != tt.want {
			t.Errorf("unescapeMount(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestLineValue(t *testing.T) {
	const text = "populated 1\nfrozen 0\nVmHWM:\t   1234 kB\nodd\nnr_throttled 18446744073709551615\n"
	tests := []struct {
		key  string
		want uint64
	}{
		{"populated", 1},
		{"frozen", 0},
		{"VmHWM:", 1234},
		{"nr_throttled", 1<<64 - 1},
		{"odd", 0},
		{"popul", 0},
	}
	for _, tt := range tests {
		if got := lineValue(text, tt.key); got != tt.want {
			t.Errorf("lineValue(%q) = %d, want %d", tt.key, got, tt.want)
		}
	}
}

func TestIOStat(t *testing.T) {
	tests := []struct {
		text    string
		in, out uint64
	}{
		{"", 0, 0},
		{"8:0 rbytes=10 wbytes=20 rios=1 wios=2 dbytes=99 dios=9\n", 10, 20},
		{"8:0 rbytes=10 wbytes=20\n8:16 rbytes=5 wbytes=6\n253:0\n", 15, 26},
	}
	for _, tt := range tests {
		if in, out := ioStat(tt.text); in != tt.in || out != tt.out {
			t.Errorf("ioStat(%q) = %d, %d, want %d, %d", tt.text, in, out, tt.in, tt.out)
		}
	}
}

func TestToken(t *testing.T) {
	if a, b := token(), token(); a == b || strings.ContainsAny(a, "/ ") {
		t.Errorf("token() = %q, then %q", a, b)
	}
}

func TestCPUMax(t *testing.T) {
	tests := []struct {
		cores float64
		want  string // empty for an error
	}{
		{1, "100000 100000"},
		{0.5, "50000 100000"},
		{2.25, "225000 100000"},
		{0.333333, "33333 100000"},
		{0.01, "1000 100000"},
		{0.009, "9000 1000000"},
		{0.001, "1000 1000000"},
		{0.0009, ""},
		{1e9, "100000000000000 100000"},
		{1e12, ""},
	}
	for _, tt := range tests {
		if got, err := cpuMax(tt.cores); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("cpuMax(%v) = %q, %v, want %q", tt.cores, got, err, tt.want)
		}
	}
}
