package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"processkit-cli/pkcshared/event"
)

// open makes transcripts in a fresh directory, away from the stream's file.
func open(t *testing.T, limit uint64) *Files {
	t.Helper()
	dir := t.TempDir()
	stream, err := os.Create(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stream.Close() })
	fs, err := Open(filepath.Join(dir, "logs"), limit, stream)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		fs.Stdout.Close()
		fs.Stderr.Close()
	})
	return fs
}

func TestTranscript(t *testing.T) {
	tests := []struct {
		name   string
		limit  uint64
		chunks []string
		kept   string
		over   string // per chunk
	}{
		{"nothing", 5, nil, "", ""},
		{"below", 5, []string{"ab", "", "cd"}, "abcd", "..."},
		{"exactly", 5, []string{"abc", "de"}, "abcde", ".."},
		{"exactly, then nothing", 5, []string{"abcde", ""}, "abcde", ".."},
		{"exactly, then one more", 5, []string{"abcde", "f"}, "abcde", ".!"},
		{"one too many", 5, []string{"abcdef"}, "abcde", "!"},
		{"across", 5, []string{"abcd", "efg", "h"}, "abcde", ".!!"},
		{"one byte", 1, []string{"a", "b"}, "a", ".!"},
		{"no ceiling to speak of", math.MaxUint64, []string{"abc"}, "abc", "."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := open(t, tt.limit).Stdout
			var over strings.Builder
			for _, c := range tt.chunks {
				mark := "."
				if tr.Write([]byte(c)) {
					mark = "!"
				}
				over.WriteString(mark)
				if full := tr.Full(); full != (mark == "!") {
					t.Errorf("Full() = %v after %q", full, c)
				}
			}
			if over.String() != tt.over {
				t.Errorf("over = %s, want %s", over.String(), tt.over)
			}
			all := strings.Join(tt.chunks, "")
			sum := sha256.Sum256([]byte(tt.kept))
			want := event.Capture{
				Path: tr.path, Bytes: uint64(len(all)), SHA256: hex.EncodeToString(sum[:]), Truncated: len(all) > len(tt.kept),
			}
			if got := tr.Close(); got != want {
				t.Errorf("Close() = %+v, want %+v", got, want)
			}
			if b, err := os.ReadFile(tr.path); err != nil || string(b) != tt.kept {
				t.Errorf("file = %q, %v, want %q", b, err, tt.kept)
			}
		})
	}
}

func TestSkipOnlyCounts(t *testing.T) {
	tr := open(t, 3).Stdout
	tr.Write([]byte("abcd"))
	tr.Skip(10)
	got := tr.Close()
	if got.Bytes != 14 || !got.Truncated || got.WriteError {
		t.Errorf("Close() = %+v, want 14 bytes, truncated", got)
	}
	tr.Skip(10)
	if tr.Write([]byte("x")); tr.Close() != got {
		t.Errorf("a closed transcript changed: %+v, want %+v", tr.Close(), got)
	}
}

func TestWriteError(t *testing.T) {
	tr := open(t, 10).Stdout
	tr.Write([]byte("abc"))
	path := tr.path
	_ = tr.file.Close() // from here on, every write fails
	if tr.Write([]byte("def")) {
		t.Error("Write = over, want not")
	}
	sum := sha256.Sum256([]byte("abc"))
	want := event.Capture{Path: path, Bytes: 6, SHA256: hex.EncodeToString(sum[:]), WriteError: true}
	if got := tr.Close(); got != want {
		t.Errorf("Close() = %+v, want %+v", got, want)
	}

	tr = open(t, 4).Stdout
	_ = tr.file.Close()
	tr.Write([]byte("abcd"))
	if over := tr.Write([]byte("e")); !over {
		t.Error("the ceiling is not noticed after a failed write")
	}
	if got := tr.Close(); !got.Truncated || !got.WriteError || got.Bytes != 5 {
		t.Errorf("Close() = %+v, want both flags and 5 bytes", got)
	}
}

// A pump may still write while the run ends.
func TestCloseDuringWrites(t *testing.T) {
	tr := open(t, math.MaxUint64).Stdout
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 500 {
				tr.Write([]byte("0123456789"))
				tr.Full()
			}
		})
	}
	got := tr.Close()
	writers.Wait()
	b, err := os.ReadFile(tr.path)
	if err != nil || uint64(len(b)) != got.Bytes || got.WriteError {
		t.Errorf("file has %d bytes, %v, want %d", len(b), err, got.Bytes)
	}
}

func TestPaths(t *testing.T) {
	parents := []struct{ dir, want string }{
		{"a", ""},
		{"a/", ""},
		{"a/b", "a/"},
		{"a//b//", "a//"},
		{"/a", "/"},
		{"/", ""},
		{"//", ""},
		{"..", ""},
		{"link/../x", "link/../"},
	}
	for _, tt := range parents {
		if got := parentOf(tt.dir); got != tt.want {
			t.Errorf("parentOf(%q) = %q, want %q", tt.dir, got, tt.want)
		}
	}
	sep := string(os.PathSeparator)
	for dir, want := range map[string]string{".": "." + sep + "f", "a": "a" + sep + "f", "a/": "a/f", "/": "/f"} {
		if got := within(dir, "f"); got != want {
			t.Errorf("within(%q, f) = %q, want %q", dir, got, want)
		}
	}
}

func TestOpenIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	stream, err := os.Create(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	deep := filepath.Join(dir, "a", "b", "c")
	u := undo{}
	if err := u.mkdirAll(deep); err != nil || len(u.made) != 3 {
		t.Fatalf("mkdirAll made %q, %v", u.made, err)
	}
	// Somebody else puts a file into a directory of ours.
	if err := os.WriteFile(filepath.Join(dir, "a", "theirs"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	u.run()
	if entries, err := os.ReadDir(filepath.Join(dir, "a")); err != nil || len(entries) != 1 {
		t.Errorf("left %v, %v, want the file of somebody else alone", entries, err)
	}
	// A hard link to the stream, and content of the other file to lose.
	logs := filepath.Join(dir, "logs")
	if err := os.Mkdir(logs, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(stream.Name(), filepath.Join(logs, StderrName)); err != nil {
		t.Skipf("needs hard links: %v", err)
	}
	if err := os.WriteFile(filepath.Join(logs, StdoutName), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if fs, err := Open(logs, 1, stream); err == nil {
		t.Errorf("Open = %v, want an error: stderr.log is the stream", fs)
	}
	if b, err := os.ReadFile(filepath.Join(logs, StdoutName)); string(b) != "old" {
		t.Errorf("stdout.log = %q, %v, want its old content", b, err)
	}
}

// BenchmarkTranscript is what each chunk of captured output costs: a write and
// the digest.
func BenchmarkTranscript(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), StdoutName))
	if err != nil {
		b.Fatal(err)
	}
	t := newTranscript(f, math.MaxUint64)
	defer t.Close()
	chunk := make([]byte, 256<<10)
	b.SetBytes(int64(len(chunk)))
	for b.Loop() {
		t.Write(chunk)
		if t.kept > 1<<30 {
			b.StopTimer()
			if err := f.Truncate(0); err != nil {
				b.Fatal(err)
			}
			if _, err := f.Seek(0, 0); err != nil {
				b.Fatal(err)
			}
			t.kept = 0
			b.StartTimer()
		}
	}
}
