package filekind

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// An AttributesFile is one .gitattributes file of a tree.
type AttributesFile struct {
	Path string // ".gitattributes", "docs/.gitattributes"
	Data []byte
}

// Attributes are the declarations of a tree that matter here: linguist-generated
// and linguist-vendored. A nil pointer declares nothing.
type Attributes struct {
	rules []rule // a later one overrides an earlier one
}

// A state is what the rules say of one attribute.
type state uint8

const (
	unspecified state = iota
	set
	unset
)

type declared struct{ generated, vendored state }

type rule struct {
	dir       string // of the file, "" or ending in a slash
	pattern   string // doublestar pattern relative to dir
	base      bool   // the pattern is for the last name only
	generated change
	vendored  change
}

// A change is what a rule does to an attribute: nothing, or a new state.
type change struct {
	any bool
	to  state
}

// maxRules bounds the rules of one tree, and so the work for each path.
const maxRules = 10_000

// NewAttributes reads attribute files, in any order. As git does, it ignores
// lines that it cannot read; macros are not expanded.
func NewAttributes(files []AttributesFile) *Attributes {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b AttributesFile) int {
		return cmp.Or(cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")), cmp.Compare(a.Path, b.Path))
	})
	a := &Attributes{}
	for _, f := range files {
		dir, _ := path.Split(f.Path)
		for line := range strings.Lines(string(f.Data)) {
			if r, ok := readRule(dir, strings.TrimRight(line, "\r\n")); ok && len(a.rules) < maxRules {
				a.rules = append(a.rules, r)
			}
		}
	}
	return a
}

func (a *Attributes) of(p string) (d declared) {
	if a == nil {
		return d
	}
	for _, r := range a.rules {
		if !r.matches(p) {
			continue
		}
		if r.generated.any {
			d.generated = r.generated.to
		}
		if r.vendored.any {
			d.vendored = r.vendored.to
		}
	}
	return d
}

func (r rule) matches(p string) bool {
	below, ok := strings.CutPrefix(p, r.dir)
	if !ok {
		return false
	}
	if r.base {
		below = path.Base(below)
	}
	match, err := doublestar.Match(r.pattern, below)
	return err == nil && match
}

// readRule reads one line: a pattern, quoted if it holds spaces, and attributes.
func readRule(dir, line string) (r rule, ok bool) {
	line = strings.TrimLeft(line, " \t")
	if line == "" || line[0] == '#' || strings.HasPrefix(line, "[attr]") {
		return r, false
	}
	pattern, rest, ok := cutPattern(line)
	if !ok || strings.HasPrefix(pattern, "!") {
		return r, false // git forbids negative patterns here
	}
	r.dir = dir
	for _, word := range strings.Fields(rest) {
		switch name, to := readAttribute(word); name {
		case "linguist-generated":
			r.generated = change{any: true, to: to}
		case "linguist-vendored":
			r.vendored = change{any: true, to: to}
		}
	}
	if !r.generated.any && !r.vendored.any {
		return r, false
	}
	r.base = !strings.Contains(pattern, "/")
	// Braces mean nothing to git, and a pattern for a folder matches no file.
	r.pattern = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(strings.TrimPrefix(pattern, "/"))
	return r, !strings.HasSuffix(pattern, "/") && doublestar.ValidatePattern(r.pattern)
}

// maxPattern bounds the work of matching one pattern.
const maxPattern = 512

func cutPattern(line string) (pattern, rest string, ok bool) {
	if line[0] != '"' {
		i := strings.IndexAny(line, " \t")
		if i < 0 || i > maxPattern {
			return "", "", false
		}
		return line[:i], line[i:], true
	}
	var b strings.Builder
	for i := 1; i < len(line) && i < maxPattern; i++ {
		switch line[i] {
		case '"':
			return b.String(), line[i+1:], b.Len() > 0
		case '\\':
			if i++; i < len(line) {
				b.WriteByte(line[i])
			}
		default:
			b.WriteByte(line[i])
		}
	}
	return "", "", false
}

// readAttribute reads "name", "-name", "!name" or "name=value", where the value
// false means unset, as linguist reads it.
func readAttribute(word string) (name string, to state) {
	switch word[0] {
	case '-':
		return word[1:], unset
	case '!':
		return word[1:], unspecified
	}
	name, value, _ := strings.Cut(word, "=")
	if value == "false" {
		return name, unset
	}
	return name, set
}
