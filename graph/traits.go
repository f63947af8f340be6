package graph

import "strings"

// Traits are what a search along edges asks of a symbol, in one byte: a search looks
// at a million symbols and describes twenty.
type Traits uint8

// The traits of a symbol.
const (
	TraitExported Traits = 1 << iota
	TraitTest            // a test by its framework's own rule
	TraitGoTest          // lies in a file that go build leaves out
	TraitPlace           // a file or package: what imports it runs its top-level statements
	TraitLiteral         // a function literal
)

// Traits returns the traits of s.
func (s *Symbol) Traits() Traits {
	var t Traits
	for _, has := range [...]struct {
		it    bool
		trait Traits
	}{
		{s.Exported, TraitExported}, {s.Test, TraitTest}, {strings.HasSuffix(s.Path, "_test.go"), TraitGoTest},
		{s.Kind == KindModule || s.Kind == KindPackage, TraitPlace}, {s.Kind == KindLiteral, TraitLiteral},
	} {
		if has.it {
			t |= has.trait
		}
	}
	return t
}

// Has reports whether t includes a trait.
func (t Traits) Has(trait Traits) bool { return t&trait != 0 }

// Wrapped returns the IDs that a function around s may have, if s is a Python
// function inside a function, as the wrapper of a decorator is.
func (s *Symbol) Wrapped() []SymbolID {
	if s.Language != "python" || s.Container == "" {
		return nil
	}
	outer, name := "", s.Container
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		outer, name = name[:i], name[i+1:]
	}
	var ids []SymbolID
	for _, k := range []Kind{KindFunction, KindMethod} {
		ids = append(ids, NewSymbolID(s.Language, s.Path, outer, name, k, ""))
	}
	return ids
}

// An Arrival is an edge as the symbol that it reaches sees it.
type Arrival struct {
	From int32
	Site int32 // first line in From's file that refers to the symbol; 0 if none is known
	Kind EdgeKind
	Tier Tier
}
