package pump

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"processkit-cli/pkc-run/internal/capture"
)

// BenchmarkPump moves 64 MiB each time, from a writer to where it goes.
func BenchmarkPump(b *testing.B) {
	pipe := func(b *testing.B) (r, w *os.File) {
		var fds [2]int
		if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
			b.Fatal(err)
		}
		return os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w")
	}
	null := func(b *testing.B) *os.File {
		f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		return f
	}
	reader := func(b *testing.B) *os.File {
		r, w := pipe(b)
		go func() {
			_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{r}, make([]byte, 128<<10))
			_ = r.Close()
		}()
		return w
	}
	file := func(b *testing.B) *os.File {
		f, err := os.Create(filepath.Join(b.TempDir(), "echo"))
		if err != nil {
			b.Fatal(err)
		}
		return f
	}
	tests := []struct {
		name    string
		echo    func(*testing.B) *os.File
		ceiling uint64 // of the transcript, 0 for none
	}{
		{"pipe", reader, 0},
		{"device", null, 0},
		{"file", file, 0},
		{"pipe and full transcript", reader, 1},
		{"pipe and transcript", reader, math.MaxUint64},
	}
	const size, chunk = 64 << 20, 64 << 10
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			stream := null(b)
			defer stream.Close()
			b.SetBytes(size)
			for b.Loop() {
				b.StopTimer()
				r, w := pipe(b)
				s := &Stream{Name: "stdout", Source: r, Echo: tt.echo(b)}
				if tt.ceiling > 0 {
					files, err := capture.Open(b.TempDir(), tt.ceiling, stream)
					if err != nil {
						b.Fatal(err)
					}
					_ = files.Stderr.Close()
					s.Record = files.Stdout
				}
				b.StartTimer()
				p := Start(s)
				buf := make([]byte, chunk)
				for range size / chunk {
					if _, err := w.Write(buf); err != nil {
						b.Fatal(err)
					}
				}
				_ = w.Close()
				if !p.Drain(limit, patient) {
					b.Fatal("the stream did not end")
				}
				if s.Record != nil {
					_ = s.Record.Close()
				}
				_ = s.Echo.Close()
				_ = r.Close()
			}
		})
	}
}
