package ecmascript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/graph"
	extract "github.com/previdence/previdence/graph/extract/ecmascript"
	"github.com/previdence/previdence/graph/link"
)

// A program is what all files say, indexed once and then only read.
type program struct {
	files    []*file
	symbols  []graph.Symbol      // Input.Symbols
	order    []*file             // by their place in symbols
	methods  map[string][]target // members that can be called, by name
	assigned map[string]bool     // names of members that some file assigns to some object
	// augmented are the names of interfaces to which "declare global", or "declare
	// module" of an unknown module, adds members.
	augmented map[string]bool
	ambient   map[string]bool           // names that some file binds for all files
	mixers    map[exportedParam][]int32 // files that hand themselves to a function as this parameter
	objects   map[int32][]literal       // object literals that declare to be of an interface
	// parts are the definitions that declare module "…" makes one, by each of them;
	// added are the exports that it gives to a module.
	parts map[definition][]definition
	added map[visit][]def
	given map[givenMember][]assignment // what files assign to definitions that they import
	// scripts are the files that run behind declaration files, behind the definitions
	// that run behind declared ones.
	scripts map[int32]int32
	behind  map[definition]definition
	// heirs of a class or interface by its symbol in Input.Symbols, and the
	// opposite; filled before references are resolved.
	heirs   map[int32][]int32
	parents map[int32][]int32
}

// A file is one parsed file with its indexes.
type file struct {
	link.File
	f        *graph.Facts
	index    int32
	names    []map[string][]int32     // bindings by scope and name
	children []map[string][]int32     // symbols by parent and name; nil where a symbol has none
	bound    map[int32][]int32        // bindings by symbol
	exports  map[string][]int32       // indexes into Exports, without "*"
	stars    []int32                  // imports of export *
	modules  []module                 // where each import leads
	mixins   []exportedParam          // functions of other files that this module hands itself to
	mixed    map[nameIn][]int32       // expressions whose members are copied to a name
	holders  map[int32]nameIn         // object literals by the variable that holds them
	narrows  map[nameIn][]int32       // what a scope says more of a name, or of a member by its path
	paths    bool                     // some scope says more of a member
	calls    map[int32]argument       // functions without symbol by what they are handed to
	handed   map[int32]argument       // functions that are symbols by what they are handed to
	spots    map[int32]int32          // function literals by the call that calls them on the spot
	ignored  map[int32]bool           // lines that the type checker is told to ignore; 0 for the whole file
	attached map[nameIn][]int32       // bindings of name.member = … by the name
	declared map[int32]declaredMember // functions in an object literal by the type declared for it
	reopens  map[int32]int32          // imports of the modules that scopes add to
	gives    []gift                   // what assignments give to imported definitions
}

// indexAssigned notes the names that assignments like A.b = … give to objects.
func (p *program) indexAssigned() {
	p.assigned = map[string]bool{}
	for _, f := range p.files {
		for i := range f.f.Bindings {
			name := f.f.Bindings[i].Name
			if dot := strings.LastIndexByte(name, '.'); dot > 0 && !strings.HasPrefix(name, "exports.") {
				p.assigned[name[dot+1:]] = true
			}
		}
	}
}

// indexAugmented notes the interfaces in blocks that reopen the global scope or a
// module that is not known.
func (p *program) indexAugmented() {
	p.augmented = map[string]bool{}
	for _, f := range p.files {
		for i := range f.f.Bindings {
			b := &f.f.Bindings[i]
			if b.Kind != graph.BindDefinition || b.Symbol == graph.None || f.f.Symbols[b.Symbol].Kind != graph.KindInterface {
				continue
			}
			s := &f.f.Scopes[b.Scope]
			known := p.parts[definition{f.index, b.Symbol}] != nil
			if s.Kind == graph.ScopeNamespace && f.f.Symbols[s.Symbol].Kind != graph.KindPackage && !known {
				p.augmented[b.Name] = true
			}
		}
	}
}

// ignoredLines reads the note of lines that the type checker is told to ignore.
func ignoredLines(note string) map[int32]bool {
	out := map[int32]bool{}
	for _, text := range strings.Fields(note) {
		if n, err := strconv.ParseInt(text, 10, 32); err == nil {
			out[int32(n)] = true
		}
	}
	return out
}

// An exportedParam is a parameter of the function that a CommonJS file exports.
type exportedParam struct{ file, param int32 }

// A nameIn is a name in the scope that binds it.
type nameIn struct {
	scope int32
	name  string
}

// A declaredMember is a member of a declared type.
type declaredMember struct {
	typ  int32
	name string
}

// A literal is an object literal.
type literal struct{ file, expr int32 }

// An argument is a position in a call or JSX element, or what lies there in an
// object or list: the names of members on the way to it, "" for an element.
type argument struct {
	call, at int32
	within   []string
}

// listed reports whether the facts list every export of the file.
func (f *file) listed() bool {
	return f.f.Notes[extract.NoteExports] == extract.ExportsListed
}

func newFile(in link.File, index int32) *file {
	f := &file{File: in, f: in.Facts, index: index, bound: map[int32][]int32{}, exports: map[string][]int32{},
		calls: map[int32]argument{}, handed: map[int32]argument{}, spots: map[int32]int32{}, declared: map[int32]declaredMember{}, ignored: ignoredLines(in.Facts.Notes[extract.NoteIgnored]),
		attached: map[nameIn][]int32{}, mixed: map[nameIn][]int32{}, holders: map[int32]nameIn{},
		narrows: map[nameIn][]int32{}, reopens: map[int32]int32{}}
	facts := f.f
	f.names = make([]map[string][]int32, len(facts.Scopes))
	for i := range facts.Bindings {
		b := &facts.Bindings[i]
		if b.Kind == graph.BindNarrow {
			f.narrows[nameIn{b.Scope, b.Name}] = append(f.narrows[nameIn{b.Scope, b.Name}], int32(i))
			f.paths = f.paths || strings.Contains(b.Name, ".")
			continue
		}
		if b.Kind == graph.BindImport && b.Name == "" {
			f.reopens[b.Scope] = b.Import
			continue
		}
		if f.names[b.Scope] == nil {
			f.names[b.Scope] = map[string][]int32{}
		}
		if dot := strings.LastIndexByte(b.Name, '.'); dot > 0 {
			owner := nameIn{b.Scope, b.Name[:dot]}
			f.attached[owner] = append(f.attached[owner], int32(i))
		}
		if b.Name != "" {
			f.names[b.Scope][b.Name] = append(f.names[b.Scope][b.Name], int32(i))
		}
		if b.Kind == graph.BindVariable && b.Value != graph.None && facts.Exprs[b.Value].Kind == graph.ExprObject {
			f.holders[b.Value] = nameIn{b.Scope, b.Name}
		}
		f.indexDeclared(b.Type, b.Value)
		if b.Symbol != graph.None && b.Kind != graph.BindParameter {
			f.bound[b.Symbol] = append(f.bound[b.Symbol], int32(i))
		}
	}
	for i := range facts.Symbols {
		for _, r := range facts.Symbols[i].Returns {
			f.indexDeclared(facts.Symbols[i].Result, r)
		}
	}
	f.children = make([]map[string][]int32, len(facts.Symbols))
	for i := range facts.Symbols {
		s := &facts.Symbols[i]
		if s.Parent == graph.None || s.Kind == graph.KindReexport || s.Kind == graph.KindTest {
			continue
		}
		if f.children[s.Parent] == nil {
			f.children[s.Parent] = map[string][]int32{}
		}
		f.children[s.Parent][s.Name] = append(f.children[s.Parent][s.Name], int32(i))
	}
	for i := range facts.Exports {
		x := &facts.Exports[i]
		if x.Name == "*" {
			f.stars = append(f.stars, x.Import)
			continue
		}
		f.exports[x.Name] = append(f.exports[x.Name], int32(i))
	}
	for i := range facts.Exprs {
		x := &facts.Exprs[i]
		switch x.Kind {
		case graph.ExprCall, graph.ExprNew, graph.ExprJSX:
			f.indexMixed(x)
			if x.Symbol != graph.None {
				f.spots[x.Base] = int32(i)
			}
			for k, a := range x.Args {
				if w := &facts.Exprs[a]; w.Kind == graph.ExprKeyword { // of an element of a page
					a = w.Base
				}
				f.indexHanded(a, argument{call: int32(i), at: int32(k)})
			}
		}
	}
	return f
}

// indexDeclared notes the functions in an object literal with a declared type.
func (f *file) indexDeclared(typ, value int32) {
	if typ == graph.None || value == graph.None || f.f.Exprs[value].Kind != graph.ExprObject {
		return
	}
	for _, a := range f.f.Exprs[value].Args {
		if k := &f.f.Exprs[a]; k.Kind == graph.ExprKeyword && k.Symbol != graph.None {
			f.declared[k.Symbol] = declaredMember{typ, k.Name}
		}
	}
}

// indexHanded notes the functions in an operand of a call.
func (f *file) indexHanded(i int32, at argument) {
	e := &f.f.Exprs[i]
	switch {
	case e.Kind == graph.ExprFunction && e.Symbol == graph.None:
		f.calls[i] = at
	case e.Kind == graph.ExprFunction:
		f.handed[e.Symbol] = at
	case (e.Kind == graph.ExprObject || e.Kind == graph.ExprList) && len(at.within) < 4:
		for _, a := range e.Args {
			name := ""
			if k := &f.f.Exprs[a]; k.Kind == graph.ExprKeyword {
				name, a = k.Name, k.Base
			}
			if a != graph.None {
				f.indexHanded(a, argument{at.call, at.at, append(slices.Clip(at.within), name)})
			}
		}
	}
}

// commonJS reports whether the module is what module.exports was set to.
func (f *file) commonJS() bool { return len(f.exports["="]) > 0 }

// esModule reports whether the file is a module of the language rather than a
// CommonJS module or a script. TypeScript that sets no module.exports is one
// even if it exports nothing.
func (f *file) esModule() bool {
	if f.f.Language != "javascript" {
		return !f.commonJS()
	}
	for i := range f.f.Exports {
		if x := &f.f.Exports[i]; x.Name == "*" || x.Local != "" || x.Name == "default" || x.Import != graph.None {
			return true
		}
	}
	return false
}

// lookup returns the bindings of a name seen from a scope, the innermost
// scope's only, and that scope.
func (f *file) lookup(scope int32, name string, space space) ([]int32, int32) {
	for s := scope; s != graph.None; s = f.f.Scopes[s].Parent {
		if f.f.Scopes[s].Kind == graph.ScopeClass {
			continue
		}
		var found []int32
		for _, b := range f.names[s][name] {
			if f.fits(&f.f.Bindings[b], space) {
				found = append(found, b)
			}
		}
		if len(found) > 0 {
			return found, s
		}
		if found, at := f.otherPart(s, name, space); len(found) > 0 {
			return found, at
		}
	}
	return nil, graph.None
}

// otherPart looks a name up in the other blocks of a namespace, whose exports are
// in scope in all of them.
func (f *file) otherPart(scope int32, name string, space space) ([]int32, int32) {
	sym := f.f.Scopes[scope].Symbol
	if f.f.Scopes[scope].Kind != graph.ScopeNamespace || f.f.Symbols[sym].Kind != graph.KindPackage {
		return nil, graph.None
	}
	for _, part := range f.merged(sym) {
		at := f.f.Symbols[part].Scope
		if part == sym || at == graph.None || f.f.Symbols[part].Kind != graph.KindPackage {
			continue
		}
		for _, b := range f.names[at][name] {
			if x := &f.f.Bindings[b]; f.fits(x, space) && x.Symbol != graph.None && f.f.Symbols[x.Symbol].Exported {
				return []int32{b}, at
			}
		}
	}
	return nil, graph.None
}

// A space is one of the two kinds of names.
type space bool

const (
	values space = false
	types  space = true
)

// fits reports whether a binding gives its name a meaning in this space.
func (f *file) fits(b *graph.Binding, space space) bool {
	switch b.Kind {
	case graph.BindImport:
		return true
	case graph.BindParameter:
		return (b.Param == graph.None) == (space == types)
	case graph.BindDefinition:
		return b.Symbol == graph.None || inSpace(&f.f.Symbols[b.Symbol], space)
	case graph.BindAttribute:
		return false
	}
	return space == values
}

// inSpace reports whether a definition is a value or a type; a class and an
// enum are both.
func inSpace(s *graph.SymbolFact, space space) bool {
	switch s.Kind {
	case graph.KindClass, graph.KindEnum, graph.KindPackage, graph.KindReexport:
		return true
	case graph.KindInterface, graph.KindType:
		return space == types
	}
	return space == values
}

// A def is what a name can mean once imports are followed.
type def struct {
	kind defKind
	file int32
	i    int32  // symbol, expression or binding
	name string // for defMember
	tier graph.Tier
}

type defKind uint8

const (
	defSymbol   defKind = iota + 1 // a definition
	defModule                      // a module as an object
	defExpr                        // an exported expression
	defBinding                     // a variable or parameter that is no definition
	defMember                      // the member name of an expression
	defExternal                    // something out of the tree
)

// A lookupResult says what following a name through modules found.
type lookupResult struct {
	defs   []def
	via    []int32 // re-exports on the way, as indexes into Input.Symbols
	state  exportState
	in     string // path of the module that lacks the name
	broken bool   // the module is known and whole, and lacks the name
}

type exportState uint8

const (
	exportFound    exportState = iota + 1
	exportExternal             // it leaves the tree
	exportMissing              // the module has no such export
	exportUnknown              // the module may have it
)

// visit cuts cycles of re-exports.
type visit struct {
	file int32
	name string
}

// exported finds what a module offers under a name.
func (p *program) exported(fileIndex int32, name string, space space, seen map[visit]bool) lookupResult {
	v := visit{fileIndex, name}
	if seen[v] {
		return lookupResult{state: exportMissing, in: p.files[fileIndex].Path, broken: true}
	}
	seen[v] = true
	f := p.files[fileIndex]
	if own := f.exports[name]; len(own) > 0 {
		return p.ownExports(f, own, space, seen)
	}
	if name == "default" && !f.esModule() && f.commonJS() {
		return p.ownExports(f, f.exports["="], space, seen)
	}
	if r, ok := p.objectExports(f, name, space, seen); ok {
		return r
	}
	if more := p.added[v]; len(more) > 0 {
		return lookupResult{state: exportFound, defs: more}
	}
	return p.starExports(f, name, space, seen)
}

// objectExports looks for a name on what module.exports was set to. It is
// certain where that is an object literal; ok is false if no literal has it and
// there is nothing but literals.
func (p *program) objectExports(f *file, name string, space space, seen map[visit]bool) (lookupResult, bool) {
	var out lookupResult
	for _, i := range f.exports["="] {
		x := f.f.Exports[i].Expr
		if x == graph.None {
			continue
		}
		e := &f.f.Exprs[x]
		if e.Kind != graph.ExprObject || slices.ContainsFunc(e.Args, func(a int32) bool { return f.f.Exprs[a].Kind == graph.ExprSpread }) {
			out.merge(lookupResult{state: exportFound, defs: []def{{kind: defMember, file: f.index, i: x, name: name, tier: graph.TierExact}}})
			continue
		}
		for _, a := range e.Args {
			if k := &f.f.Exprs[a]; k.Kind == graph.ExprKeyword && k.Name == name {
				out.merge(p.keywordExport(f, k, space, seen))
			}
		}
	}
	return out, out.state != 0
}

// keywordExport is what a member of the exported object literal stands for.
func (p *program) keywordExport(f *file, k *graph.Expr, space space, seen map[visit]bool) lookupResult {
	switch {
	case k.Symbol != graph.None:
		return lookupResult{state: exportFound, defs: []def{{kind: defSymbol, file: f.index, i: k.Symbol, tier: graph.TierExact}}}
	case k.Base == graph.None:
		return lookupResult{state: exportFound}
	case f.f.Exprs[k.Base].Kind == graph.ExprName:
		e := &f.f.Exprs[k.Base]
		return p.local(f, e.Scope, e.Name, space, seen)
	}
	return lookupResult{state: exportFound, defs: []def{p.exprDef(f, k.Base)}}
}

// ownExports follows the entries of a module's own export table.
func (p *program) ownExports(f *file, entries []int32, space space, seen map[visit]bool) lookupResult {
	var out lookupResult
	for _, i := range entries {
		x := &f.f.Exports[i]
		switch {
		case x.Import != graph.None:
			r := p.imported(f, x.Import, space, seen)
			out.merge(r)
			if s := f.f.Imports[x.Import].From; f.f.Symbols[s].Kind == graph.KindReexport {
				out.via = append(out.via, f.Symbols+s)
			}
		case x.Local != "":
			out.merge(p.local(f, 0, x.Local, space, seen))
		case x.Expr != graph.None:
			out.merge(lookupResult{state: exportFound, defs: []def{p.exprDef(f, x.Expr)}})
		default:
			out.merge(lookupResult{state: exportUnknown, in: f.Path})
		}
	}
	return out
}

// exprDef is an exported expression, or the definition that it is.
func (p *program) exprDef(f *file, i int32) def {
	e := &f.f.Exprs[i]
	if (e.Kind == graph.ExprFunction || e.Kind == graph.ExprClass) && e.Symbol != graph.None {
		return def{kind: defSymbol, file: f.index, i: e.Symbol, tier: graph.TierExact}
	}
	return def{kind: defExpr, file: f.index, i: i, tier: graph.TierExact}
}

// starExports looks through export * and, failing that, at what the module
// object is in CommonJS.
func (p *program) starExports(f *file, name string, space space, seen map[visit]bool) lookupResult {
	out := lookupResult{state: exportMissing, in: f.Path, broken: f.listed()}
	for _, i := range f.stars {
		if name == "default" {
			break
		}
		m := f.modules[i]
		if m.state != moduleFile {
			out.state, out.broken = exportUnknown, false
			if m.state == moduleExternal {
				out.state = exportExternal
			}
			continue
		}
		r := p.exported(m.file, name, space, seen)
		if r.state == exportFound {
			r.via = append(r.via, f.Symbols+f.f.Imports[i].From)
			return r
		}
		if r.state != exportMissing || !r.broken {
			out.state, out.broken = r.state, false
		}
	}
	if !f.esModule() {
		if r := p.mixedExports(f, name); r.state == exportFound {
			return r
		}
	}
	if !f.listed() {
		out.state = exportUnknown
	}
	if !f.esModule() && (ofEverything[name] || p.assigned[name]) {
		out.broken = false // any file can add members to the object that a CommonJS module is
	}
	return out
}

// mixedExports looks through require("./part")(module.exports): the function
// of the other file adds members to what it is given.
func (p *program) mixedExports(f *file, name string) lookupResult {
	var out lookupResult
	for _, m := range f.mixins {
		g := p.files[m.file]
		sym := g.exportedFunction()
		if sym == graph.None || int(m.param) >= len(g.f.Symbols[sym].Params) {
			continue
		}
		for _, b := range g.attachedTo(g.f.Symbols[sym].Scope, g.f.Symbols[sym].Params[m.param].Name, name) {
			d := def{kind: defSymbol, file: g.index, i: g.f.Bindings[b].Symbol, tier: graph.TierExact}
			if d.i == graph.None {
				d.kind, d.i = defBinding, b
			}
			out.merge(lookupResult{state: exportFound, defs: []def{d}})
		}
	}
	return out
}

// exportedFunction is the function that module.exports is set to, or None.
func (f *file) exportedFunction() int32 {
	for _, i := range f.exports["="] {
		if x := &f.f.Exports[i]; x.Expr != graph.None && f.f.Exprs[x.Expr].Kind == graph.ExprFunction {
			return f.f.Exprs[x.Expr].Symbol
		}
	}
	return graph.None
}

// merge adds what another way found; found wins over everything.
func (r *lookupResult) merge(o lookupResult) {
	r.defs = append(r.defs, o.defs...)
	r.via = append(r.via, o.via...)
	if r.state == 0 || o.state == exportFound || r.state != exportFound && o.state == exportUnknown {
		r.state, r.in, r.broken = o.state, o.in, o.broken
	}
}

// imported follows one import.
func (p *program) imported(f *file, i int32, space space, seen map[visit]bool) lookupResult {
	m, x := f.modules[i], &f.f.Imports[i]
	switch m.state {
	case moduleExternal:
		return lookupResult{state: exportExternal, defs: []def{{kind: defExternal}}}
	case moduleOther, moduleUnknown:
		return lookupResult{state: exportUnknown, in: m.in}
	case moduleMissing:
		return lookupResult{state: exportMissing, in: m.in, broken: m.sure && !x.Guarded}
	}
	r := p.importedFrom(m.file, x.Name, space, seen)
	if m.also != graph.None {
		r.merge(p.importedFrom(m.also, x.Name, space, seen))
	}
	r.weaken(m.tier)
	if x.Guarded {
		r.broken = false
	}
	return r
}

// importedFrom is what an import of a name takes from a file.
func (p *program) importedFrom(file int32, name string, space space, seen map[visit]bool) lookupResult {
	f := p.files[file]
	// Interoperation: the default of a CommonJS module is its module object.
	if name == "*" || name == "" || name == "=" || name == "default" && !f.esModule() && !f.commonJS() {
		return lookupResult{state: exportFound, defs: []def{{kind: defModule, file: file, tier: graph.TierExact}}}
	}
	return p.exported(file, name, space, seen)
}

// weaken lowers the tier of what was found through an uncertain step.
func (r *lookupResult) weaken(t graph.Tier) {
	for i := range r.defs {
		r.defs[i].tier = max(r.defs[i].tier, t)
	}
}

// local follows a name seen from a scope of a file.
func (p *program) local(f *file, scope int32, name string, space space, seen map[visit]bool) lookupResult {
	found, _ := f.lookup(scope, name, space)
	if len(found) == 0 && scope == 0 { // export lists name types and values alike
		found, _ = f.lookup(scope, name, !space)
	}
	var out lookupResult
	if len(found) == 0 {
		out.state, out.in = exportUnknown, f.Path
		return out
	}
	for _, b := range found {
		out.merge(p.boundTo(f, b, space, seen))
	}
	return out
}

// boundTo is what one binding means.
func (p *program) boundTo(f *file, b int32, space space, seen map[visit]bool) lookupResult {
	x := &f.f.Bindings[b]
	switch x.Kind {
	case graph.BindImport:
		return p.imported(f, x.Import, space, seen)
	case graph.BindDefinition:
		if x.Symbol != graph.None {
			return lookupResult{state: exportFound, defs: []def{{kind: defSymbol, file: f.index, i: x.Symbol, tier: graph.TierExact}}}
		}
	}
	return lookupResult{state: exportFound, defs: []def{{kind: defBinding, file: f.index, i: b, tier: graph.TierExact}}}
}

// members returns the symbols that belong to a definition under this name,
// those written beside it by declaration merging included.
func (f *file) members(sym int32, name string) []int32 {
	var out []int32
	for _, s := range f.merged(sym) {
		out = append(out, f.children[s][name]...)
	}
	return out
}

// merged returns a definition and those of the same name in the same scope.
func (f *file) merged(sym int32) []int32 {
	s := &f.f.Symbols[sym]
	if s.Parent == graph.None {
		return []int32{sym}
	}
	out := []int32{sym}
	for _, o := range f.children[s.Parent][s.Name] {
		if o != sym && mergeable(s.Kind) && mergeable(f.f.Symbols[o].Kind) {
			out = append(out, o)
		}
	}
	return out
}

func mergeable(k graph.Kind) bool {
	switch k {
	case graph.KindClass, graph.KindInterface, graph.KindPackage, graph.KindEnum, graph.KindFunction:
		return true
	}
	return false
}

// implementation is the definition with a body that stands behind an overload
// signature, or the symbol itself.
func (f *file) implementation(sym int32) int32 {
	s := &f.f.Symbols[sym]
	if s.Flags&graph.FlagOverload == 0 || s.Parent == graph.None {
		return sym
	}
	for _, o := range f.children[s.Parent][s.Name] {
		t := &f.f.Symbols[o]
		if t.Flags&graph.FlagOverload == 0 && t.Kind == s.Kind && (t.Flags^s.Flags)&graph.FlagStatic == 0 {
			return o
		}
	}
	return sym
}

// attachedTo returns the bindings of name on an object bound to a name, as
// A.b = … makes them.
func (f *file) attachedTo(scope int32, object, name string) []int32 {
	if scope == graph.None {
		return nil
	}
	return f.names[scope][object+"."+name]
}
