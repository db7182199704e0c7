package runcmd

import (
	"os"
	"testing"

	"processkit-cli/pkc-run/internal/supervise"
	"processkit-cli/pkcshared/event"
	"processkit-cli/pkcshared/text"
)

// A console that is being closed leaves less than the whole grace.
func TestConsoleEvents(t *testing.T) {
	ms := func(n text.Millis) *text.Millis { return &n }
	tests := []struct {
		sig    os.Signal
		source string
		grace  *text.Millis
		want   *text.Millis
	}{
		{ctrlC, "ctrl_c", ms(9000), ms(9000)},
		{ctrlBreak, "ctrl_break", ms(9000), ms(9000)},
		{ctrlClose, "ctrl_close", ms(9000), ms(3000)},
		{ctrlClose, "ctrl_close", ms(2999), ms(2999)},
		{ctrlClose, "ctrl_close", ms(0), ms(0)},
		{ctrlClose, "ctrl_close", nil, nil},
		{ctrlLogoff, "ctrl_logoff", ms(9000), ms(9000)},
		{ctrlShutdown, "ctrl_shutdown", ms(9000), ms(9000)},
	}
	for _, tt := range tests {
		e := (&Plan{Grace: tt.grace}).ending(supervise.Outcome{Ending: supervise.Signal, Signal: tt.sig})
		c := e.event.(*event.Cancelled)
		if c.Source != tt.source || (c.GraceMs == nil) != (tt.want == nil) || tt.want != nil && (*e.grace != *tt.want || *c.GraceMs != uint64(*tt.want)) {
			t.Errorf("%v with a grace of %v: %+v, want %s and %v", tt.sig, tt.grace, c, tt.source, tt.want)
		}
	}
}
