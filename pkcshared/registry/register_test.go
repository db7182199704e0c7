package registry

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestRegister(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "runs")
	e := testEntry(t, dir, Record{
		RunID: "lint-7 <&>", Endpoint: ptr("/tmp/pkc-a/c.sock"), ArgvSHA256: ptr(digest), Hint: ptr("go"),
		Labels: map[string]string{"b": "2", "a": "1"}, JSONL: ptr("/r/a.jsonl"), Cgroup: ptr("/c/pkc-a"),
	})
	stem := strings.TrimSuffix(filepath.Base(e.record), recordExt)
	want := `{"registry_version":1,"run_id":"lint-7 <&>","endpoint":"/tmp/pkc-a/c.sock","started_at":"` + stamp + `","argv_sha256":"` + digest +
		`","hint":"go","labels":{"a":"1","b":"2"},"jsonl":"/r/a.jsonl","capture_dir":null,"cgroup":"/c/pkc-a",` +
		`"liveness":{"kind":"advisory_lock","lock_file":"` + stem + `.lock"}}`
	got, err := os.ReadFile(e.record)
	if string(got) != want || err != nil {
		t.Errorf("record = %s, %v, want %s", got, err, want)
	}
	if got := tree(t, dir); strings.Count(got, "\n") != 3 {
		t.Errorf("registry holds %s, want the record and its lock", got)
	}
	found, err := Find(dir, "lint-7 <&>")
	if err != nil || len(found) != 1 || found[0].Health != Live || found[0].Path != e.record {
		t.Fatalf("Find = %+v, %v, want one live entry", found, err)
	}
	for range 2 {
		if err := e.Remove(); err != nil {
			t.Errorf("Remove() = %v, want nil", err)
		}
	}
	if got := tree(t, dir); got != dir+"\n" {
		t.Errorf("registry holds %s after Remove, want nothing", got)
	}
	if err := (*Entry)(nil).Remove(); err != nil {
		t.Errorf("Remove() of nothing = %v, want nil", err)
	}
}

func TestRemoveWhatIsGone(t *testing.T) {
	dir := t.TempDir()
	e := testEntry(t, dir, Record{RunID: "a"})
	os.Remove(e.record)
	os.Remove(e.lock.Name())
	if err := e.Remove(); err != nil {
		t.Errorf("Remove() = %v, want nil", err)
	}
}

func TestRegisterSize(t *testing.T) {
	dir := t.TempDir()
	r := Record{RunID: "a", StartedAt: stamp, JSONL: ptr("/")}
	e := testEntry(t, dir, r)
	fi, err := os.Stat(e.record)
	if err != nil {
		t.Fatal(err)
	}
	e.Remove()
	pad := strings.Repeat("x", maxRecord-int(fi.Size()))
	r.JSONL = ptr("/" + pad)
	e = testEntry(t, dir, r)
	if fi, err := os.Stat(e.record); err != nil || fi.Size() != maxRecord {
		t.Fatalf("record has %d bytes, %v, want %d", fi.Size(), err, maxRecord)
	}
	if found, err := Scan(dir); len(found) != 1 || err != nil {
		t.Errorf("Scan = %d records, %v, want the largest one", len(found), err)
	}
	// Blank space makes it one byte too long for a reader.
	data, err := os.ReadFile(e.record)
	if err != nil {
		t.Fatal(err)
	}
	write(t, e.record, string(data)+"\n")
	if found, err := Scan(dir); len(found) != 0 || err != nil {
		t.Errorf("Scan = %d records, %v, want none of %d bytes", len(found), err, maxRecord+1)
	}
	e.Remove()
	r.JSONL = ptr("/x" + pad)
	if _, err := Register(dir, r); err == nil || !strings.Contains(err.Error(), "65537 bytes") {
		t.Errorf("Register(too large) = %v, want its size", err)
	}
	if got := tree(t, dir); got != dir+"\n" {
		t.Errorf("registry holds %s after a refused record, want nothing", got)
	}
}

func TestRegisterRefusesWhatNobodyReads(t *testing.T) {
	dir := t.TempDir()
	for _, r := range []Record{{RunID: "a"}, {RunID: "a", StartedAt: "today"}} {
		if _, err := Register(dir, r); err == nil {
			t.Errorf("Register(%+v) = nil, want an error", r)
		}
	}
	if got := tree(t, dir); got != dir+"\n" {
		t.Errorf("registry holds %s, want nothing", got)
	}
}

func TestRegisterPathsThatAreNotUTF8(t *testing.T) {
	dir := t.TempDir()
	testEntry(t, dir, Record{RunID: "a", JSONL: ptr("/r/\xff"), CaptureDir: ptr("/r/ok")})
	found, err := Scan(dir)
	if err != nil || len(found) != 1 || found[0].JSONL != nil || *found[0].CaptureDir != "/r/ok" {
		t.Errorf("Scan = %+v, %v, want no stream locator", found, err)
	}
}

func TestRegisterDuplicates(t *testing.T) {
	dir := t.TempDir()
	a, b := testEntry(t, dir, Record{RunID: "a"}), testEntry(t, dir, Record{RunID: "a"})
	if a.record == b.record {
		t.Fatalf("two entries share %s", a.record)
	}
	a.Remove()
	if found, err := Find(dir, "a"); err != nil || len(found) != 1 || found[0].Path != b.record || found[0].Health != Live {
		t.Errorf("Find = %+v, %v, want the second entry, live", found, err)
	}
}

// TestStartStorm starts many runs while others prune: none is ever taken for a
// leftover.
func TestStartStorm(t *testing.T) {
	dir := t.TempDir()
	done := make(chan struct{})
	var pruners, starters sync.WaitGroup
	for range 2 {
		pruners.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if p, err := Prune(dir, PruneOptions{}); err != nil || p.Entries+p.Orphans+p.Unprobed != 0 {
					t.Errorf("Prune = %+v, %v, want live entries only", p, err)
					return
				}
			}
		})
	}
	for i := range 8 {
		starters.Go(func() {
			for j := range 50 {
				e, err := Register(dir, Record{RunID: fmt.Sprint(i, j), StartedAt: stamp})
				if err != nil {
					t.Error(err)
					return
				}
				if h := probe(e.lock.Name()); h != Live {
					t.Errorf("probe of a held lock = %s, want live", h)
				}
				if _, err := os.Stat(e.record); err != nil {
					t.Error(err)
				}
				if err := e.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	starters.Wait()
	close(done)
	pruners.Wait()
	if got := tree(t, dir); got != dir+"\n" {
		t.Errorf("registry holds %s, want nothing", got)
	}
}

func BenchmarkRegister(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		e, err := Register(dir, Record{RunID: "a", StartedAt: stamp})
		if err != nil {
			b.Fatal(err)
		}
		e.Remove()
	}
}
