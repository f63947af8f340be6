package graph

import (
	"path"
	"strings"
)

// A SymbolID names a symbol the same way on every machine and in every run:
//
//	<language>:<path>#<Container.…>.<name>/<kind>[~discriminator]
//
// for example "go:pay/client.go#Client.Send/method". The path is the file that
// defines the symbol; the discriminator tells overloads and repeated names
// apart.
type SymbolID string

// A Kind says what a symbol is.
type Kind uint8

// The kinds. The zero value is invalid.
const (
	KindModule      Kind = iota + 1 // one source file: owner of imports and top-level statements
	KindPackage                     // a Go package, a Python package directory
	KindFunction                    // a free function
	KindMethod                      // a function that belongs to a type
	KindConstructor                 // a constructor written out
	KindClass                       // a class
	KindStruct                      // a struct or record type
	KindInterface                   // an interface, protocol or trait
	KindType                        // a named type or alias that is none of the above
	KindEnum                        // an enumeration
	KindMember                      // a member of an enumeration
	KindConstant                    // a constant
	KindVariable                    // a variable at file or package level
	KindField                       // a field or instance attribute
	KindProperty                    // an accessor that reads like a field
	KindTest                        // a test block without a name of its own in the language: it("…", …)
	KindHeading                     // a heading of a document
	KindReexport                    // a name that a module passes on from another
	KindLiteral                     // a function literal that calls lead to: part of the symbol around it, whose change is its own
	kindEnd
)

var kindNames = [...]string{"", "module", "package", "function", "method", "constructor", "class",
	"struct", "interface", "type", "enum", "member", "constant", "variable", "field", "property",
	"test", "heading", "reexport", "literal"}

// String gives the kind's name in reports and databases; "" if k is invalid.
func (k Kind) String() string {
	if k >= kindEnd {
		return ""
	}
	return kindNames[k]
}

// ParseKind is the inverse of [Kind.String].
func ParseKind(s string) (Kind, bool) {
	for i, n := range kindNames {
		if i > 0 && n == s {
			return Kind(i), true
		}
	}
	return 0, false
}

// Callable reports whether a symbol of this kind can be called.
func (k Kind) Callable() bool {
	return k == KindFunction || k == KindMethod || k == KindConstructor || k == KindProperty
}

// IsDocument reports whether a language is one that people read: its symbols are
// headings, and what it refers to is mentioned rather than used.
func IsDocument(language string) bool {
	switch language {
	case "markdown", "restructuredtext", "asciidoc":
		return true
	}
	return false
}

// IsHistory reports whether a document tells what changed in the past. That it
// names something gone, or something that changes again, does not date it.
func IsHistory(file string) bool {
	name := strings.ToLower(path.Base(file))
	for _, start := range []string{"changelog", "changes", "history", "news", "releases", "release-notes", "release_notes"} {
		rest, ok := strings.CutPrefix(name, start)
		if ok && (rest == "" || rest[0] == '.' || rest[0] == '-' || rest[0] == '_') {
			return true
		}
	}
	return false
}

// A Symbol is a named thing that can be defined, at the place where one commit
// defines it.
type Symbol struct {
	ID        SymbolID
	Name      string // last part only: "Send"
	Container string // "Client", "Outer.Inner"; empty at file level
	Kind      Kind
	Language  string // "go", "python", "typescript", …
	Path      string // slash-separated, relative to the tree's root
	Line      int    // line of the declaration itself, from 1; decorators stand above it
	EndLine   int    // last line, inclusive
	Start     int    // first byte of the definition, decorators and doc comment included
	End       int    // one past the last byte
	Exported  bool   // visible outside its package or module by the language's rule
	Test      bool   // a test by its framework's own rule
	Framework string // the test framework if Test: "go", "pytest", "unittest", "vitest", …
	Generated bool   // the file says that it is generated
	Signature string // as written, white space folded; empty where the kind has none
	Params    []Param
	Result    string // declared result type as written; empty if there is none
	Digests   Digests
}

// Qualified is the name with its containers: "Client.Send".
func (s *Symbol) Qualified() string {
	if s.Container == "" {
		return s.Name
	}
	return s.Container + "." + s.Name
}

// A Digest identifies the content of one part of a definition: the first 16
// bytes of a SHA-256 over its tokens. The zero digest means "there is none".
type Digest [16]byte

// Digests tell which part of a definition changed between two commits. Each
// leaves out the definitions nested inside it that are symbols themselves, so
// that a changed method does not change its class.
type Digests struct {
	Signature  Digest // name, parameters, results, receiver, type parameters, bases, visibility
	Body       Digest // tokens of the body or value, without comments and white space
	Attributes Digest // decorators, annotations, attributes, struct tags, build tags
	Doc        Digest // comments that belong to the definition, inside and above
	Raw        Digest // the bytes, nested symbols left out
}

// An EdgeKind says in which way one symbol refers to another.
type EdgeKind uint8

// The edge kinds. The zero value is invalid.
const (
	EdgeCall      EdgeKind = iota + 1 // calls it, constructs it
	EdgeDispatch                      // may call it through an interface, a base class or a function value
	EdgeReference                     // reads, writes, names or passes it on
	EdgeOverride                      // overrides or implements this method
	EdgeInherit                       // extends or implements this type
	EdgeImport                        // imports this module, package or name
	edgeKindEnd
)

var edgeKindNames = [...]string{"", "call", "dispatch", "reference", "override", "inherit", "import"}

// String gives the kind's name in reports and databases; "" if k is invalid.
func (k EdgeKind) String() string {
	if k >= edgeKindEnd {
		return ""
	}
	return edgeKindNames[k]
}

// ParseEdgeKind is the inverse of [EdgeKind.String].
func ParseEdgeKind(s string) (EdgeKind, bool) {
	for i, n := range edgeKindNames {
		if i > 0 && n == s {
			return EdgeKind(i), true
		}
	}
	return 0, false
}

// A Tier says how a reference was resolved. Lower is stronger.
type Tier uint8

// The tiers, strongest first. The zero value is invalid.
const (
	TierCompiler Tier = iota + 1 // a type checker or a SCIP index says so
	TierExact                    // scope, import and declared-type rules leave one definition
	TierDispatch                 // a possible target of an interface, virtual or duck-typed call, found by types
	TierImport                   // the import names the file or package; the name matches inside it
	TierName                     // only the name matches; other targets are possible
	TierTest                     // as dispatch, but only a test of this tree makes it possible
	TierLatent                   // as dispatch, but nothing in this tree makes it possible; another program may
	tierEnd
)

var tierNames = [...]string{"", "compiler", "exact", "dispatch", "import", "name", "test", "latent"}

// String gives the tier's name in reports and databases; "" if t is invalid.
func (t Tier) String() string {
	if t >= tierEnd {
		return ""
	}
	return tierNames[t]
}

// ParseTier is the inverse of [Tier.String].
func ParseTier(s string) (Tier, bool) {
	for i, n := range tierNames {
		if i > 0 && n == s {
			return Tier(i), true
		}
	}
	return 0, false
}

// A Span is an inclusive range of lines, from 1.
type Span struct {
	Start int
	End   int
}
