package eventscmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"processkit-cli/fixtures/wine"
)

func TestFollowEndsAtTheTerminalEvent(t *testing.T) {
	t.Parallel()
	p := newPlace(t, started)
	p.register("a", &p.stream) // lives to the end of the test
	f := p.follow("--run-id", "a")
	f.sees(startedProse)
	p.append(started[:50])
	p.append(started[50:] + ended[:50])
	f.sees(startedProse + startedProse)
	p.append(ended[50:])
	f.ends(0)
	if got, want := f.out.String(), startedProse+startedProse+endedProse; got != want || f.err.String() != "" {
		t.Errorf("stdout = %q, want %q; stderr = %q", got, want, f.err.String())
	}
}

func TestFollowInEveryMode(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"--json":     started + ended,
		"--validate": "checked 2, valid 2, invalid 0\n",
	} {
		p := newPlace(t, started)
		p.register("a", &p.stream)
		f := p.follow("--file", p.stream, mode)
		if mode == "--json" {
			f.sees(started)
		}
		p.append(ended + "behind the end")
		f.ends(0)
		if got := f.out.String(); got != want {
			t.Errorf("%s: stdout = %q, want %q", mode, got, want)
		}
	}
}

func TestFollowIsNotFooledByAMalformedTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t, started)
	e := p.register("a", &p.stream)
	f := p.follow("--file", p.stream)
	f.sees(startedProse)
	for _, edit := range []struct{ old, new string }{
		{`:1`, `:2`},
		{`"code":0`, `"code":"0"`},
		{`"code":0`, `"code":0.5`},
		{`child_exit`, `nobody`},
		{`,"child_code":0`, ``},
		{`"code":0`, `"code":0,"extra":1`},
		{`runner_exit`, `runner_exits`},
		{`2026-`, `26-`},
		{`}`, ``},
		{`{`, `[{`},
	} {
		p.append(strings.Replace(ended, edit.old, edit.new, 1))
	}
	p.append(`{"event":"mark"}` + "\n")
	f.sees("mark")
	f.goesOn()
	e.Remove()
	f.ends(0)
	if !strings.Contains(f.err.String(), "has no runner_exit") {
		t.Errorf("stderr = %q, want a notice", f.err.String())
	}
}

func TestFollowTakesAnEscapedTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t, strings.Replace(ended, "runner_exit", `\u0072unner_exit`, 1))
	p.register("a", &p.stream)
	p.follow("--file", p.stream).ends(0)
}

func TestFollowWithoutALiveRunIsBounded(t *testing.T) {
	t.Parallel()
	p := newPlace(t, started+ended[:30])
	start := time.Now()
	out, errs := p.do(0, "--follow", "--json")
	if out != started {
		t.Errorf("stdout = %q, want %q", out, started)
	}
	checkWarnings(t, errs, "no live run writes this stream, and it has no runner_exit\nline 2: not JSON: it ends too early: "+ended[:30])
	if took := time.Since(start); took < 500*time.Millisecond {
		t.Errorf("ended after %v, want at least 500ms of quiet", took)
	}
	if out, _ := newPlace(t, "").do(0, "--follow"); out != "no events\n" {
		t.Errorf("stdout of an empty stream = %q", out)
	}
}

func TestGrowthResetsTheQuiet(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "")
	f := p.follow("--file", p.stream)
	start := time.Now()
	for time.Since(start) < 1500*time.Millisecond { // three times what ends it
		p.append(started[:1]) // bytes are growth, a whole line is not needed
		select {
		case <-f.done:
			t.Fatal("ended while the stream grew")
		case <-time.After(50 * time.Millisecond):
		}
	}
	f.ends(0)
}

func TestFollowSeesTheRunnerDie(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"--run-id", "--file"} {
		p := newPlace(t, started)
		r := p.runner("a")
		f := p.follow(by, map[string]string{"--run-id": "a", "--file": p.stream}[by])
		f.sees(startedProse)
		f.goesOn()
		if err := r.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = r.Wait()
		start := time.Now()
		f.ends(0)
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%s: ended %v after the runner, want soon", by, took)
		}
		if !strings.Contains(f.err.String(), "has no runner_exit") {
			t.Errorf("%s: stderr = %q, want a notice", by, f.err.String())
		}
	}
}

func TestFollowByFileKnowsTheRunByItsStream(t *testing.T) {
	wine.Skip(t, "says that it makes symbolic links, and makes none")
	t.Parallel()
	p := newPlace(t, started)
	dir := filepath.Dir(p.stream)
	link := filepath.Join(dir, "link.jsonl")
	if err := os.Symlink(p.stream, link); err != nil {
		t.Skip("no symbolic links here")
	}
	e := p.register("a", &p.stream)
	f := p.follow("--file", link)
	f.sees(startedProse)
	f.goesOn()
	e.Remove()
	f.ends(0)
}

func TestUnprobedCountsAsRunning(t *testing.T) {
	t.Parallel()
	p := newPlace(t, started)
	e := p.register("a", &p.stream)
	records, err := filepath.Glob(filepath.Join(p.registry, "*.json"))
	if err != nil || len(records) != 1 {
		t.Fatalf("records = %v, %v", records, err)
	}
	record, err := os.ReadFile(records[0])
	if err != nil {
		t.Fatal(err)
	}
	e.Remove()
	if err := os.WriteFile(records[0], record, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(strings.TrimSuffix(records[0], ".json")+".lock", 0o700); err != nil {
		t.Fatal(err)
	}
	f := p.follow("--run-id", "a")
	f.sees(startedProse)
	f.goesOn()
	if err := os.Remove(records[0]); err != nil {
		t.Fatal(err)
	}
	f.ends(0)
}

func TestFollowReadsAnEmptiedStreamAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t, started+"\n\n"+started[:40])
	p.register("a", &p.stream)
	f := p.follow("--file", p.stream)
	f.sees(startedProse)
	if err := os.Truncate(p.stream, 0); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "notice", func() bool { return strings.Contains(f.err.String(), "emptied") })
	p.append("x\n" + ended)
	f.ends(0)
	if got, want := f.out.String(), startedProse+endedProse; got != want {
		t.Errorf("stdout = %q, want %q", got, want)
	}
	checkWarnings(t, f.err.String(), "the stream was emptied; it is read from its start again\nline 1: not JSON: unexpected \"x\" at byte 1: x")
}

func TestFollowKeepsToTheFileThatItOpened(t *testing.T) {
	t.Parallel()
	p := newPlace(t, started)
	p.register("a", &p.stream)
	other := p.register("b", &p.stream)
	f := p.follow("--file", p.stream)
	f.sees(startedProse)
	old := p.stream + ".old"
	if err := os.Rename(p.stream, old); err != nil {
		t.Skip("an open file cannot be renamed here")
	}
	p.append("another file\n")
	other.Remove() // has it look for live runs again
	f.goesOn()     // the record of the other still names the path
	p.stream = old
	p.append(ended)
	f.ends(0)
	if got, want := f.out.String(), startedProse+endedProse; got != want {
		t.Errorf("stdout = %q, want %q", got, want)
	}
}
