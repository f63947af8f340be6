package review

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/previdence/previdence/graph"
)

// commands writes the command lines that run tests. Names come from the
// repository, so every word is quoted for a POSIX shell; a name that no quoting
// can carry gets no command.
type commands struct {
	modules  []string // folders of the tree with a go.mod, longest first
	projects []string // folders with a Python project of their own, longest first
	groups   map[group][]string
}

// A group is the tests that one command line can run together.
type group struct{ framework, dir, unit string }

func newCommands(g *graph.Graph) *commands {
	c := &commands{groups: map[group][]string{}}
	for i := range g.Files {
		dir := path.Dir(g.Files[i].Path)
		switch path.Base(g.Files[i].Path) {
		case "go.mod":
			c.modules = append(c.modules, dir)
		case "pyproject.toml", "setup.py", "setup.cfg":
			c.projects = append(c.projects, dir)
		}
	}
	longest := func(a, b string) int { return cmp.Or(-cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }
	slices.SortFunc(c.modules, longest)
	slices.SortFunc(c.projects, longest)
	return c
}

// one is the command that runs just this test from the root of the tree.
func (c *commands) one(s *graph.Symbol) string {
	g, name := c.place(s)
	return inFolder(g, line(g, []string{name}))
}

// add collects a test for [commands.all].
func (c *commands) add(s *graph.Symbol) {
	g, name := c.place(s)
	if line(g, []string{name}) != "" {
		c.groups[g] = append(c.groups[g], name)
	}
}

// Bounds of the command lines: a longer one is for nobody to read. Past a bound
// a line runs more than was asked for, never less.
const (
	maxCommandNames = 12 // names in one pattern; then the whole unit runs
	maxCommandUnits = 3  // units with a line of their own; then one line runs them whole
	maxUnitsInLine  = 40 // units named in one line; then everything runs
)

// all lists a few command lines that run every collected test, in order.
func (c *commands) all() []string {
	type runner struct{ framework, dir string }
	units := map[runner][]group{}
	for g := range c.groups {
		r := runner{g.framework, g.dir}
		units[r] = append(units[r], g)
	}
	runners := slices.Collect(maps.Keys(units))
	slices.SortFunc(runners, func(a, b runner) int {
		return cmp.Or(cmp.Compare(a.framework, b.framework), cmp.Compare(a.dir, b.dir))
	})
	lines := []string{}
	for _, r := range runners {
		of := units[r]
		slices.SortFunc(of, func(a, b group) int { return cmp.Compare(a.unit, b.unit) })
		if len(of) > maxCommandUnits {
			lines = append(lines, inFolder(of[0], together(of)))
			continue
		}
		for _, g := range of {
			names := slices.Compact(slices.Sorted(slices.Values(c.groups[g])))
			if len(names) > maxCommandNames {
				names = nil
			}
			lines = append(lines, inFolder(g, line(g, names)))
		}
	}
	return lines
}

// together runs whole units of one runner with one line.
func together(units []group) string {
	first := units[0]
	if len(units) > maxUnitsInLine {
		return everything(first)
	}
	words := []string{line(first, nil)}
	for _, g := range units[1:] {
		words = append(words, quote(g.unit))
	}
	return strings.Join(words, " ")
}

// everything runs all tests of one runner.
func everything(g group) string {
	if g.framework == "go" {
		g.unit = "./..."
		return line(g, nil)
	}
	return strings.TrimSuffix(line(g, nil), " "+quote(g.unit))
}

// place finds the unit a test belongs to and its name there.
func (c *commands) place(s *graph.Symbol) (group, string) {
	g := group{framework: s.Framework, dir: ".", unit: s.Path}
	switch s.Framework {
	case "go":
		g.dir = nearest(c.modules, s.Path)
		g.unit = "./" + strings.TrimPrefix(path.Dir(s.Path), g.dir+"/")
		if path.Dir(s.Path) == g.dir {
			g.unit = "."
		}
		return g, s.Name
	case "pytest", "unittest":
		g.dir = nearest(c.projects, s.Path)
		g.unit = strings.TrimPrefix(s.Path, g.dir+"/")
		return g, strings.ReplaceAll(s.Qualified(), ".", "::")
	}
	return g, title(s)
}

// title is the pattern that picks a test by its titles, outermost first; empty
// if the title is an expression, whose value is not known. The containers come
// joined with dots and may hold some of their own, so each may be any character.
func title(s *graph.Symbol) string {
	if s.Signature != "" && !literalTitle(s.Signature) {
		return ""
	}
	if s.Container == "" {
		return pattern(s.Name)
	}
	parts := strings.Split(s.Container, ".")
	for i := range parts {
		parts[i] = pattern(parts[i])
	}
	return strings.Join(parts, ".") + " " + pattern(s.Name)
}

// literalTitle reports whether the title that ends a test's signature is a
// string.
func literalTitle(signature string) bool {
	end := strings.TrimSuffix(signature, ")")
	_, title, _ := strings.Cut(end, "(")
	if len(title) < 2 {
		return false
	}
	first := title[0]
	return (first == '\'' || first == '"' || first == '`') && title[len(title)-1] == first && !strings.Contains(title, string(first)+" +")
}

// nearest is the innermost of the folders around a file, or the root.
func nearest(folders []string, file string) string {
	for _, m := range folders {
		if m == "." || strings.HasPrefix(file, m+"/") {
			return m
		}
	}
	return "."
}

// line writes one command; no names means the whole unit. It is empty if the
// framework is not known or a name cannot be quoted.
func line(g group, names []string) string {
	for _, w := range append([]string{g.unit, g.dir}, names...) {
		if !quotable(w) {
			return ""
		}
	}
	switch g.framework {
	case "go":
		return goLine(g, names)
	case "pytest", "unittest":
		if len(names) == 0 {
			return "python -m pytest " + quote(g.unit)
		}
		words := []string{"python -m pytest"}
		for _, n := range names {
			words = append(words, quote(g.unit+"::"+n))
		}
		return strings.Join(words, " ")
	}
	return scriptLine(g, names)
}

// inFolder runs a line of a Python project in its folder, where its tests find
// their packages and settings. Tests of two projects in one line would load the
// settings of neither.
func inFolder(g group, command string) string {
	if g.dir == "." || command == "" || g.framework != "pytest" && g.framework != "unittest" {
		return command
	}
	return "(cd " + quote(g.dir) + " && " + command + ")"
}

func goLine(g group, names []string) string {
	words := []string{"go"}
	if g.dir != "." {
		words = append(words, "-C", quote(g.dir))
	}
	words = append(words, "test", quote(g.unit))
	if len(names) > 0 {
		words = append(words, "-run", quote("^("+strings.Join(names, "|")+")$"))
		if len(names) == 1 {
			words[len(words)-1] = quote("^" + names[0] + "$")
		}
		if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "Benchmark") }) {
			words = append(words, "-bench", quote("^("+strings.Join(names, "|")+")$"))
		}
	}
	return strings.Join(words, " ")
}

// scripts are the runners of JavaScript and the flag that picks tests by name.
var scripts = map[string]struct{ run, pick string }{
	"vitest": {"npx vitest run", "-t"},
	"jest":   {"npx jest", "-t"},
	"mocha":  {"npx mocha", "--grep"},
	"node":   {"node --test", "--test-name-pattern"},
	"bun":    {"bun test", "-t"},
	"ava":    {"npx ava", "--match"},
}

func scriptLine(g group, names []string) string {
	s, ok := scripts[strings.TrimSuffix(g.framework, ":test")]
	if !ok {
		return ""
	}
	if len(names) != 1 || names[0] == "" {
		return s.run + " " + quote(g.unit)
	}
	if g.framework == "node" || g.framework == "node:test" {
		return s.run + " " + s.pick + "=" + quote(names[0]) + " " + quote(g.unit)
	}
	return s.run + " " + quote(g.unit) + " " + s.pick + " " + quote(names[0])
}

// filled is what a title leaves to be filled in when it runs.
var filled = regexp.MustCompile(`\$\{[^}]*\}|%[a-zA-Z#]|\$[a-zA-Z_][\w.]*|\\.`)

// pattern matches a title as it runs: what is filled in then may be anything,
// and nothing is said about the part of a long title that was cut off.
func pattern(name string) string {
	name, _, _ = strings.Cut(name, "…")
	var b strings.Builder
	at := 0
	for _, m := range filled.FindAllStringIndex(name, -1) {
		b.WriteString(regexp.QuoteMeta(name[at:m[0]]))
		if name[m[0]] == '\\' {
			b.WriteByte('.') // an escape: one character
		} else {
			b.WriteString(".*")
		}
		at = m[1]
	}
	b.WriteString(regexp.QuoteMeta(name[at:]))
	return b.String()
}

func quotable(word string) bool {
	for _, r := range word {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return false
		}
	}
	return !strings.HasPrefix(word, "-")
}

// quote makes one word of a POSIX shell.
func quote(word string) string {
	plain := word != "" && strings.IndexFunc(word, func(r rune) bool {
		return !(r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("_-./:@%+=,", r))
	}) < 0
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
