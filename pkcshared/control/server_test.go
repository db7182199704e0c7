package control

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"processkit-cli/pkcshared/event"
)

func TestServerAnswers(t *testing.T) {
	const unknown = `{"error":"unknown verb; known are inspect, cancel and kill"}` + "\n"
	const tooLong = `{"error":"request line too long"}` + "\n"
	snapshot := compact(t, snapshotOf("r")) + "\n"
	ack := func(v Verb) string { return `{"accepted":true,"action":"` + string(v) + `","run_id":"r"}` + "\n" }
	padded := func(n int, line string) string { return strings.Repeat(" ", n-len(line)) + line }
	tests := []struct {
		name, request string
		reply         string
		passed        []Verb
	}{
		{"inspect", "inspect\n", snapshot, nil},
		{"empty line", "\n", snapshot, nil},
		{"white space", " \tinspect \r\n", snapshot, nil},
		{"only white space", "  \n", snapshot, nil},
		{"cancel", "cancel\n", ack(Cancel), []Verb{Cancel}},
		{"kill", "kill\n", ack(Kill), []Verb{Kill}},
		{"first line only", "cancel\nkill\n", ack(Cancel), []Verb{Cancel}},
		{"unknown verb", "stop\n", unknown, nil},
		{"case", "Cancel\n", unknown, nil},
		{"arguments", "cancel now\n", unknown, nil},
		{"not UTF-8", "cancel\xff\n", unknown, nil},
		{"longest line", padded(maxLine, "cancel\n"), ack(Cancel), []Verb{Cancel}},
		{"oversized line", padded(maxLine+1, "cancel\n"), tooLong, nil},
		{"oversized, no end", strings.Repeat("x", 4*maxLine), tooLong, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, got := serve(t, "r")
			if reply := talk(t, s.Endpoint(), tt.request); reply != tt.reply {
				t.Errorf("reply = %q, want %q", reply, tt.reply)
			}
			// The request goes out after its answer; the next one shows that
			// the server goes on and that nothing else was passed.
			if reply := talk(t, s.Endpoint(), "kill\n"); reply != ack(Kill) {
				t.Errorf("next reply = %q, want %q", reply, ack(Kill))
			}
			want := append(tt.passed, Kill)
			waitFor(t, "requests", func() bool { return len(got.all()) >= len(want) })
			if all := got.all(); !slices.Equal(all, want) {
				t.Errorf("passed on = %q, want %q", all, want)
			}
		})
	}
}

func TestSilentClientsDelayNobody(t *testing.T) {
	s, _ := serve(t, "r")
	for range 3 {
		client(t, s.Endpoint())
	}
	begun := time.Now()
	talk(t, s.Endpoint(), "inspect\n")
	if took := time.Since(begun); took > patience/2 {
		t.Errorf("the fourth client waited for %v", took)
	}
}

func TestSilentClientIsDropped(t *testing.T) {
	t.Parallel()
	s, got := serve(t, "r")
	c := client(t, s.Endpoint())
	_, _ = io.WriteString(c, "kil")
	begun := time.Now()
	if reply := readAll(t, c); reply != "" {
		t.Errorf("reply = %q, want none", reply)
	}
	if took := time.Since(begun); took < patience-time.Second || took > patience+3*time.Second {
		t.Errorf("dropped after %v, want %v", took, patience)
	}
	if all := got.all(); len(all) > 0 {
		t.Errorf("passed on = %q, want nothing", all)
	}
}

func (s *Server) served() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.clients)
}

func TestClientCap(t *testing.T) {
	s, _ := serve(t, "r")
	first := client(t, s.Endpoint())
	for range maxClients - 1 {
		client(t, s.Endpoint())
	}
	waitFor(t, "full house", func() bool { return s.served() == maxClients })
	last := client(t, s.Endpoint())
	if _, err := io.WriteString(last, "cancel\n"); err != nil {
		t.Fatal(err)
	}
	_ = last.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, err := last.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("one client too many: read %d, %v", n, err)
	}
	first.Close()
	if reply := readAll(t, last); !strings.Contains(reply, `"accepted":true`) {
		t.Errorf("reply once there was room = %q", reply)
	}
}

func TestNoAckNoRequest(t *testing.T) {
	s, got := newServer(t), &requests{}
	c := client(t, s.Endpoint())
	if _, err := io.WriteString(c, "cancel\n"); err != nil {
		t.Fatal(err)
	}
	c.Close()
	s.Serve(Run{ID: "r", Request: got.add})
	talk(t, s.Endpoint(), "kill\n") // accepted after the other
	waitFor(t, "end of both clients", func() bool { return s.served() == 0 && len(s.slots) == 1 })
	if all := got.all(); !slices.Equal(all, []Verb{Kill}) {
		t.Errorf("passed on = %q, want only kill: nobody read the answer to cancel", all)
	}
}

func TestAnswerBeforeRequest(t *testing.T) {
	s := newServer(t)
	c := client(t, s.Endpoint())
	heard := make(chan string, 1)
	s.Serve(Run{ID: "r", Request: func(Verb) {
		b := make([]byte, maxLine)
		_ = c.SetReadDeadline(time.Now().Add(limit))
		n, _ := c.Read(b)
		heard <- string(b[:n])
	}})
	if _, err := io.WriteString(c, "cancel\n"); err != nil {
		t.Fatal(err)
	}
	if reply := <-heard; !strings.Contains(reply, `"accepted":true`) {
		t.Errorf("when the run was told, the client had heard %q", reply)
	}
}

func TestSnapshotReplies(t *testing.T) {
	big := snapshotOf("r")
	for range 2000 {
		big.Members = append(big.Members, big.Members[0])
	}
	tests := []struct {
		name  string
		snap  Snapshot
		err   error
		reply string
	}{
		{"none", Snapshot{}, errors.New("over"), `{"error":"over"}` + "\n"},
		{"too long", big, nil, `{"error":"the answer does not fit into one line of 65536 bytes"}` + "\n"},
		{"no members", Snapshot{Members: []event.Member{}}, nil, `{"snapshot_version":0,"run_id":"","mechanism":"","root_pid":null,"started_at":"","jsonl":null,"capture_dir":null,"members":[]}` + "\n"},
		{"as is", Snapshot{RunID: "<&>", Members: []event.Member{}}, nil, `{"snapshot_version":0,"run_id":"<&>","mechanism":"","root_pid":null,"started_at":"","jsonl":null,"capture_dir":null,"members":[]}` + "\n"},
	}
	for _, tt := range tests {
		s := newServer(t)
		s.Serve(Run{ID: "r", Snapshot: func() (Snapshot, error) { return tt.snap, tt.err }})
		if reply := talk(t, s.Endpoint(), "inspect\n"); reply != tt.reply {
			t.Errorf("%s: reply = %q, want %q", tt.name, reply, tt.reply)
		}
	}
}

func TestClose(t *testing.T) {
	s, got := serve(t, "r")
	c := client(t, s.Endpoint())
	waitFor(t, "client", func() bool { return s.served() == 1 })
	begun := time.Now()
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	if reply := readAll(t, c); reply != "" || time.Since(begun) > patience/2 {
		t.Errorf("the client got %q after %v, want the end at once", reply, time.Since(begun))
	}
	if _, err := dial(s.Endpoint(), time.Now()); !absent(err) {
		t.Errorf("dial after Close() = %v, want nobody there", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close() = %v", err)
	}
	if all := got.all(); len(all) > 0 {
		t.Errorf("passed on = %q", all)
	}
}

func TestEndpointsAreTheirOwn(t *testing.T) {
	a, b := newServer(t), newServer(t)
	if a.Endpoint() == b.Endpoint() {
		t.Errorf("two runs share %s", a.Endpoint())
	}
	for _, s := range []*Server{a, b} {
		if !wellFormed(s.Endpoint()) {
			t.Errorf("no client would take %s", s.Endpoint())
		}
	}
}
