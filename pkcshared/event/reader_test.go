package event

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// all reads src to its end and describes each line.
func all(t *testing.T, src io.Reader) (got []string) {
	t.Helper()
	r := NewReader(src)
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, describe(l))
	}
	if l, ok := r.Tail(); ok {
		got = append(got, describe(l)+" tail")
	}
	return got
}

func describe(l Line) string {
	if l.TooLong {
		return fmt.Sprintf("%d too long, %d shown", l.Number, len(l.Text))
	}
	if len(l.Text) > 40 {
		return fmt.Sprintf("%d %d of %d", l.Number, len(l.Text), len(l.Raw))
	}
	return fmt.Sprintf("%d %q %q", l.Number, l.Text, l.Raw)
}

func TestReader(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	tests := []struct {
		name, src string
		want      []string
	}{
		{"nothing", "", nil},
		{"one", "x\n", []string{`1 "x" "x\n"`}},
		{"CRLF", "x\r\ny\r\r\nz\n", []string{`1 "x" "x\r\n"`, `2 "y\r" "y\r\r\n"`, `3 "z" "z\n"`}},
		{"blank lines count", "\n\r\n \t\nx\n\n\ny\n", []string{`4 "x" "x\n"`, `7 "y" "y\n"`}},
		{"tail", "x\ny", []string{`1 "x" "x\n"`, `2 "y" "y" tail`}},
		{"blank tail", "x\n \t", []string{`1 "x" "x\n"`}},
		{"bytes are kept", "\xff\x00\xfe\n", []string{`1 "\xff\x00\xfe" "\xff\x00\xfe\n"`}},
		{"longest", a(MaxLine) + "\nx\n", []string{"1 1048576 of 1048577", `2 "x" "x\n"`}},
		{"longest with CR", a(MaxLine) + "\r\nx\n", []string{"1 1048576 of 1048578", `2 "x" "x\n"`}},
		{"longest tail", a(MaxLine), []string{"1 1048576 of 1048576 tail"}},
		{"too long by one", a(MaxLine+1) + "\nx\n", []string{"1 too long, 256 shown", `2 "x" "x\n"`}},
		{"too long by one with CR", a(MaxLine+1) + "\r\nx\n", []string{"1 too long, 256 shown", `2 "x" "x\n"`}},
		{"too long by a CR", a(MaxLine) + "\r\r\nx\n", []string{"1 too long, 256 shown", `2 "x" "x\n"`}},
		{"too long tail", a(MaxLine + 1), []string{"1 too long, 256 shown tail"}},
		{"much too long tail", "x\n" + a(3*MaxLine), []string{`1 "x" "x\n"`, "2 too long, 256 shown"}},
		{"much too long twice", a(3*MaxLine) + "\n" + a(2*MaxLine) + "\n\ny\n", []string{"1 too long, 256 shown", "2 too long, 256 shown", `4 "y" "y\n"`}},
	}
	for _, tt := range tests {
		for how, src := range map[string]io.Reader{
			"at once":     strings.NewReader(tt.src),
			"with error":  iotest.DataErrReader(strings.NewReader(tt.src)),
			"by halves":   iotest.HalfReader(strings.NewReader(tt.src)),
			"odd portion": &portions{strings.NewReader(tt.src), 7919},
		} {
			t.Run(tt.name+"/"+how, func(t *testing.T) {
				if got := all(t, src); fmt.Sprint(got) != fmt.Sprint(tt.want) {
					t.Errorf("lines = %q, want %q", got, tt.want)
				}
			})
		}
	}
}

// portions reads n bytes at a time.
type portions struct {
	r io.Reader
	n int
}

func (p *portions) Read(b []byte) (int, error) { return p.r.Read(b[:min(p.n, len(b))]) }

func TestReaderGoesOnAfterGrowth(t *testing.T) {
	var src bytes.Buffer
	r := NewReader(&src)
	next := func(want string, wantErr error) {
		t.Helper()
		if l, err := r.Next(); string(l.Text) != want || !errors.Is(err, wantErr) {
			t.Fatalf("Next = %q, %v, want %q, %v", l.Text, err, want, wantErr)
		}
	}
	next("", io.EOF)
	src.WriteString("on")
	next("", io.EOF)
	src.WriteString("e\ntw")
	next("one", nil)
	next("", io.EOF)
	src.WriteString("o\n")
	next("two", nil)
	src.WriteString("gone")
	next("", io.EOF)
	r.Reset()
	src.WriteString("three\n")
	next("three", nil)
	if l, err := r.Next(); err == nil {
		t.Errorf("Next = %q, want nothing", l.Text)
	}
}

// endless is a line that never ends.
type endless struct{ left int }

func (e *endless) Read(b []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := min(len(b), e.left)
	for i := range b[:n] {
		b[i] = 'x'
	}
	e.left -= n
	return n, nil
}

func TestReaderNeedsConstantMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if got := all(t, &endless{256 << 20}); len(got) != 1 {
		t.Errorf("lines = %q, want one that is too long", got)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 8*MaxLine {
		t.Errorf("a line of 256 MiB took %d bytes, want at most %d", used, 8*MaxLine)
	}
}

func TestReaderReportsErrors(t *testing.T) {
	broken := errors.New("broken")
	r := NewReader(io.MultiReader(strings.NewReader("x\ny"), iotest.ErrReader(broken)))
	if l, err := r.Next(); err != nil || string(l.Text) != "x" {
		t.Errorf("Next = %q, %v, want x", l.Text, err)
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("Next = %v, want %v", err, broken)
	}
}

func BenchmarkReader(b *testing.B) {
	src := []byte(strings.Repeat(strings.Join(golden(b), "\n")+"\n", 500))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		r := NewReader(bytes.NewReader(src))
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
	}
}
