package control

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"processkit-cli/pkcshared/text"
)

// maxClients bounds how many are served at once. Others wait in the socket's
// backlog until one of these is through, which takes at most patience.
const maxClients = 64

// Run is what a Server needs from the run it stands for. Both functions are
// called from other goroutines than the run's own.
type Run struct {
	ID string
	// Snapshot describes the run. It fails once the run's ending is decided.
	Snapshot func() (Snapshot, error)
	// Request passes a cancel or kill on. It does not wait.
	Request func(Verb)
}

// Server answers the clients of one run.
type Server struct {
	endpoint string
	listener *listener
	slots    chan struct{}

	mu      sync.Mutex
	closed  bool
	clients map[*os.File]bool
}

// birth is how long an endpoint may be published before it exists.
const birth = 100 * time.Millisecond

var sequence atomic.Uint64

// token tells the endpoints of runs apart, also those of one process.
func token() string {
	return strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 16) + "-" + strconv.FormatUint(sequence.Add(1), 16)
}

// NewEndpoint names an endpoint for a run. Nothing is made yet, so that the name
// can be published first: then a crash leaves nothing that nobody knows of.
func NewEndpoint() (string, error) { return newEndpoint() }

// Listen makes an endpoint. Clients queue until Serve.
func Listen(endpoint string) (*Server, error) {
	l, err := listen(endpoint)
	if err != nil {
		return nil, err
	}
	return &Server{
		endpoint: endpoint,
		listener: l,
		slots:    make(chan struct{}, maxClients),
		clients:  map[*os.File]bool{},
	}, nil
}

// Endpoint is the address that clients find the run at.
func (s *Server) Endpoint() string { return s.endpoint }

// Serve answers clients until Close, in the background.
func (s *Server) Serve(r Run) {
	go func() {
		for {
			s.slots <- struct{}{}
			conn, err := s.listener.accept()
			if errors.Is(err, os.ErrClosed) {
				return
			}
			if err != nil {
				// Out of descriptors, say: the run must not spin over it.
				<-s.slots
				time.Sleep(50 * time.Millisecond)
				continue
			}
			go func() {
				defer func() { <-s.slots }()
				s.serve(conn, r)
			}()
		}
	}()
}

// Close drops all clients and removes the endpoint.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	for conn := range s.clients {
		_ = conn.Close()
	}
	return s.listener.close()
}

// track keeps conn where Close finds it.
func (s *Server) track(conn *os.File) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.clients[conn] = true
	}
	return !s.closed
}

func (s *Server) untrack(conn *os.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clients, conn)
	_ = conn.Close()
}

func (s *Server) serve(conn *os.File, r Run) {
	if !s.track(conn) {
		_ = conn.Close()
		return
	}
	defer s.untrack(conn)
	if conn.SetDeadline(time.Now().Add(patience)) != nil || !sameUser(conn) {
		return
	}
	line, err := readLine(conn)
	if errors.Is(err, errTooLong) {
		reply(conn, refusal{"request line too long"})
		return
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return
	}
	switch verb := Verb(strings.TrimSpace(string(line))); verb {
	case Inspect, "":
		snap, err := r.Snapshot()
		if err != nil {
			reply(conn, refusal{err.Error()})
			return
		}
		reply(conn, snap)
	case Cancel, Kill:
		// The client hears first: once the run ends, nobody answers any more.
		if reply(conn, Ack{true, verb, r.ID}) == nil {
			r.Request(verb)
		}
	default:
		reply(conn, refusal{"unknown verb; known are inspect, cancel and kill"})
	}
}

var errTooLong = errors.New("line too long")

// readLine reads up to a newline, or to the end of the stream with io.EOF. A
// part of a line is no request.
func readLine(r io.Reader) ([]byte, error) {
	b := bufio.NewReaderSize(r, maxLine)
	line, err := b.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, errTooLong
	case errors.Is(err, io.EOF) && len(line) > 0:
		return nil, io.ErrUnexpectedEOF
	}
	return line, err
}

// reply writes one line. What does not fit is replaced, never cut.
func reply(conn *os.File, v any) error {
	line := encode(v)
	if len(line) > maxLine {
		line = encode(refusal{"the answer does not fit into one line of 65536 bytes"})
	}
	_, err := conn.Write(line)
	return err
}

func encode(v any) []byte { return append(text.AppendJSON(nil, v), '\n') }
