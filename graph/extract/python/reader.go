package python

import (
	"bytes"
	"context"
	"regexp"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// A place is where the reader stands: which scope names are looked up in,
// which one they are bound in, and which definition it is in.
type place struct {
	scope    int32 // names are looked up from here
	holder   int32 // names are bound here: a function, a class or the file
	from     int32 // innermost symbol
	function int32 // innermost function symbol, or None
	self     string
	class    int32 // class that self is an instance of, or None
	guarded  bool  // inside a condition or a try that forgives a failed import
	typeOnly bool  // inside if TYPE_CHECKING
}

type scopedName struct {
	scope int32
	name  string
}

// An origin is the syntax behind a symbol, kept for its digests.
type origin struct {
	outer treesitter.Node // decorators included
	node  treesitter.Node // the definition itself
	part  bool            // a lambda, or self.x = … in a method: part of what it stands in as well
}

// An attribute is a self.x = … seen inside a class that has not ended.
type attribute struct {
	binding int32
	node    treesitter.Node // the statement
	name    treesitter.Node
}

// A reader walks one syntax tree and fills the facts.
type reader struct {
	ctx     context.Context
	tree    *treesitter.Tree
	offset  int32 // of tree in the file: not 0 inside a string annotation
	line    int32
	nested  int // how many string annotations deep
	facts   *graph.Facts
	at      place
	origins []origin
	// symbols by scope and name, to define a variable once
	defined    map[scopedName]int32
	globals    map[scopedName]int32 // declared global or nonlocal → binding scope
	bound      map[scopedName]bound // names of functions, for bindAgain
	flags      map[string]bool      // names of the file that say where the program runs
	attributes map[int32][]attribute
	reads      []int32 // Refs that count only if the name leaves the function
	all        []string
	allDynamic bool
	hasAll     bool
}

func newReader(ctx context.Context, tree *treesitter.Tree) *reader {
	return &reader{
		ctx: ctx, tree: tree, facts: newFacts(tree),
		at:         place{function: graph.None, class: graph.None},
		origins:    []origin{{outer: tree.Root(), node: tree.Root()}},
		defined:    map[scopedName]int32{},
		globals:    map[scopedName]int32{},
		bound:      map[scopedName]bound{},
		flags:      map[string]bool{},
		attributes: map[int32][]attribute{},
	}
}

func (r *reader) startOf(n treesitter.Node) int32 { return r.tree.Start(n) + r.offset }
func (r *reader) endOf(n treesitter.Node) int32   { return r.tree.End(n) + r.offset }
func (r *reader) lineOf(n treesitter.Node) int32  { return r.tree.Line(n) + r.line }

// children lists the named children without comments.
func (r *reader) children(n treesitter.Node) []treesitter.Node {
	var out []treesitter.Node
	for c := range r.tree.NamedChildren(n) {
		if k := r.tree.Kind(c); k != "comment" && k != "line_continuation" {
			out = append(out, c)
		}
	}
	return out
}

// first is the first named child that is no comment.
func (r *reader) first(n treesitter.Node) treesitter.Node {
	for c := range r.tree.NamedChildren(n) {
		if k := r.tree.Kind(c); k != "comment" && k != "line_continuation" {
			return c
		}
	}
	return treesitter.None
}

// fields lists the named children under a field.
func (r *reader) fields(n treesitter.Node, name string) []treesitter.Node {
	var out []treesitter.Node
	for c := range r.tree.NamedChildren(n) {
		if r.tree.FieldName(c) == name && r.tree.Kind(c) != "comment" {
			out = append(out, c)
		}
	}
	return out
}

func (r *reader) newScope(kind graph.ScopeKind, parent, symbol int32) int32 {
	r.facts.Scopes = append(r.facts.Scopes, graph.Scope{Kind: kind, Parent: parent, Symbol: symbol})
	return int32(len(r.facts.Scopes) - 1)
}

// bind adds a binding; fields that are not set in b must be None.
func (r *reader) bind(b graph.Binding) int32 {
	r.noteBound(&b)
	r.facts.Bindings = append(r.facts.Bindings, b)
	return int32(len(r.facts.Bindings) - 1)
}

func (r *reader) binding(kind graph.BindingKind, scope int32, name string, at int32) graph.Binding {
	return graph.Binding{Scope: scope, Name: name, Kind: kind, At: at,
		Symbol: graph.None, Param: graph.None, Import: graph.None, Type: graph.None, Value: graph.None}
}

// holderOf is the scope that an assignment to name binds in: the holder unless
// the name was declared global or nonlocal.
func (r *reader) holderOf(name string) int32 {
	if s, ok := r.globals[scopedName{r.at.holder, name}]; ok {
		return s
	}
	return r.at.holder
}

// inside runs f somewhere else and comes back.
func (r *reader) inside(p place, f func()) {
	old := r.at
	r.at = p
	f()
	r.at = old
}

// bindings of one scope by name, for the rules that look back at the end.
func (r *reader) byScope() map[scopedName][]int32 {
	out := make(map[scopedName][]int32, len(r.facts.Bindings))
	for i := range r.facts.Bindings {
		b := &r.facts.Bindings[i]
		if b.Kind == graph.BindAttribute || b.Kind == graph.BindNarrow || b.Kind == graph.BindAgain {
			continue
		}
		k := scopedName{b.Scope, b.Name}
		out[k] = append(out[k], int32(i))
	}
	return out
}

// dropLocalReads leaves out the reads of names that are nothing but local
// variables and parameters: they lead to no symbol.
func (r *reader) dropLocalReads() {
	names := r.byScope()
	drop := make(map[int32]bool, len(r.reads))
	for _, i := range r.reads {
		if e := &r.facts.Exprs[r.facts.Refs[i].Expr]; r.local(names, e.Scope, e.Name) {
			drop[i] = true
		}
	}
	kept := r.facts.Refs[:0]
	for i := range r.facts.Refs {
		if !drop[int32(i)] {
			kept = append(kept, r.facts.Refs[i])
		}
	}
	r.facts.Refs = kept
}

func (r *reader) local(names map[scopedName][]int32, scope int32, name string) bool {
	direct := true
	for s := scope; s != graph.None; s = r.facts.Scopes[s].Parent {
		kind := r.facts.Scopes[s].Kind
		if kind == graph.ScopeClass && !direct {
			continue
		}
		if kind == graph.ScopeFunction {
			direct = false
		}
		found := names[scopedName{s, name}]
		if len(found) == 0 {
			continue
		}
		return kind != graph.ScopeFile && kind != graph.ScopeClass && r.plain(found)
	}
	return false
}

// plain reports whether all bindings are variables or parameters.
func (r *reader) plain(found []int32) bool {
	for _, i := range found {
		k := r.facts.Bindings[i].Kind
		if k != graph.BindVariable && k != graph.BindParameter {
			return false
		}
	}
	return true
}

var generatedMark = regexp.MustCompile(`(?i)^#.*(\bdo not edit\b|@generated\b)`)

// generated looks for the usual mark in the comments that open the file.
func generated(tree *treesitter.Tree) bool {
	rest := tree.Source
	for range 40 {
		line, after, more := bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return false
		}
		if generatedMark.Match(line) {
			return true
		}
		if !more {
			return false
		}
		rest = after
	}
	return false
}
