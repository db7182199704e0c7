package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/exit"
)

//go:embed help.txt
var help string

// options mirrors the flags, unjudged.
type options struct {
	version, epoch, bin, out string
	targets                  applet.List
	nfpm, maintainer, base   string
}

func newCommand() *applet.Applet {
	var o options
	fs := flag.NewFlagSet("release", flag.ContinueOnError)
	fs.StringVar(&o.version, "version", "", "")
	fs.StringVar(&o.epoch, "epoch", "", "")
	fs.StringVar(&o.bin, "bin", "", "")
	fs.StringVar(&o.out, "out", "", "")
	fs.Var(&o.targets, "target", "")
	fs.StringVar(&o.nfpm, "nfpm", "", "")
	fs.StringVar(&o.maintainer, "maintainer", "", "")
	fs.StringVar(&o.base, "base-url", "", "")
	return &applet.Applet{
		Name: "release", Help: help, Flags: fs,
		Exec: func(ctx context.Context, c *applet.Call) error {
			p, err := o.plan()
			if err != nil {
				return exit.Errorf(exit.Usage, "%w", err)
			}
			if err := p.publish(ctx, c); err != nil {
				return exit.Errorf(exit.Setup, "%w", err)
			}
			return nil
		},
	}
}

// plan is one release: everything that its bytes depend on.
type plan struct {
	version    string
	time       time.Time // of every file in it
	root       string    // of the source tree
	bin, out   string
	targets    []target
	nfpm       []string // the command, or nothing for no packages
	maintainer string
	base       string // where releases are published, or "" for no manifests
}

func (o *options) plan() (plan, error) {
	p := plan{root: ".", version: o.version, bin: o.bin, out: o.out, nfpm: strings.Fields(o.nfpm), maintainer: o.maintainer}
	// No hyphen: in the names of packages a release number follows one.
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(o.version) {
		return p, errors.New("--version: want numbers such as 1.2.3")
	}
	sec, err := strconv.ParseInt(o.epoch, 10, 64)
	if err != nil || sec < minEpoch || sec > maxEpoch {
		return p, errors.New("--epoch: want seconds since 1970, in the years 1980 to 2099; SOURCE_DATE_EPOCH sets it where there is no commit")
	}
	p.time = time.Unix(sec, 0).UTC()
	if o.bin == "" || o.out == "" || len(o.targets) == 0 {
		return p, errors.New("--bin, --out and --target are required")
	}
	for _, s := range o.targets {
		t, err := parseTarget(s)
		if err != nil {
			return p, err
		}
		p.targets = append(p.targets, t)
	}
	if len(p.nfpm) > 0 && o.maintainer == "" {
		return p, errors.New("--maintainer: packages name who answers for them")
	}
	p.base, err = parseBase(o.base)
	return p, err
}

// The times that both tar and zip can hold.
const (
	minEpoch = 315532800  // 1980-01-01
	maxEpoch = 4102444799 // 2099-12-31
)

// parseBase wants what can stand in a manifest unquoted.
func parseBase(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		!regexp.MustCompile(`^[A-Za-z0-9:/._~-]+$`).MatchString(s) {
		return "", errors.New("--base-url: want an https URL without user, query and odd characters")
	}
	return strings.TrimSuffix(s, "/"), nil
}

// homepage is the project that the releases belong to.
func (p *plan) homepage() string {
	if path.Base(p.base) == "releases" {
		return strings.TrimSuffix(p.base, "/releases")
	}
	return p.base
}

// url is where the file of that name will be published.
func (p *plan) url(name string) string {
	return p.base + "/download/v" + p.version + "/" + name
}
