package proc

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestParseStat(t *testing.T) {
	// Fields 4 to 52; %s is the state, the number of threads is field 20.
	const rest = ") %s 41 40 39 0 -1 4194560 1 2 3 4 11 12 13 14 20 0 %t 0 7654321 8 9 0 0\n"
	tests := []struct {
		name, state, threads string
		dead, stopped        bool
	}{
		{"plain", "S", "1", false, false},
		{"with space", "R", "2", false, false},
		{"a) Z 1 (b", "S", "1", false, false},
		{"((", "T", "1", false, true},
		{"))", "Z", "1", true, false},
		{"new\nline", "Z", "3", false, false}, // the leader is dead, its threads are not
		{"", "X", "0", true, false},
		{"traced", "t", "1", false, false},
	}
	for _, tt := range tests {
		text := strings.NewReplacer("%s", tt.state, "%t", tt.threads).Replace("42 (" + tt.name + rest)
		got, err := parseStat([]byte(text))
		want := Info{
			PID: 42, PPID: 41, PGID: 40, Session: 39, Name: tt.name, Start: 7654321,
			Dead: tt.dead, Stopped: tt.stopped, CPUTicks: 50,
		}
		if err != nil || got != want {
			t.Errorf("parseStat(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1", "1 (x", "(x) S 1", "x (y) S 1 2 3", "1 (x) S 1 2 3", "1 )x( S"} {
		if got, err := parseStat([]byte(text)); err == nil {
			t.Errorf("parseStat(%q) = %+v, want an error", text, got)
		}
	}
}

func TestSelf(t *testing.T) {
	self, err := Read(os.Getpid())
	if err != nil || self.PID != os.Getpid() || self.PPID != os.Getppid() || self.Dead {
		t.Fatalf("Read(self) = %+v, %v", self, err)
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.Same(self) {
			return
		}
	}
	t.Errorf("All() lacks the caller")
}

func TestNewest(t *testing.T) {
	before := Newest()
	c := exec.Command("/bin/true")
	if err := c.Run(); err != nil {
		t.Skip(err)
	}
	// Others start processes too, and the numbers can wrap around meanwhile.
	if after := Newest(); before <= 0 || after < c.Process.Pid && after > before {
		t.Errorf("Newest = %d, then %d with %d in between", before, after, c.Process.Pid)
	}
}

func TestReadGone(t *testing.T) {
	if _, err := Read(1 << 30); err != ErrGone {
		t.Errorf("Read of no process = %v, want ErrGone", err)
	}
}

func BenchmarkAll(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := All(); err != nil {
			b.Fatal(err)
		}
	}
}
