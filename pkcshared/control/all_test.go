package control

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/registry"
)

func targets(t *testing.T, dir string, labels ...[2]string) []registry.Found {
	t.Helper()
	found, err := Targets(dir, labels)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTargets(t *testing.T) {
	dir := t.TempDir()
	first := plant(t, dir, "3", "b", "", "k", "v", "l", "w")
	text, err := os.ReadFile(first.record)
	if err != nil {
		t.Fatal(err)
	}
	first.overwrite(strings.Replace(string(text), "2027", "2026", 1)) // the order is not by start
	plant(t, dir, "2", "b", "", "k", "v")
	plant(t, dir, "1", "a", "", "k", "x")
	plant(t, dir, "4", "dead", "", "k", "v").die()
	plant(t, dir, "5", "blurred", "", "k", "v").blur()
	tests := []struct {
		labels [][2]string
		want   string
	}{
		{nil, "1 2 3"},
		{[][2]string{{"k", "v"}}, "2 3"},
		{[][2]string{{"k", "v"}, {"l", "w"}}, "3"},
		{[][2]string{{"k", "v"}, {"k", "x"}}, ""},
		{[][2]string{{"m", ""}}, ""},
	}
	for _, tt := range tests {
		var got []string
		for _, f := range targets(t, dir, tt.labels...) {
			got = append(got, strings.TrimSuffix(f.Path[len(dir)+1:], ".json"))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("Targets(%v) = %q, want %q", tt.labels, s, tt.want)
		}
	}

	file := dir + "/3.json"
	_, err = Targets(file, nil)
	var e *exit.Error
	if !errors.As(err, &e) || e.Code != exit.Setup || e.Kind != exit.KindRegistry {
		t.Errorf("Targets(%s) = %v, want 111 of kind registry", file, err)
	}
}

func TestEmptyAggregates(t *testing.T) {
	none := targets(t, t.TempDir()+"/missing")
	if got := compact(t, SendAll(none, Kill)); got != "[]" {
		t.Errorf("SendAll() = %s, want []", got)
	}
	if got := compact(t, InspectAll(none)); got != "[]" {
		t.Errorf("InspectAll() = %s, want []", got)
	}
}

// TestAggregates lets every kind of target meet every verb. What happens to a
// target happens after the scan.
func TestAggregates(t *testing.T) {
	type target struct {
		id       string
		endpoint func() string
		later    func(*entry)
		status   Status // Accepted stands for Inspected, too
		reason   string
	}
	var got []*requests
	good := func(id string) func() string {
		return func() string {
			s, r := serve(t, id)
			got = append(got, r)
			return s.Endpoint()
		}
	}
	address := func(s string) func() string { return func() string { return s } }
	list := []target{
		{"changed", good("changed"), func(e *entry) { e.write("new", nowhere) }, Failed, "its record now names another run"},
		{"corrupt", good("corrupt"), func(e *entry) { e.overwrite("{") }, Failed, "its record cannot be read any more: "},
		{"died", good("died"), (*entry).die, AlreadyGone, ""},
		{"double", good("double"), nil, Accepted, ""},
		{"double", good("double"), nil, Accepted, ""},
		{"ended", good("ended"), (*entry).end, AlreadyGone, ""},
		{"ended, no endpoint", address(""), (*entry).end, AlreadyGone, ""},
		{"misshapen", address(misshapen), nil, Failed, "its record names something that is no control endpoint"},
		{"mute", address(""), nil, Failed, "it is live but publishes no control endpoint"},
		{"refusing", func() string { return says(t, `{"error":"not\nnow"}`+"\n") }, nil, Failed, "it answered: not now"},
		{"strange", func() string { return says(t, `{"accepted":true,"action":"kill","run_id":"x"}`+"\n") }, nil, Failed, "it"},
		{"unprobed", good("unprobed"), (*entry).blur, Failed, "it is unprobed: "},
		{"unreachable", address(nowhere), nil, Failed, "its control endpoint is gone: "},
		{"vanishing", func() string { return fake(t, func(*os.File) {}) }, nil, Failed, "it closed the connection without an answer"},
	}
	for _, verb := range []Verb{Inspect, Cancel, Kill} {
		t.Run(string(verb), func(t *testing.T) {
			got = nil
			dir := t.TempDir()
			var entries []*entry
			for i, tt := range list {
				entries = append(entries, plant(t, dir, string(rune('z'-i)), tt.id, tt.endpoint()))
			}
			found := targets(t, dir)
			for i, tt := range list {
				if tt.later != nil {
					tt.later(entries[i])
				}
			}
			var results []Seen
			if verb == Inspect {
				results = InspectAll(found)
			} else {
				for _, s := range SendAll(found, verb) {
					if s.Accepted != (s.Status == Accepted) {
						t.Errorf("%s: accepted = %t with status %s", s.RunID, s.Accepted, s.Status)
					}
					results = append(results, Seen{RunID: s.RunID, Status: s.Status, Error: s.Error})
				}
			}
			if len(results) != len(list) {
				t.Fatalf("%d results, want %d", len(results), len(list))
			}
			for i, tt := range list {
				r := results[i]
				want := tt.status
				if verb == Inspect && want == Accepted {
					want = Inspected
					if r.Snapshot == nil || r.Snapshot.RunID != tt.id {
						t.Errorf("%s: snapshot = %s", tt.id, compact(t, r.Snapshot))
					}
				} else if r.Snapshot != nil {
					t.Errorf("%s: snapshot = %s, want null", tt.id, compact(t, r.Snapshot))
				}
				if r.RunID != tt.id || r.Status != want || (r.Error == nil) != (tt.reason == "") || r.Error != nil && !strings.HasPrefix(*r.Error, tt.reason) {
					t.Errorf("result %d = %s, want %s %s %q", i, compact(t, r), tt.id, want, tt.reason)
				}
			}
			if verb == Inspect {
				return
			}
			passed := 0
			waitFor(t, "requests", func() bool {
				passed = 0
				for _, r := range got {
					passed += len(r.all())
				}
				return passed >= 2
			})
			if passed != 2 {
				t.Errorf("%d runs were told, want the two doubles", passed)
			}
		})
	}
}

// TestEndsMeanwhile has targets that end while they are asked.
func TestEndsMeanwhile(t *testing.T) {
	dir := t.TempDir()
	asked := plant(t, dir, "1", "asked", "")
	asked.write("asked", fake(t, func(conn *os.File) {
		_, _ = readLine(conn)
		asked.end()
	}))
	before := plant(t, dir, "2", "before", nowhere)
	found := targets(t, dir)
	before.die()
	for i, s := range SendAll(found, Cancel) {
		if s.Status != AlreadyGone || s.Error != nil {
			t.Errorf("result %d = %s, want already_gone", i, compact(t, s))
		}
	}
}

func TestShapes(t *testing.T) {
	reason := "why"
	tests := []struct {
		v    any
		want string
	}{
		{Sent{"r", true, Accepted, nil}, `{"run_id":"r","accepted":true,"status":"accepted","error":null}`},
		{Sent{"r", false, Failed, &reason}, `{"run_id":"r","accepted":false,"status":"failed","error":"why"}`},
		{Seen{"r", AlreadyGone, nil, nil}, `{"run_id":"r","status":"already_gone","snapshot":null,"error":null}`},
		{Ack{true, Kill, "r"}, `{"accepted":true,"action":"kill","run_id":"r"}`},
	}
	for _, tt := range tests {
		if got := compact(t, tt.v); got != tt.want {
			t.Errorf("JSON = %s, want %s", got, tt.want)
		}
	}
}

func TestEach(t *testing.T) {
	var mu sync.Mutex
	running, most := 0, 0
	done := make([]bool, 50)
	each(make([]registry.Found, len(done)), func(i int, _ registry.Found) {
		mu.Lock()
		running++
		most = max(most, running)
		done[i] = true
		mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		mu.Lock()
		running--
		mu.Unlock()
	})
	for i, ok := range done {
		if !ok {
			t.Errorf("target %d was left out", i)
		}
	}
	if most < 2 || most > 16 {
		t.Errorf("%d at once, want 2 to 16", most)
	}
}
