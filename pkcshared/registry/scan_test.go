package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestScanMissing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "no", "runs")
	if found, err := Scan(dir); len(found) != 0 || err != nil {
		t.Errorf("Scan(missing) = %v, %v, want nothing", found, err)
	}
	if p, err := Prune(dir, PruneOptions{}); p.Entries+p.Live+p.Unprobed+p.Orphans != 0 || err != nil {
		t.Errorf("Prune(missing) = %+v, %v, want zeros", p, err)
	}
	if !absent(filepath.Dir(dir)) {
		t.Errorf("%s exists, want nothing created", filepath.Dir(dir))
	}
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	if _, err := Scan(file); err == nil {
		t.Error("Scan(file) = nil, want an error")
	}
	if _, err := Prune(file, PruneOptions{}); err == nil {
		t.Error("Prune(file) = nil, want an error")
	}
}

func TestScanOrder(t *testing.T) {
	dir := t.TempDir()
	later := strings.Replace(record("b", "a", ""), stamp, "2027-02-03T04:05:06.008Z", 1)
	plant(t, dir, "4", record("a", "4", ""), false)
	plant(t, dir, "3", record("b", "3", ""), false)
	plant(t, dir, "2", record("b", "2", ""), false)
	plant(t, dir, "1", later, false)
	plant(t, dir, "0", record("B", "0", ""), false)
	found, err := Scan(dir)
	var got []string
	for _, f := range found {
		got = append(got, stemOf(filepath.Base(f.Path)))
	}
	if want := "0 4 2 3 1"; strings.Join(got, " ") != want || err != nil {
		t.Errorf("Scan order = %v, %v, want %s", got, err, want)
	}
}

func TestScanSkips(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "good", record("good", "good", ""), false)
	plant(t, dir, "torn", record("torn", "torn", "")[:40], true)
	plant(t, dir, "", record("nameless", "x", ""), false)
	plant(t, dir, "huge", record("huge", "huge", `"jsonl":"`+strings.Repeat("x", 1<<20)+`",`), true)
	write(t, filepath.Join(dir, "run.txt"), record("text", "run", ""))
	write(t, filepath.Join(dir, "run.JSON"), record("upper", "run", ""))
	write(t, filepath.Join(dir, "run.tmp"), record("temp", "run", ""))
	if err := os.Mkdir(filepath.Join(dir, "dir.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	if found, err := Scan(dir); ids(found) != "good" || err != nil {
		t.Errorf("Scan = %s, %v, want good", ids(found), err)
	}
	if after := tree(t, dir); after != before {
		t.Errorf("Scan changed the registry to %s", after)
	}
}

func TestReread(t *testing.T) {
	dir := t.TempDir()
	e := testEntry(t, dir, Record{RunID: "a", Endpoint: ptr("/tmp/pkc-a/c.sock")})
	found, err := Find(dir, "a")
	if err != nil || len(found) != 1 {
		t.Fatalf("Find = %v, %v, want one", found, err)
	}
	again, err := found[0].Reread()
	if err != nil || again.RunID != "a" || *again.Endpoint != "/tmp/pkc-a/c.sock" || again.Probe() != Live {
		t.Errorf("Reread() = %+v, %v, want the same record, live", again, err)
	}
	e.Remove()
	if _, err := found[0].Reread(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Reread() = %v, want fs.ErrNotExist", err)
	}
}

func TestHasLabels(t *testing.T) {
	r := Record{Labels: map[string]string{"a": "1", "b": ""}}
	tests := []struct {
		want [][2]string
		ok   bool
	}{
		{nil, true},
		{[][2]string{{"a", "1"}}, true},
		{[][2]string{{"a", "1"}, {"b", ""}}, true},
		{[][2]string{{"a", "1"}, {"a", "1"}}, true},
		{[][2]string{{"a", "1"}, {"a", "2"}}, false},
		{[][2]string{{"a", "2"}}, false},
		{[][2]string{{"A", "1"}}, false},
		{[][2]string{{"c", ""}}, false},
	}
	for _, tt := range tests {
		if got := r.HasLabels(tt.want); got != tt.ok {
			t.Errorf("HasLabels(%v) = %v, want %v", tt.want, got, tt.ok)
		}
	}
}

// BenchmarkCrowd reads and judges a registry of 10,000 leftovers.
func BenchmarkCrowd(b *testing.B) {
	dir := b.TempDir()
	for i := range 10_000 {
		stem := filepath.Join(dir, fmt.Sprintf("run-%032x-%016x", i, i))
		data := record(fmt.Sprint("job-", i), filepath.Base(stem), `"labels":{"team":"x"},"jsonl":"/home/u/runs/a.jsonl",`)
		if err := os.WriteFile(stem+recordExt, []byte(data), 0o600); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(stem+lockExt, nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			if found, err := Scan(dir); len(found) != 10_000 {
				b.Fatal(len(found), err)
			}
		}
	})
	b.Run("probe", func(b *testing.B) {
		found, _ := Scan(dir)
		for b.Loop() {
			for i := range found {
				if found[i].Probe() != Stale {
					b.Fatal(found[i].Health)
				}
			}
		}
	})
	b.Run("register", func(b *testing.B) {
		for b.Loop() {
			e, err := Register(dir, Record{RunID: "a", StartedAt: stamp})
			if err != nil {
				b.Fatal(err)
			}
			e.Remove()
		}
	})
}
