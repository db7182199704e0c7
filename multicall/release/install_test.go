package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"processkit-cli/fixtures/need"
)

// TestInstallUnder goes through an installation's life under each shell, and
// with each program that can download and that can hash.
func TestInstallUnder(t *testing.T) {
	tests := []struct {
		shell []string
		tools []string
	}{
		{[]string{"dash"}, []string{"curl", "sha256sum"}},
		{[]string{"bash", "--posix"}, []string{"wget", "shasum", "perl"}},
		{[]string{"bash"}, []string{"curl", "openssl"}},
		{[]string{"zsh", "--emulate", "sh"}, []string{"wget", "sha256sum"}},
		{[]string{"busybox", "sh"}, nil},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.shell, tt.tools), func(t *testing.T) {
			s := newSite(t)
			shell := need.Program(t, tt.shell[0])
			s.shell = append([]string{shell}, tt.shell[1:]...)
			if tt.tools != nil {
				s.path = toolbox(t, append(tt.tools, basics...)...)
			} else {
				s.path = t.TempDir()
				for _, applet := range append([]string{"wget", "sha256sum"}, basics...) {
					if err := os.Symlink(shell, filepath.Join(s.path, applet)); err != nil {
						t.Fatal(err)
					}
				}
			}
			r := serve(t)
			r.add(t, "1.0.0")
			s.run(t, 0, "--base-url", r.URL)
			s.installed(t, "1.0.0")
			s.run(t, 0, "--base-url", r.URL) // again
			s.installed(t, "1.0.0")
			r.add(t, "1.1.0")
			s.run(t, 0, "--base-url="+r.URL+"/")
			s.installed(t, "1.1.0")
			s.run(t, 0, "--base-url", r.URL, "--version", "v1.0.0")
			s.installed(t, "1.0.0")
			spoilt := slices.Clone(r.get(archivePath("1.1.0")))
			spoilt[100] ^= 1
			r.set(archivePath("1.1.0"), spoilt)
			if out := s.run(t, 1, "--base-url", r.URL, "--version=1.1.0"); !strings.Contains(out, "does not match") {
				t.Errorf("a spoilt archive: %s", out)
			}
			s.installed(t, "1.0.0")
			write(t, filepath.Join(s.dir, "pkc-mine"), "#!/bin/sh\n", program)
			if out := s.run(t, 0, "--uninstall"); !strings.Contains(out, "left "+filepath.Join(s.dir, "pkc-mine")) {
				t.Errorf("uninstall says %q", out)
			}
			if got := names(t, s.dir); !slices.Equal(got, []string{"pkc-mine"}) {
				t.Errorf("after uninstall: %q", got)
			}
		})
	}
}

// TestInstallRefuses: whatever is wrong, what was installed stays as it was.
func TestInstallRefuses(t *testing.T) {
	tests := []struct {
		name string
		want string // in what it says
		prep func(t *testing.T, s *site, r *releases)
		args []string
	}{
		{"no checksums", "cannot download", func(_ *testing.T, _ *site, r *releases) { r.set("/latest/download/SHA256SUMS", nil) }, nil},
		{"no archive", "cannot download", func(_ *testing.T, _ *site, r *releases) { r.set(archivePath("2.0.0"), nil) }, nil},
		{"no such version", "cannot download", nil, []string{"--version", "3.0.0"}},
		{"nobody there", "cannot download", nil, []string{"--base-url", "http://127.0.0.1:1/"}},
		{"cut checksums", "names no archive", func(_ *testing.T, _ *site, r *releases) {
			r.set("/latest/download/SHA256SUMS", r.get("/latest/download/SHA256SUMS")[:80])
		}, nil},
		{"empty checksums", "names no archive", func(_ *testing.T, _ *site, r *releases) {
			r.set("/latest/download/SHA256SUMS", []byte{})
		}, nil},
		{"other version's checksums", "names no archive of 2.0.0", func(_ *testing.T, _ *site, r *releases) {
			r.set("/download/v2.0.0/SHA256SUMS", r.get("/download/v1.0.0/SHA256SUMS"))
		}, []string{"--version", "2.0.0"}},
		{"two archives", "more than one", func(_ *testing.T, _ *site, r *releases) {
			r.set("/latest/download/SHA256SUMS", slices.Concat(r.get("/download/v1.0.0/SHA256SUMS"), r.get("/download/v2.0.0/SHA256SUMS")))
		}, nil},
		{"a short sum", "does not match", func(_ *testing.T, _ *site, r *releases) {
			r.set("/latest/download/SHA256SUMS", []byte("abc  "+archiveName("2.0.0")+"\n"))
		}, nil},
		{"an odd version", "odd version", func(_ *testing.T, _ *site, r *releases) {
			r.set("/latest/download/SHA256SUMS", []byte(sumOf(host.stem(suiteName, "../x")+".tar.gz", nil).hex+"  "+archiveName("../x")+"\n"))
		}, nil},
		{"another archive", "does not match", func(_ *testing.T, _ *site, r *releases) {
			r.set(archivePath("2.0.0"), r.get(archivePath("1.0.0")))
		}, nil},
		{"a truncated download", "nothing was changed", func(_ *testing.T, _ *site, r *releases) {
			r.answer(archivePath("2.0.0"), func(w http.ResponseWriter, _ *http.Request) {
				b := r.get(archivePath("2.0.0"))
				w.Header().Set("Content-Length", strconv.Itoa(len(b)))
				_, _ = w.Write(b[:len(b)/2])
			})
		}, nil},
		{"a truncated archive", "does not match", func(_ *testing.T, _ *site, r *releases) {
			r.set(archivePath("2.0.0"), r.get(archivePath("2.0.0"))[:50])
		}, nil},
		{"no archive at all", "cannot read", func(_ *testing.T, _ *site, r *releases) { r.publish("2.0.0", []byte("words")) }, nil},
		{"a member outside", "unexpected member", func(t *testing.T, _ *site, r *releases) {
			r.add(t, "2.0.0", "bin/processkit-cli", "../../../etc/x")
		}, nil},
		{"a member more", "unexpected member", func(t *testing.T, _ *site, r *releases) {
			r.add(t, "2.0.0", "bin/processkit-cli", "bin/sudo")
		}, nil},
		{"an odd tool", "unexpected member", func(t *testing.T, _ *site, r *releases) {
			r.add(t, "2.0.0", "bin/processkit-cli", "bin/pkc-a b")
		}, nil},
		{"no program", "cannot unpack", func(t *testing.T, _ *site, r *releases) { r.add(t, "2.0.0", "bin/pkc-run") }, nil},
		{"a way out", "unexpected member", func(t *testing.T, _ *site, r *releases) {
			r.add(t, "2.0.0", "bin/processkit-cli", "share/../../x")
		}, nil},
		{"a program of another project", "another program", func(t *testing.T, _ *site, r *releases) {
			r.addProgram(t, "2.0.0", "#!/bin/sh\necho processkit-cli 2.0.0\n", "bin/processkit-cli")
		}, nil},
		{"a link for a program", "another program", func(t *testing.T, _ *site, r *releases) {
			r.publish("2.0.0", linkArchive(t, host.stem(suiteName, "2.0.0")+"/bin/processkit-cli", "/tmp/processkit-cli"))
		}, nil},
		{"a program of another version", "not version 2.0.0", func(t *testing.T, _ *site, r *releases) {
			r.addProgram(t, "2.0.0", fakeProgram("2.0.1"), "bin/processkit-cli")
		}, nil},
		{"a program that fails", "does not run", func(t *testing.T, _ *site, r *releases) {
			r.addProgram(t, "2.0.0", "#!/bin/sh\n# path\tprocesskit-cli/multicall\nexit 1\n", "bin/processkit-cli")
		}, nil},
		{"a foreign program", "not of this project", func(t *testing.T, s *site, _ *releases) {
			write(t, filepath.Join(s.dir, "pkc-list"), "mine", program)
		}, nil},
		{"a foreign link", "not of this project", func(t *testing.T, s *site, _ *releases) {
			if err := os.Symlink("/bin/sh", filepath.Join(s.dir, "pkc-list")); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"a directory", "not of this project", func(t *testing.T, s *site, _ *releases) {
			if err := os.Mkdir(filepath.Join(s.dir, "pkc-list"), program); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"plain http", "want an https URL", nil, []string{"--base-url", "http://host.example/r"}},
		{"a user", "without a user", nil, []string{"--base-url", "http://127.0.0.1:80@host.example/r"}},
		{"no base", "--base-url", nil, []string{"--base-url", ""}},
		{"an unknown option", "unknown option", nil, []string{"--prefix", "x"}},
		{"a value missing", "needs a value", nil, []string{"--dir"}},
		{"an odd version asked for", "--version:", nil, []string{"--version", "1/../2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, r := newSite(t), serve(t)
			write(t, filepath.Join(s.dir, "processkit-cli"), fakeProgram("1.0.0"), program)
			r.add(t, "1.0.0")
			r.add(t, "2.0.0")
			if tt.prep != nil {
				tt.prep(t, s, r)
			}
			before := snapshot(t, s.dir)
			if out := s.run(t, 1, append([]string{"--base-url", r.URL}, tt.args...)...); !strings.Contains(out, tt.want) {
				t.Errorf("install.sh says %q, want %q", out, tt.want)
			}
			if after := snapshot(t, s.dir); after != before {
				t.Errorf("before\n%safter\n%s", before, after)
			}
		})
	}
}

// TestInstallReplacesOurs: links of --install, single tools of an archive, and
// what a killed installer left.
func TestInstallReplacesOurs(t *testing.T) {
	s, r := newSite(t), serve(t)
	r.add(t, "1.0.0")
	write(t, filepath.Join(s.dir, "pkc-run"), "\x7fELF\x00\xff"+fakeProgram("0.9.0"), program)
	if err := os.Symlink("/opt/old/processkit-cli", filepath.Join(s.dir, "pkc-list")); err != nil {
		t.Fatal(err)
	}
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(s.dir, fmt.Sprint(".processkit-cli.new.", gone.Process.Pid)), "", program)
	living := fmt.Sprint(".processkit-cli.new.", os.Getpid())
	write(t, filepath.Join(s.dir, living), "", program)
	out := s.run(t, 0, "--base-url", r.URL)
	s.installed(t, "1.0.0", living)
	if !strings.Contains(out, "is not on your PATH") {
		t.Errorf("install.sh says %q, want a word on PATH", out)
	}
}

// TestInstallDir: any directory, also one whose name shells trip over.
func TestInstallDir(t *testing.T) {
	s, r := newSite(t), serve(t)
	r.add(t, "1.0.0")
	s.dir = filepath.Join(s.home, "a b", "-c*")
	s.run(t, 0, "--base-url", r.URL, "--dir", s.dir)
	s.installed(t, "1.0.0")
	s.run(t, 0, "--uninstall", "--dir", s.dir)
	if got := names(t, s.dir); len(got) > 0 {
		t.Errorf("after uninstall: %q", got)
	}
	write(t, filepath.Join(s.home, "file"), "", text)
	if out := s.run(t, 1, "--base-url", r.URL, "--dir", filepath.Join(s.home, "file", "bin")); !strings.Contains(out, "cannot make") {
		t.Errorf("a file in the way: %q", out)
	}
}

func TestInstallUnwritable(t *testing.T) {
	s, r := newSite(t), serve(t)
	r.add(t, "1.0.0")
	if err := errors.Join(os.MkdirAll(s.dir, program), os.Chmod(s.dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	cmd := s.command(t, "--base-url", r.URL)
	if os.Getuid() == 0 {
		asNobody(t, s, cmd)
	}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "cannot write to") {
		t.Errorf("install.sh = %v, %q, want a refusal", err, out)
	}
	if got := append(names(t, s.dir), names(t, s.tmp)...); len(got) > 0 {
		t.Errorf("left %q", got)
	}
}

// TestInstallInterrupted: in the middle of a download, by each signal.
func TestInstallInterrupted(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			s, r := newSite(t), serve(t)
			r.add(t, "1.0.0")
			s.run(t, 0, "--base-url", r.URL)
			r.add(t, "2.0.0")
			half := make(chan bool)
			over := make(chan bool)
			r.answer(archivePath("2.0.0"), func(w http.ResponseWriter, q *http.Request) {
				b := r.get(archivePath("2.0.0"))
				w.Header().Set("Content-Length", strconv.Itoa(len(b)))
				_, _ = w.Write(b[:len(b)/2])
				w.(http.Flusher).Flush()
				close(half)
				select {
				case <-q.Context().Done(): // the downloader is gone
				case <-over:
				}
			})
			release := sync.OnceFunc(func() { close(over) })
			defer release()
			cmd := s.command(t, "--base-url", r.URL)
			cmd.Stderr = new(bytes.Buffer) // so that Wait waits for a download that outlives the shell
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-half:
			case <-time.After(time.Minute):
				t.Error("no download in a minute")
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Error(err)
			}
			if sig == syscall.SIGKILL {
				release() // nobody is left to end the download
			}
			stuck := time.AfterFunc(time.Minute, release) // one that waits for the download
			_ = cmd.Wait()
			stuck.Stop()
			if code := cmd.ProcessState.ExitCode(); sig != syscall.SIGKILL && code != 128+int(sig) {
				t.Errorf("code after %v = %d, want %d", sig, code, 128+int(sig))
			}
			s.installed(t, "1.0.0")
			if left := names(t, s.tmp); len(left) > 0 && sig != syscall.SIGKILL {
				t.Errorf("left below TMPDIR: %q", left)
			}
		})
	}
}

// TestInstallKilled kills the installer at each program that it starts: before
// and after, the old version is whole or the new one is, and the next run cleans
// up behind it.
func TestInstallKilled(t *testing.T) {
	s, r := newSite(t), serve(t)
	r.add(t, "1.0.0")
	r.add(t, "2.0.0")
	unharmed := s.path
	steps := t.TempDir()
	count := filepath.Join(steps, "count")
	harmful := filepath.Join(steps, "bin")
	for _, name := range append([]string{"curl", "sha256sum"}, basics...) {
		write(t, filepath.Join(harmful, name), fmt.Sprintf(`#!/bin/sh
echo >>%s
[ "$(wc -l <%s)" != "$KILL_AT" ] || kill -KILL $PPID
PATH=%s exec %s "$@"
`, count, count, unharmed, need.Program(t, name)), program)
	}
	for at := 1; ; at++ {
		s.run(t, 0, "--base-url", r.URL, "--version", "1.0.0")
		s.installed(t, "1.0.0")
		write(t, count, "", text)
		s.path = harmful + ":" + unharmed
		cmd := s.command(t, "--base-url", r.URL)
		cmd.Env = append(cmd.Env, fmt.Sprint("KILL_AT=", at))
		_, err := cmd.CombinedOutput() // also waits for what outlives the shell
		s.path = unharmed
		b, e := os.ReadFile(filepath.Join(s.dir, "processkit-cli"))
		if e != nil || string(b) != fakeProgram("1.0.0") && string(b) != fakeProgram("2.0.0") {
			t.Fatalf("killed at step %d: %q, %v", at, b, e)
		}
		for _, link := range []string{"pkc-list", "pkc-run"} {
			if _, err := os.Stat(filepath.Join(s.dir, link)); err != nil {
				t.Errorf("killed at step %d: %v", at, err)
			}
		}
		if e := errors.Join(os.RemoveAll(s.tmp), os.Mkdir(s.tmp, 0o777)); e != nil { // what SIGKILL leaves there
			t.Fatal(e)
		}
		if err == nil {
			if at < 15 {
				t.Errorf("only %d steps", at)
			}
			break
		}
	}
	s.run(t, 0, "--base-url", r.URL)
	s.installed(t, "2.0.0")
}

// TestInstallRelease installs what make dist made.
func TestInstallRelease(t *testing.T) {
	s, r := newSite(t), serve(t)
	b, err := os.ReadFile(filepath.Join(dist(t), archiveName(distVersion)))
	if err != nil {
		t.Fatal(err)
	}
	r.publish(distVersion, b)
	s.run(t, 0, "--base-url", r.URL)
	for _, name := range []string{"processkit-cli", "pkc-run"} {
		if got, want := alone(t, 0, filepath.Join(s.dir, name), "--version"), name+" "+distVersion+"\n"; got != want {
			t.Errorf("%s --version = %q, want %q", name, got, want)
		}
	}
	// The links of --install lead to the binary by its whole path.
	alone(t, 0, filepath.Join(s.dir, "processkit-cli"), "--install", s.dir)
	s.run(t, 0, "--base-url", r.URL)
	s.run(t, 0, "--uninstall")
	if got := names(t, s.dir); len(got) > 0 {
		t.Errorf("after uninstall: %q", got)
	}
}

// TestInstallersAgree: the two scripts have the same options, ask for the same
// names and know programs of this project by the same words.
func TestInstallersAgree(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(installer), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	sh, ps := read("install.sh"), read("install.ps1")
	_, params, _ := strings.Cut(ps, "\nparam(\n")
	params, _, _ = strings.Cut(params, "\n)\n")
	_, usage, _ := strings.Cut(sh, "<<'EOF'\n")
	usage, _, _ = strings.Cut(usage, "\nEOF\n")
	long := regexp.MustCompile(`(?m)^  --([a-z-]+)`)
	var options, parameters []string
	for _, m := range long.FindAllStringSubmatch(usage, -1) {
		options = append(options, strings.ReplaceAll(m[1], "-", ""))
		if !strings.Contains(sh, "--"+m[1]+")") && !strings.Contains(sh, "--"+m[1]+" |") {
			t.Errorf("install.sh tells of --%s and does not take it", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^    \[(?:string|switch)\]\$(\w+)`).FindAllStringSubmatch(params, -1) {
		parameters = append(parameters, strings.ToLower(m[1]))
		if !strings.Contains(ps, "\n.PARAMETER "+m[1]+"\n") {
			t.Errorf("install.ps1 does not tell of -%s", m[1])
		}
	}
	if !slices.Equal(options, parameters) {
		t.Errorf("install.sh has %q, install.ps1 %q", options, parameters)
	}
	for _, word := range []string{
		"PROCESSKIT_CLI_BASE_URL", "/latest/download/SHA256SUMS", "tprocesskit-cli/", ".processkit-cli.new.",
	} {
		if !strings.Contains(sh, word) || !strings.Contains(ps, word) {
			t.Errorf("one of the installers has no %q", word)
		}
	}
}

func TestInstallShellcheck(t *testing.T) {
	if out, err := exec.Command(need.Program(t, "shellcheck"), "--shell=sh", installer).CombinedOutput(); err != nil {
		t.Errorf("shellcheck: %v\n%s", err, out)
	}
}
