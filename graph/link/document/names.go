package document

import (
	"strings"
	"unicode"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/link"
)

// names finds the symbols that documents ask for by name.
type names struct {
	symbols []graph.Symbol
	byName  map[string][]int32 // symbols that a document may mean
	types   map[string]bool    // names of types
	owners  map[owner]bool     // types, and what is exported, that hold one of those symbols
}

// An owner is a symbol by file and qualified name.
type owner struct{ path, name string }

// newNames finds the symbols with the names that are asked for: a tree has hundreds of
// times as many.
func newNames(symbols []graph.Symbol, asked map[string]bool) *names {
	n := &names{symbols: symbols, byName: map[string][]int32{}, types: map[string]bool{}, owners: map[owner]bool{}}
	tests := map[string]bool{}
	for i := range symbols {
		if symbols[i].Test {
			tests[symbols[i].Path] = true
		}
	}
	holding, holders := map[string]bool{}, map[owner]bool{} // files, and what they should declare
	for i := range symbols {
		s := &symbols[i]
		if !asked[s.Name] || !spokenOf(s.Kind) || tests[s.Path] {
			continue
		}
		n.byName[s.Name] = append(n.byName[s.Name], int32(i))
		if isType(s.Kind) {
			n.types[s.Name] = true
		}
		if s.Container != "" && s.Language != "go" {
			holding[s.Path], holders[owner{s.Path, s.Container}] = true, true
		}
	}
	for i := range symbols {
		s := &symbols[i]
		if !s.Exported && !isType(s.Kind) || !spokenOf(s.Kind) || !holding[s.Path] {
			continue
		}
		if o := (owner{s.Path, s.Qualified()}); holders[o] {
			n.owners[o] = true
		}
	}
	return n
}

// spokenOf leaves out what documents do not speak of: headings, imports passed on and
// function literals. Neither do they speak of anything in files that hold tests, where
// examples abound that are called like the real thing.
func spokenOf(k graph.Kind) bool {
	switch k {
	case graph.KindModule, graph.KindPackage, graph.KindHeading, graph.KindTest, graph.KindReexport, graph.KindLiteral:
		return false
	}
	return true
}

// askedBy lists the names in the references of documents.
func askedBy(files []link.File) map[string]bool {
	asked := map[string]bool{}
	for i := range files {
		f := files[i].Facts
		for _, r := range f.Refs {
			asked[r.Name] = true
		}
		for _, e := range f.Exprs {
			asked[e.Name] = true // it may be a qualifier
		}
	}
	return asked
}

// owned reports whether a qualifier can mean what holds the symbol. A property
// set on a local variable belongs to nothing that a document could name. In Go
// the holder is always a type, often in another file.
func (n *names) owned(s *graph.Symbol) bool {
	return s.Container == "" || s.Language == "go" || n.owners[owner{s.Path, s.Container}]
}

func isType(k graph.Kind) bool {
	switch k {
	case graph.KindClass, graph.KindStruct, graph.KindInterface, graph.KindType, graph.KindEnum:
		return true
	}
	return false
}

// resolve returns the symbols that a mention stands for, at most MaxTargets.
func (l *linking) resolve(m mention) ([]int32, graph.Tier) {
	var qualified, bare []int32
	for _, i := range l.names.byName[m.name] {
		s := &l.names.symbols[i]
		if !m.mayMean(s) || !l.names.owned(s) {
			continue
		}
		if len(m.qualifiers) == 0 {
			bare = append(bare, i)
		} else if l.places.holds(s, m.qualifiers) {
			qualified = append(qualified, i)
		} else if m.fence != "" && s.Container != "" {
			bare = append(bare, i) // the qualifier may be a variable
		}
	}
	if t := l.few(qualified); len(t) > 0 {
		return t, graph.TierImport
	}
	if len(qualified) > 0 {
		return nil, 0
	}
	return l.distinctive(m, bare), graph.TierName
}

// mayMean reports whether the mention's form allows the symbol: code of one
// language means no symbol of another, and only some kinds can be called.
func (m mention) mayMean(s *graph.Symbol) bool {
	if m.fence != "" && m.fence != fenceOf(s.Language) {
		return false
	}
	return !m.call || s.Kind.Callable() || isType(s.Kind) || s.Kind == graph.KindVariable || s.Kind == graph.KindField
}

func fenceOf(language string) string {
	switch language {
	case "typescript", "tsx", "javascript":
		return "ecmascript"
	}
	return language
}

// few returns the targets if there are not too many. Exported symbols go first:
// documents speak to those who use a program.
func (l *linking) few(targets []int32) []int32 {
	var exported []int32
	for _, i := range targets {
		if l.names.symbols[i].Exported {
			exported = append(exported, i)
		}
	}
	if len(exported) > 0 {
		targets = exported
	}
	if len(targets) > MaxTargets {
		return nil
	}
	return targets
}

// minLength is the length of the shortest name that counts without a qualifier.
const minLength = 4

// distinctive returns the targets of a mention that no qualifier supports, if
// its name is one that hardly anything else bears.
func (l *linking) distinctive(m mention, bare []int32) []int32 {
	var exported []int32
	for _, i := range bare {
		if l.names.symbols[i].Exported {
			exported = append(exported, i)
		}
	}
	n := len(exported)
	if n == 0 || n > MaxTargets || len([]rune(m.name)) < minLength {
		return nil
	}
	composed := isComposed(m.name)
	switch {
	case len(m.qualifiers) > 0: // x.sendAll() in a block of code
		if !composed || n > 1 {
			return nil
		}
	case m.fence != "": // sendAll() in a block of code: a call of nothing else than a function or type
		if !composed || l.names.symbols[exported[0]].Container != "" {
			return nil
		}
	case composed || m.call:
	default: // an ordinary word, unless it is the one type of that name
		if s := &l.names.symbols[exported[0]]; n > 1 || !isType(s.Kind) || !isCapitalised(m.name) {
			return nil
		}
	}
	return exported
}

// isComposed reports whether a name is written as several words: snake_case,
// camelCase, PascalCase, SCREAMING_CASE.
func isComposed(name string) bool {
	if strings.Contains(strings.Trim(name, "_"), "_") {
		return true
	}
	lower := false
	for _, r := range name {
		if lower && unicode.IsUpper(r) {
			return true
		}
		lower = lower || unicode.IsLower(r)
	}
	return false
}

// isCapitalised reports whether a name begins with a capital and goes on in
// lower case, so that it is no abbreviation.
func isCapitalised(name string) bool {
	runes := []rune(name)
	return len(runes) > 1 && unicode.IsUpper(runes[0]) && unicode.IsLower(runes[1])
}

// lacks reports whether a mention in text names a type or package of this tree
// and something in it, while nothing in the whole tree has that name. A member
// may be inherited from elsewhere, so this is worth a look, no more.
func (l *linking) lacks(m mention) bool {
	n := len(m.qualifiers)
	if n == 0 || m.fence != "" || len(l.names.byName[m.name]) > 0 || l.places.endings[m.name] {
		return false
	}
	last := m.qualifiers[n-1]
	if fileEndings[m.name] {
		return false
	}
	return l.names.types[last] || l.places.packages[last]
}

// fileEndings are ends of names of files and hosts that need not be in the tree.
var fileEndings = func() map[string]bool {
	m := map[string]bool{}
	for _, e := range strings.Fields("txt log json yml yaml toml ini cfg conf env lock pem key crt cert csr zip gz tar tgz html css exe dll so png svg com org net io dev") {
		m[e] = true
	}
	return m
}()
