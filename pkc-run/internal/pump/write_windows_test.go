package pump

import "testing"

func TestIsUTF8(t *testing.T) {
	tests := []struct {
		in   string
		want bool
	}{
		{"", true},
		{"plain", true},
		{"h\u00e9llo \U0001F600", true},
		{"cut at the end \xf0\x9f\x98", true},
		{"\x98\x80 cut at the start", true},
		{"\x98\x80 both \xe2\x82", true},
		{"h\x82llo", false}, // code page 437
		{"\x82", false},
		{"\xff\xfe", false},
		{"\xe9t\xe9", false}, // code page 1252
		{"a\xf0\x9f b", false},
	}
	for _, tt := range tests {
		if got := isUTF8([]byte(tt.in)); got != tt.want {
			t.Errorf("isUTF8(%q) = %v, want %v", tt.in, got, tt.want)
		}
	}
}
