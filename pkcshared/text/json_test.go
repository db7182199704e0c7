package text

import (
	"encoding/json"
	"testing"
)

func TestEscapeJSON(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"ASCII", `{"a":"b\u001b\n"}` + "\n", `{"a":"b\u001b\n"}` + "\n"},
		{"harmless", `"é€😀"`, `"é€😀"`},
		{"DEL", "\"a\x7fb\"", `"a\u007fb"`},
		{"C1", "\"\u009b2J\"", `"\u009b2J"`},
		{"bidi", "\"a\u202eb\"", `"a\u202eb"`},
		{"above the basic plane", "\"\U000e0001\"", `"\udb40\udc01"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(EscapeJSON([]byte(tt.in)))
			if got != tt.want {
				t.Errorf("EscapeJSON(%q) = %q, want %q", tt.in, got, tt.want)
			}
			var a, b any
			if json.Unmarshal([]byte(tt.in), &a) != nil || json.Unmarshal([]byte(got), &b) != nil {
				t.Fatal("not JSON")
			}
			if x, ok := a.(string); ok && x != b.(string) {
				t.Errorf("the value changed from %q to %q", a, b)
			}
		})
	}
}
