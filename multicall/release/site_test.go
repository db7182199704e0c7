package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"processkit-cli/fixtures/need"
)

const installer = "../../docs/install/install.sh"

// fakeProgram is one to the installer's eyes, which look for what Go records.
func fakeProgram(version string) string {
	return "#!/bin/sh\n# path\tprocesskit-cli/multicall\necho processkit-cli " + version + "\n"
}

// releases is a server of releases whose answers a test can spoil.
type releases struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string][]byte // by path
	spoil map[string]http.HandlerFunc
}

// get returns the file at path, or nil.
func (r *releases) get(path string) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.files[path]
}

// set puts a file at path, or none.
func (r *releases) set(path string, content []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[path] = content
}

// answer has h answer for path.
func (r *releases) answer(path string, h http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spoil[path] = h
}

func (r *releases) handler(path string) http.HandlerFunc {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spoil[path]
}

func serve(t *testing.T) *releases {
	t.Helper()
	r := &releases{files: map[string][]byte{}, spoil: map[string]http.HandlerFunc{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if h := r.handler(q.URL.Path); h != nil {
			h(w, q)
		} else if b := r.get(q.URL.Path); b != nil {
			_, _ = w.Write(b)
		} else {
			http.NotFound(w, q)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// add publishes a version as the latest, its program and other members made up.
func (r *releases) add(t *testing.T, version string, members ...string) {
	t.Helper()
	if len(members) == 0 {
		members = []string{"bin/processkit-cli", "bin/pkc-list", "bin/pkc-run", "share/man/man1/pkc-run.1"}
	}
	r.addProgram(t, version, fakeProgram(version), members...)
}

func (r *releases) addProgram(t *testing.T, version, content string, members ...string) {
	t.Helper()
	src := filepath.Join(t.TempDir(), "program")
	write(t, src, content, program)
	var files []file
	for _, m := range members {
		files = append(files, file{host.stem(suiteName, version) + "/" + m, src, program})
	}
	var b bytes.Buffer
	if err := tarball(&b, files, time.Unix(1700000000, 0)); err != nil {
		t.Fatal(err)
	}
	r.publish(version, b.Bytes())
}

func archiveName(version string) string { return host.stem(suiteName, version) + ".tar.gz" }

func archivePath(version string) string { return "/download/v" + version + "/" + archiveName(version) }

func (r *releases) publish(version string, archive []byte) {
	sums := checksums{
		sumOf("pkc-run_"+version+"_linux_amd64.tar.gz", nil), // others are passed over
		sumOf(archiveName(version), archive),
		sumOf("processkit-cli_"+version+"_plan9_mips.tar.gz", nil),
	}.String()
	r.set(archivePath(version), archive)
	r.set("/download/v"+version+"/"+sumsName, []byte(sums))
	r.set("/latest/download/"+sumsName, []byte(sums))
}

// site is a place to install to, with nothing around it.
type site struct {
	dir, tmp, home string
	path           string // PATH
	shell          []string
}

func newSite(t *testing.T) *site {
	t.Helper()
	if host.windows() {
		t.Skip("needs a POSIX shell: this is Windows")
	}
	top := t.TempDir()
	s := &site{dir: filepath.Join(top, "home", ".local", "bin"), tmp: filepath.Join(top, "tmp"), home: filepath.Join(top, "home"), path: os.Getenv("PATH"), shell: []string{"sh"}}
	if err := errors.Join(os.Mkdir(s.tmp, 0o777), os.Mkdir(s.home, 0o777)); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *site) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	script, err := filepath.Abs(installer)
	if err != nil {
		t.Fatal(err)
	}
	argv := slices.Concat(s.shell, []string{script}, args)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = []string{"HOME=" + s.home, "TMPDIR=" + s.tmp, "PATH=" + s.path}
	return cmd
}

// run runs the installer to its end and checks that nothing temporary is left.
func (s *site) run(t *testing.T, code int, args ...string) string {
	t.Helper()
	out, err := s.command(t, args...).CombinedOutput()
	got := -1
	if err == nil {
		got = 0
	} else if e, ok := errors.AsType[*exec.ExitError](err); ok {
		got = e.ExitCode()
	}
	if got != code {
		t.Errorf("%q install.sh %q = %d (%v), want %d\n%s", s.shell, args, got, err, code, out)
	}
	if left := names(t, s.tmp); len(left) > 0 {
		t.Errorf("left below TMPDIR: %q", left)
	}
	return string(out)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// installed wants that version, whole, and nothing else besides more.
func (s *site) installed(t *testing.T, version string, more ...string) {
	t.Helper()
	want := append([]string{"pkc-list", "pkc-run", "processkit-cli"}, more...)
	slices.Sort(want)
	if got := names(t, s.dir); !slices.Equal(got, want) {
		t.Errorf("installed %q, want %q", got, want)
	}
	for _, name := range want {
		if slices.Contains(more, name) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil || string(b) != fakeProgram(version) {
			t.Errorf("%s is %q, %v, want version %s", name, b, err, version)
		}
		if target, _ := os.Readlink(filepath.Join(s.dir, name)); name != "processkit-cli" && target != "processkit-cli" {
			t.Errorf("%s leads to %q", name, target)
		}
	}
	if info, err := os.Stat(filepath.Join(s.dir, "processkit-cli")); err != nil {
		t.Error(err)
	} else if info.Mode() != 0o755 {
		t.Errorf("mode of the program = %v, want 0755", info.Mode())
	}
}

// toolbox is a PATH with these programs only.
func toolbox(t *testing.T, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range programs {
		if err := os.Symlink(need.Program(t, p), filepath.Join(dir, p)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// basics are what the installer needs in any case.
var basics = []string{"cat", "chmod", "cp", "grep", "gzip", "ln", "mkdir", "mktemp", "mv", "readlink", "rm", "tar", "uname"}

func linkArchive(t *testing.T, name, to string) []byte {
	t.Helper()
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	tw := tar.NewWriter(zw)
	h := &tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: to, Mode: program}
	if err := errors.Join(tw.WriteHeader(h), tw.Close(), zw.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// snapshot tells of names, modes, targets and contents in dir.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range names(t, dir) {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		target, _ := os.Readlink(path)
		content, _ := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %v %q %q\n", name, info.Mode(), target, sumOf(name, content).hex)
	}
	return b.String()
}
