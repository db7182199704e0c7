package event

import (
	"errors"
	"fmt"
	"strings"
)

// Schema judges lines by a JSON Schema document (draft 2020-12). It knows
// exactly the keywords that the event schema uses.
type Schema struct {
	root *rule
	doc  document
}

// Check returns what keeps line, without its ending, from conforming. A
// Schema belongs to one goroutine.
func (s *Schema) Check(line []byte) error {
	if err := s.doc.parse(string(line)); err != nil {
		return err
	}
	c := checker{nodes: s.doc.nodes}
	if c.check(s.root, 0) {
		return nil
	}
	c.explain = true
	c.check(s.root, 0)
	if len(c.path) == 0 {
		return errors.New(c.reason)
	}
	return fmt.Errorf("%s: %s", show("/"+strings.Join(c.path, "/")), c.reason)
}

// Event returns the event name of the line that was checked last, empty if it
// has none.
func (s *Schema) Event() string {
	if i := member(s.doc.nodes, 0, "event"); i > 0 && s.doc.nodes[i].kind == str {
		return s.doc.nodes[i].text
	}
	return ""
}

// member returns the index of a member of the object at i, 0 if it has none.
// Where a name is given twice the last one counts, as for most readers.
func member(nodes []node, i int, name string) (found int) {
	if nodes[i].kind != object {
		return 0
	}
	for m := i + 1; m < nodes[i].next; m = nodes[m].next {
		if nodes[m].key == name {
			found = m
		}
	}
	return found
}
