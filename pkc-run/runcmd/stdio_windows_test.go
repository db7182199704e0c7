package runcmd

import (
	"io"
	"testing"
	"time"

	"processkit-cli/pkc-run/internal/pump"
)

// Looking into a pipe does not wait for the read that is under way, and sees
// what nobody has taken yet.
func TestPipe(t *testing.T) {
	r, w, err := pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &pump.Stream{Name: "stdout", Source: r}
	p := pump.Start(s)
	asked := make(chan bool, 1)
	go func() { asked <- p.Pending() }()
	select {
	case pending := <-asked:
		if pending {
			t.Error("something is pending in an empty pipe")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Pending waits for the read")
	}
	if _, err := io.WriteString(w, "x"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !p.Drain(10*time.Second, func() bool { return true }) {
		t.Error("the pipe does not end with its writer")
	}

	r, w, err = pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if err := r.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
		t.Errorf("our end is not overlapped: %v", err)
	}
	if err := w.SetWriteDeadline(time.Now()); err == nil {
		t.Error("the child's end is overlapped: an ordinary program cannot write to it")
	}
}

// Somebody outside the run who holds a pipe is not waited for without end.
func TestHeldPipe(t *testing.T) {
	r, w, err := pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p := pump.Start(&pump.Stream{Name: "stdout", Source: r})
	drained := make(chan bool, 1)
	go func() { drained <- p.Drain(time.Second, func() bool { return true }) }()
	select {
	case ended := <-drained:
		if ended {
			t.Error("Drain = true, want false: the pipe is held")
		}
	case <-time.After(30 * time.Second):
		t.Fatal("Drain waits for ever")
	}
}
