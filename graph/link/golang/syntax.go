package golang

import (
	"context"
	"sync"

	"github.com/previdence/previdence/graph"
	extract "github.com/previdence/previdence/graph/extract/golang"
	"github.com/previdence/previdence/graph/link"
)

// syntaxVersion counts the changes of what is linked without types from unchanged
// facts.
//
//	1: first
const syntaxVersion = 1

// A SyntaxLinker links Go without type-checking it, from facts with references alone
// (see [extract.NewSyntactic]). Scopes, imports and declared types lead to one
// definition at tier exact. A method of something whose type is not written down leads
// to the methods of that name in the packages that the file can see, at tier name, as
// does a call through an interface to the methods that read like its own. It looks at
// nothing outside the tree: neither at a Go distribution nor at the module cache.
// What it cannot see stands in the caveat go.types_off. It is safe for concurrent use.
type SyntaxLinker struct{ platforms []Platform }

// NewSyntax returns a linker without types for some platforms; for none it is
// linux/amd64.
func NewSyntax(platforms []Platform) *SyntaxLinker {
	if len(platforms) == 0 {
		platforms = []Platform{DefaultPlatform}
	}
	return &SyntaxLinker{platforms}
}

// Languages lists Go.
func (*SyntaxLinker) Languages() []string { return []string{extract.Language} }

// Version changes whenever the edges of unchanged facts would change. It is none of
// [Linker.Version].
func (*SyntaxLinker) Version() uint32 { return version | syntaxVersion<<16 }

// Link resolves the references of all Go files of one tree.
func (l *SyntaxLinker) Link(ctx context.Context, in link.Input) (link.Output, error) {
	t := &tree{in: in, workers: max(in.Workers, 1), platforms: map[string][]Platform{}, first: l.platforms[0]}
	if err := t.load(ctx); err != nil {
		return link.Output{}, err
	}
	t.addPackages(l.platforms)
	for _, p := range l.platforms {
		s := &syntax{build: &build{tree: t, platform: p}}
		if err := s.run(ctx); err != nil {
			return link.Output{}, err
		}
	}
	t.sayTypesOff()
	return t.output(), nil
}

// sayTypesOff puts into the caveats that no Go file was type-checked.
func (t *tree) sayTypesOff() {
	var linked []string
	for _, f := range t.files {
		if t.platforms[f.path] != nil {
			linked = append(linked, f.path)
		}
	}
	t.caveat(graph.CaveatTypesOff, "Go was linked without types, as was asked for: calls of function values and through interfaces "+
		"from outside the tree are not resolved, and methods of values whose type is not written down by their name alone.", linked, len(t.files))
}

// A syntax is the tree as one platform sees it, on its way to edges.
type syntax struct {
	*build
	scopes   []*scope      // by unit
	sheets   []sheet       // by file
	sheetOf  map[*file]int // place in sheets
	fileOf   []int32       // by symbol of a linked file: place in sheets, else -1
	types    []thing       // by symbol: what it gives, is or holds
	settled  []settling    // by symbol: how far types is
	methods  map[string][]int32
	embedded map[int32][]int32 // type → types that embed it
	reaching sync.Map          // method of an interface → methods that read like it
}

// A sheet is a file with the meanings of its expressions as far as they were asked
// for.
type sheet struct {
	*file
	unit    *unit
	imports []imported
	// qualifiers are the names that stand left of a dot, sorted. They are found only if
	// the name of an import has to be guessed.
	qualifiers []string
	things     []thing
	known      []bool
}

// An imported package has a name in a file.
type imported struct {
	name    string // "." for a dot import
	source  source
	guessed bool // nobody wrote the name, and the package is not in the tree
}

func (s *syntax) run(ctx context.Context) error {
	s.group()
	s.connect()
	s.closeOver()
	s.declare()
	s.settleAll()
	s.indexMethods()
	found := make([]finding, len(s.sheets))
	each(s.workers, len(s.sheets), func(i int) {
		if ctx.Err() == nil {
			found[i] = s.read(&s.sheets[i])
		}
	})
	total := 0
	for i := range found {
		total += len(found[i].edges)
	}
	s.found.edges = append(make([]graph.Edge, 0, total+len(s.found.edges)), s.found.edges...)
	for i := range found {
		s.found.edges = append(s.found.edges, found[i].edges...)
		s.out.Unresolved = append(s.out.Unresolved, found[i].unresolved...)
		addCounts(&s.counts, &found[i].counts)
		s.see(s.sheets[i].file)
	}
	return ctx.Err()
}

// declare lists what the packages declare and which file belongs to which.
func (s *syntax) declare() {
	s.sheetOf = map[*file]int{}
	s.fileOf = make([]int32, len(s.in.Symbols))
	for i := range s.fileOf {
		s.fileOf[i] = -1
	}
	for _, u := range s.units {
		sc := &scope{names: map[string]int32{}, members: map[member]int32{}}
		s.scopes = append(s.scopes, sc)
		for _, f := range u.files {
			s.addFile(u, f, sc.names)
		}
		if len(u.tests) > 0 {
			sc.tests = map[string]int32{}
		}
		for _, f := range u.tests {
			s.addFile(u, f, sc.tests)
		}
	}
	for i := range s.sheets {
		s.addImports(&s.sheets[i])
	}
	s.types, s.settled = make([]thing, len(s.in.Symbols)), make([]settling, len(s.in.Symbols))
	for i := range s.sheets {
		s.addMembers(&s.sheets[i])
	}
}

func (s *syntax) addFile(u *unit, f *file, names map[string]int32) {
	n := len(f.in.Facts.Exprs)
	at := len(s.sheets)
	s.sheetOf[f] = at
	s.sheets = append(s.sheets, sheet{file: f, unit: u, things: make([]thing, n), known: make([]bool, n)})
	for i := range f.in.Facts.Symbols {
		sym := &f.in.Facts.Symbols[i]
		global := f.in.Symbols + int32(i)
		s.fileOf[global] = int32(at)
		if i == 0 || sym.Parent != 0 || sym.Container != "" || sym.Name == "_" || sym.Name == "init" && sym.Kind == graph.KindFunction {
			continue
		}
		if _, twice := names[sym.Name]; !twice {
			names[sym.Name] = global
		}
	}
}

// addMembers lists the fields and methods of the types of a package.
func (s *syntax) addMembers(f *sheet) {
	sc := s.scopes[f.unit.number]
	for i := range f.in.Facts.Symbols {
		sym := &f.in.Facts.Symbols[i]
		owner := graph.None
		switch {
		case sym.Kind == graph.KindLiteral:
		case sym.Container != "":
			owner = s.canonical(sc.lookup(sym.Container, true))
		case sym.Parent > 0:
			owner = f.in.Symbols + sym.Parent
		}
		if owner != graph.None {
			k := member{owner, sym.Name}
			if _, twice := sc.members[k]; !twice {
				sc.members[k] = f.in.Symbols + int32(i)
			}
		}
	}
}

// addImports lists the names that imports give to a file.
func (s *syntax) addImports(f *sheet) {
	for i := range f.in.Facts.Imports {
		imp := &f.in.Facts.Imports[i]
		src := f.unit.imports[imp.Module]
		switch {
		case imp.Name == "*":
			f.imports = append(f.imports, imported{name: ".", source: src})
		case imp.Alias != "":
			f.imports = append(f.imports, imported{name: imp.Alias, source: src})
		case src.unit != nil:
			f.imports = append(f.imports, imported{name: src.unit.name, source: src})
		default:
			if f.qualifiers == nil {
				f.qualifiers = qualifiers(f.in.Facts)
			}
			f.imports = append(f.imports, imported{chooseName(imp.Module, f.qualifiers), src, true})
		}
	}
}

// qualifiers lists, sorted, the names that stand left of a dot.
func qualifiers(f *graph.Facts) []string {
	seen := map[string]bool{}
	for i := range f.Exprs {
		if x := &f.Exprs[i]; x.Kind == graph.ExprMember && x.Base != graph.None && f.Exprs[x.Base].Kind == graph.ExprName {
			seen[f.Exprs[x.Base].Name] = true
		}
	}
	return sortedKeys(seen)
}

// A scope is what a package declares.
type scope struct {
	names   map[string]int32
	tests   map[string]int32 // declared by tests of the package alone
	members map[member]int32 // of its types, those that tests declare included
}

// A member is a name in a type.
type member struct {
	owner int32
	name  string
}

// lookup finds a name of the package, with or without those of its tests.
func (sc *scope) lookup(name string, tests bool) int32 {
	if to, ok := sc.names[name]; ok {
		return to
	}
	if to, ok := sc.tests[name]; ok && tests {
		return to
	}
	return graph.None
}
