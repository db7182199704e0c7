package event

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// limit bounds every wait for something that should come at once.
const limit = 10 * time.Second

func growing(t *testing.T) (reader, writer *os.File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	writer, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	reader, err = Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		reader.Close()
		writer.Close()
	})
	return reader, writer
}

func TestGrowthEndsWait(t *testing.T) {
	for name, poll := range map[string]bool{"kernel": false, "poll": true} {
		t.Run(name, func(t *testing.T) {
			r, w := growing(t)
			g := NewGrowth(r)
			defer g.Close()
			if poll {
				g.Close()
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			for i := range 3 {
				if i > 0 { // the first write comes before the wait
					time.AfterFunc(20*time.Millisecond, func() { w.WriteString("x\n") })
				} else {
					w.WriteString("x\n")
				}
				var b [8]byte
				for n := 0; n == 0; n, _ = r.Read(b[:]) {
					if err := g.Wait(ctx); err != nil {
						t.Fatalf("Wait %d = %v, want nil", i, err)
					}
				}
			}
			if err := w.Truncate(0); err != nil {
				t.Fatal(err)
			}
			if err := g.Wait(ctx); err != nil {
				t.Errorf("Wait after truncation = %v, want nil", err)
			}
		})
	}
}

func TestContextEndsWait(t *testing.T) {
	for name, poll := range map[string]bool{"kernel": false, "poll": true} {
		t.Run(name, func(t *testing.T) {
			r, w := growing(t)
			g := NewGrowth(r)
			defer g.Close()
			if poll {
				g.Close()
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(20*time.Millisecond, cancel)
			for start := time.Now(); ; {
				err := g.Wait(ctx)
				if errors.Is(err, context.Canceled) {
					break
				}
				if err != nil || time.Since(start) > limit {
					t.Fatalf("Wait = %v, want %v", err, context.Canceled)
				}
			}
			// The end of one wait is not that of the next.
			w.WriteString("x\n")
			if err := g.Wait(t.Context()); err != nil {
				t.Errorf("Wait = %v, want nil", err)
			}
		})
	}
}

func TestWaitForAFileThatMoved(t *testing.T) {
	r, w := growing(t)
	g := NewGrowth(r)
	defer g.Close()
	w.Close() // on Windows, the name of what package os opened is fixed
	if err := os.Rename(r.Name(), r.Name()+".old"); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(r.Name()+".old", os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.WriteString("x\n")
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := g.Wait(ctx); err != nil {
		t.Errorf("Wait = %v, want nil", err)
	}
}
