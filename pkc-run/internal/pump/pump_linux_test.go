package pump

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"processkit-cli/fixtures/child/childcmd"
	"processkit-cli/pkc-run/internal/capture"
)

const limit = 30 * time.Second

// blockingPipe is one as a run makes for its child.
func blockingPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	r, w = os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w")
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return r, w
}

func transcript(t *testing.T, limit uint64) *capture.Transcript {
	t.Helper()
	dir := t.TempDir()
	stream, err := os.Create(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	fs, err := capture.Open(dir, limit, stream)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		fs.Stdout.Close()
		fs.Stderr.Close()
	})
	return fs.Stdout
}

func patient() bool   { return true }
func impatient() bool { return false }

// An echo is somewhere to write to, with a way to get it back.
type echo func(t *testing.T) (to *os.File, got func() []byte)

func noEcho(*testing.T) (*os.File, func() []byte) { return nil, nil }

func echoToPipe(t *testing.T) (*os.File, func() []byte) {
	r, w := blockingPipe(t)
	all := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(r)
		all <- b
	}()
	return w, func() []byte {
		_ = w.Close()
		return <-all
	}
}

func echoToFile(t *testing.T) (*os.File, func() []byte) {
	f, err := os.Create(filepath.Join(t.TempDir(), "echo"))
	if err != nil {
		t.Fatal(err)
	}
	return f, func() []byte {
		_ = f.Close()
		b, _ := os.ReadFile(f.Name())
		return b
	}
}

// Every byte arrives once and in order, on each way and on the change from
// copying to the bypass that a full transcript brings.
func TestNothingIsLost(t *testing.T) {
	const size = 3_000_017
	want := make([]byte, size)
	_, _ = childcmd.NewNoise(1, 1).Read(want)
	for name, e := range map[string]echo{"none": noEcho, "pipe": echoToPipe, "file": echoToFile} {
		for _, ceiling := range []uint64{0, 1, 65536, 1_000_003, size - 1, size, size + 1} {
			for _, chunk := range []int{1000, 65536, 1_000_000} {
				t.Run(fmt.Sprintf("%s/%d/%d", name, ceiling, chunk), func(t *testing.T) {
					r, w := blockingPipe(t)
					to, got := e(t)
					s := &Stream{Name: "stdout", Source: r, Echo: to}
					if ceiling > 0 {
						s.Record = transcript(t, ceiling)
					}
					p := Start(s)
					for b := want; len(b) > 0; b = b[min(chunk, len(b)):] {
						if _, err := w.Write(b[:min(chunk, len(b))]); err != nil {
							t.Fatal(err)
						}
					}
					_ = w.Close()
					if !p.Drain(limit, patient) {
						t.Fatal("Drain = false after the end")
					}
					if got != nil && !bytes.Equal(got(), want) {
						t.Error("the echo differs")
					}
					over := ceiling > 0 && ceiling < size
					if len(p.Lost) > 0 || len(p.Overflow) > 0 != over {
						t.Errorf("%d echoes lost, %d overflows, want overflow %v", len(p.Lost), len(p.Overflow), over)
					}
					if s.Record == nil {
						return
					}
					kept := want[:min(ceiling, size)]
					c := s.Record.Close()
					if c.Bytes != size || c.Truncated != over || c.SHA256 != fmt.Sprintf("%x", sha256.Sum256(kept)) {
						t.Errorf("capture = %+v, want %d bytes, %d kept", c, size, len(kept))
					}
				})
			}
		}
	}
}

// Which way the bytes go: through our memory only where it must be.
func TestBypass(t *testing.T) {
	full := transcript(t, 1)
	full.Write([]byte("xx"))
	tests := []struct {
		name   string
		echo   echo
		record *capture.Transcript
		want   bypassResult
	}{
		{"pipe", echoToPipe, nil, bypassEnd},
		{"nobody", noEcho, nil, bypassEnd},
		{"pipe, transcript full", echoToPipe, full, bypassEnd},
		{"file", echoToFile, nil, bypassUnusable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, w := blockingPipe(t)
			to, got := tt.echo(t)
			if _, err := w.WriteString("abc"); err != nil {
				t.Fatal(err)
			}
			_ = w.Close()
			p := &Pump{start: time.Now(), Lost: make(chan error, 1)}
			s := &Stream{Source: r, Echo: to, Record: tt.record}
			if res := p.bypass(s, &busyness{source: r, echo: to}); res != tt.want {
				t.Fatalf("bypass = %d, want %d", res, tt.want)
			}
			if tt.want == bypassEnd && s.moved.Load() != 3 {
				t.Errorf("moved = %d, want 3", s.moved.Load())
			}
			if got != nil && tt.want == bypassEnd && string(got()) != "abc" {
				t.Error("the echo differs")
			}
		})
	}
}

// A reader that goes away ends its echo, silently; a full disk is told once.
// Neither keeps the child from writing nor the transcript from growing.
func TestLostEcho(t *testing.T) {
	gone := func(t *testing.T) *os.File {
		r, w := blockingPipe(t)
		_ = r.Close()
		return w
	}
	full := func(t *testing.T) *os.File {
		f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	for name, to := range map[string]func(*testing.T) *os.File{"reader gone": gone, "disk full": full} {
		for _, ceiling := range []uint64{0, 10, 1 << 20} {
			t.Run(fmt.Sprint(name, " ", ceiling), func(t *testing.T) {
				const size = 500_000
				r, w := blockingPipe(t)
				s := &Stream{Name: "stdout", Source: r, Echo: to(t)}
				if ceiling > 0 {
					s.Record = transcript(t, ceiling)
				}
				p := Start(s)
				for range size / 1000 {
					if _, err := w.Write(make([]byte, 1000)); err != nil {
						t.Fatal(err)
					}
				}
				_ = w.Close()
				if !p.Drain(limit, patient) || s.moved.Load() != size {
					t.Errorf("moved = %d, want %d", s.moved.Load(), size)
				}
				if want := map[string]int{"reader gone": 0, "disk full": 1}[name]; len(p.Lost) != want {
					t.Errorf("%d complaints, want %d", len(p.Lost), want)
				}
				if s.Record != nil {
					if c := s.Record.Close(); c.Bytes != size || c.WriteError {
						t.Errorf("capture = %+v, want %d bytes", c, size)
					}
				}
			})
		}
	}
}

// Another holder of the descriptor may make it non-blocking at any time.
func TestNonblockingEcho(t *testing.T) {
	const size = 1_000_000
	for _, ceiling := range []uint64{0, size} { // the bypass, the copy
		r, w := blockingPipe(t)
		out, to := blockingPipe(t)
		s := &Stream{Source: r, Echo: to}
		if ceiling > 0 {
			s.Record = transcript(t, ceiling)
		}
		fd, err := Descriptor(to)
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.SetNonblock(fd, true); err != nil {
			t.Fatal(err)
		}
		p := Start(s)
		want := make([]byte, size)
		_, _ = childcmd.NewNoise(2, 1).Read(want)
		go func() {
			_, _ = w.Write(want)
			_ = w.Close()
		}()
		// Only once the pipes are full does anybody read.
		deadline := time.Now().Add(limit)
		for buffered(r) == 0 && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		all := make(chan []byte, 1)
		go func() {
			b, _ := io.ReadAll(out)
			all <- b
		}()
		if !p.Drain(limit, patient) || len(p.Lost) > 0 {
			t.Errorf("ceiling %d: %d echoes lost", ceiling, len(p.Lost))
		}
		_ = to.Close()
		if !bytes.Equal(<-all, want) {
			t.Errorf("ceiling %d: the echo differs", ceiling)
		}
	}
}

func TestEveryChunkCounts(t *testing.T) {
	for name, e := range map[string]echo{"bypass to nobody": noEcho, "bypass": echoToPipe, "copy": echoToFile} {
		t.Run(name, func(t *testing.T) {
			r, w := blockingPipe(t)
			to, _ := e(t)
			p := Start(&Stream{Source: r, Echo: to})
			for range 5 {
				before := time.Duration(p.last.Load())
				if _, err := w.WriteString("x"); err != nil {
					t.Fatal(err)
				}
				for deadline := time.Now().Add(limit); time.Duration(p.last.Load()) == before; time.Sleep(time.Millisecond) {
					if time.Now().After(deadline) {
						t.Fatal("a byte went by unseen")
					}
				}
			}
			_ = w.Close()
			p.Drain(limit, patient)
		})
	}
}

func TestSilence(t *testing.T) {
	p := &Pump{start: time.Now().Add(-time.Hour)}
	p.last.Store(int64(59 * time.Minute))
	tests := []struct{ since, want time.Duration }{ // ago
		{time.Hour, time.Minute},
		{2 * time.Minute, time.Minute},
		{30 * time.Second, 30 * time.Second},
	}
	for _, tt := range tests {
		if got := p.Silence(time.Now().Add(-tt.since)); got < tt.want || got > tt.want+10*time.Second {
			t.Errorf("Silence(%v ago) = %v, want %v", tt.since, got, tt.want)
		}
	}
}

func TestPending(t *testing.T) {
	r, w := blockingPipe(t)
	p := &Pump{streams: []*Stream{{Source: r}}}
	if p.Pending() {
		t.Error("Pending() = true with an empty pipe")
	}
	if _, err := w.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	if !p.Pending() {
		t.Error("Pending() = false with a full one")
	}
}

// Somebody outside the run holds the pipe: silent, it is not waited for long;
// talking, for hold at most.
func TestDrainGivesUp(t *testing.T) {
	const hold = 50 * time.Millisecond
	for _, tt := range []struct {
		talks bool
		echo  echo
	}{{false, noEcho}, {true, noEcho}, {true, echoToFile}} {
		talks := tt.talks
		r, w := blockingPipe(t)
		to, _ := tt.echo(t)
		p := Start(&Stream{Source: r, Echo: to})
		if _, err := w.WriteString("last words"); err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		if talks {
			go func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(50 * time.Microsecond):
						_, _ = w.WriteString("x")
					}
				}
			}()
		}
		start := time.Now()
		if p.Drain(hold, patient) {
			t.Errorf("talks %v: Drain = true, want false", talks)
		}
		if took := time.Since(start); took > limit/10 {
			t.Errorf("talks %v: Drain took %v", talks, took)
		}
		if got := p.streams[0].moved.Load(); got < uint64(len("last words")) {
			t.Errorf("talks %v: moved = %d, want the last words", talks, got)
		}
		close(stop)
	}
}

// What the tree wrote is waited for as long as a slow reader takes, unless
// the wait is cut short.
func TestDrainOfASlowReader(t *testing.T) {
	for _, keep := range []bool{true, false} {
		r, w := blockingPipe(t)
		out, to := blockingPipe(t)
		for _, f := range []*os.File{r, to} {
			fd, _ := Descriptor(f)
			if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 4096); err != nil {
				t.Fatal(err)
			}
		}
		p := Start(&Stream{Source: r, Echo: to})
		written := make(chan struct{})
		go func() {
			_, _ = w.Write(make([]byte, 8192))
			_ = w.Close()
			close(written)
		}()
		<-written // one page waits in each pipe
		wait := patient
		if !keep {
			wait = impatient
		}
		drained := make(chan bool, 1)
		go func() { drained <- p.Drain(20*time.Millisecond, wait) }()
		if !keep {
			if <-drained {
				t.Error("Drain = true, want false: nobody reads")
			}
			continue
		}
		select {
		case <-drained:
			t.Fatal("Drain has returned with output unread")
		case <-time.After(200 * time.Millisecond):
		}
		if _, err := io.ReadFull(out, make([]byte, 8192)); err != nil || !<-drained {
			t.Errorf("Drain = false after the end, %v", err)
		}
	}
}

// A stream at its end is at its end, also where its echo has no room.
func TestDrainBesideAFullEcho(t *testing.T) {
	for _, text := range []string{"", "x"} {
		r, w := blockingPipe(t)
		out, to := blockingPipe(t)
		fill(t, to)
		if text != "" {
			out.Read(make([]byte, 4096))
		}
		p := Start(&Stream{Source: r, Echo: to})
		if _, err := w.WriteString(text); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		if !p.Drain(50*time.Millisecond, impatient) {
			t.Errorf("the end after %q was not seen", text)
		}
	}
}

// fill leaves no room in a pipe.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	fd := int(w.Fd())
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := unix.Write(fd, make([]byte, 4096)); err == unix.EAGAIN {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		t.Fatal(err)
	}
}

// The last chunk can be in our own memory, with the pipe empty behind it.
func TestDrainOfASlowReaderThatIsNoPipe(t *testing.T) {
	r, w := blockingPipe(t)
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	to, out := os.NewFile(uintptr(fds[0]), "to"), os.NewFile(uintptr(fds[1]), "out")
	defer to.Close()
	defer out.Close()
	if err := unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 1); err != nil {
		t.Fatal(err)
	}
	const size = 100 << 10
	p := Start(&Stream{Source: r, Echo: to})
	if _, err := w.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	drained := make(chan bool, 1)
	go func() { drained <- p.Drain(20*time.Millisecond, patient) }()
	for _, part := range []int{size - 30<<10, 30 << 10} {
		select {
		case <-drained:
			t.Fatal("Drain has returned with output unread")
		case <-time.After(200 * time.Millisecond):
		}
		if _, err := io.ReadFull(out, make([]byte, part)); err != nil {
			t.Fatal(err)
		}
	}
	if !<-drained {
		t.Error("Drain = false after the end")
	}
}

// Pipe memory is shared by all of a user's pipes: only a busy stream takes more.
func TestBusyStreamGetsALargerPipe(t *testing.T) {
	capacity := func(f *os.File) int {
		fd, err := Descriptor(f)
		if err != nil {
			t.Fatal(err)
		}
		n, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	r, _ := blockingPipe(t)
	was := capacity(r)
	b := busyness{source: r}
	for range 3 * fullBeforeGrowth {
		b.saw(firstBuffer)
		b.saw(firstBuffer)
		b.saw(firstBuffer - 1)
	}
	if b.grown || capacity(r) != was || b.chunk() != firstBuffer {
		t.Errorf("a stream that pauses got %d bytes, had %d", capacity(r), was)
	}
	for range fullBeforeGrowth {
		b.saw(firstBuffer)
	}
	if !b.grown || b.chunk() != largeBuffer {
		t.Error("a busy stream stays small")
	}
	if got := capacity(r); got < was {
		t.Errorf("capacity = %d, was %d", got, was)
	} else if got == was {
		t.Logf("this user may not have more pipe memory: %v", syscall.EPERM)
	}
}
