package applet

import (
	"flag"
	"slices"
	"strings"

	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

// The flag package accepts -name, abbreviated booleans and repeated flags.
// scan allows less: --name only, one form of every flag, a value that does
// not start with "-" unless it is attached by "=", and each flag once unless
// it says that it repeats.

type scanned struct {
	args     []string // for the flag package: --name=value only
	plain    []string // the arguments among them
	operands []string
	seen     map[string]bool
}

func scan(a *Applet, args []string) (scanned, error) {
	s := scanned{seen: map[string]bool{}}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--" && a.Operands:
			s.operands = args[i+1:]
			return s, missing(a, s.plain)
		case arg == "-h":
			return s, errHelp{short(a.Help)}
		case arg == "--help":
			return s, errHelp{a.Help}
		case len(s.plain) < len(a.Args) && !strings.HasPrefix(arg, "-"):
			s.plain = append(s.plain, arg)
			continue
		case !strings.HasPrefix(arg, "--") || arg == "--":
			return s, unexpected(a, arg)
		}
		name, value, attached := strings.Cut(arg[2:], "=")
		f := a.Flags.Lookup(name)
		if f == nil {
			return s, exit.Errorf(exit.Usage, "unknown flag --%s%s", clip(name), suggest(a.Flags, name))
		}
		if s.seen[name] && !repeats(f) {
			return s, exit.Errorf(exit.Usage, "--%s is given twice", name)
		}
		s.seen[name] = true
		if isBool(f) {
			if attached {
				return s, exit.Errorf(exit.Usage, "--%s takes no value", name)
			}
			s.args = append(s.args, "--"+name)
			continue
		}
		if !attached {
			if i++; i == len(args) || strings.HasPrefix(args[i], "-") {
				return s, exit.Errorf(exit.Usage, "--%s needs a value (one that starts with - is written --%s=VALUE)", name, name)
			}
			value = args[i]
		}
		s.args = append(s.args, "--"+name+"="+value)
	}
	return s, missing(a, s.plain)
}

func missing(a *Applet, plain []string) error {
	if len(plain) < len(a.Args) {
		return exit.Errorf(exit.Usage, "%s is required", a.Args[len(plain)])
	}
	return nil
}

// unexpected never repeats a token that might be a value: a secret must not
// reach a log because its flag was forgotten.
func unexpected(a *Applet, arg string) error {
	if strings.HasPrefix(arg, "-") && arg != "-" && arg != "--" {
		name, _, _ := strings.Cut(arg, "=")
		return exit.Errorf(exit.Usage, "unknown flag %s: flags are long, as in --name", clip(name))
	}
	if a.Operands {
		return exit.Errorf(exit.Usage, "unexpected argument before --: the program and its arguments come after it")
	}
	if len(a.Args) > 0 {
		return exit.Errorf(exit.Usage, "unexpected argument: besides flags, this command takes %s only", strings.Join(a.Args, " "))
	}
	hint := ""
	for _, f := range [...]string{"run-id", "file"} {
		if a.Flags.Lookup(f) != nil && hint == "" {
			hint = ", as in --" + f + "=..."
		}
	}
	return exit.Errorf(exit.Usage, "unexpected argument: this command takes flags only%s", hint)
}

func clip(s string) string { return text.Clean(s) }

// suggest names the flag that was probably meant.
func suggest(fs *flag.FlagSet, name string) string {
	if best := nearest(Flags(fs), name); best != "" {
		return ", did you mean --" + best + "?"
	}
	return ""
}

// nearest returns the first of the names that are closest to name, or "" if
// none has much in common with it.
func nearest(names []string, name string) string {
	best, bestDistance := "", min(3, len(name))
	for _, n := range names {
		if d := distance(n, name); d < bestDistance {
			best, bestDistance = n, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// shortEnd ends the first screen of a help text.
const shortEnd = "\nMore: --help\n"

// short cuts a help text to its first screen.
func short(help string) string {
	if i := strings.Index(help, "\nAll options"); i >= 0 {
		return help[:i] + shortEnd
	}
	return help
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

func repeats(f *flag.Flag) bool {
	r, ok := f.Value.(interface{ Repeats() bool })
	return ok && r.Repeats()
}

// List is the value of a flag that may be given more than once.
type List []string

func (l *List) String() string { return strings.Join(*l, " ") }

// Set appends s.
func (l *List) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// Repeats marks the flag as repeatable.
func (*List) Repeats() bool { return true }

// Flags names a set's flags in order.
func Flags(fs *flag.FlagSet) []string {
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	slices.Sort(names)
	return names
}
