package ecmascript

import (
	"slices"

	"github.com/previdence/previdence/graph"
)

// A valueKind says what an expression may evaluate to.
type valueKind uint8

const (
	valModule   valueKind = iota + 1 // a module as an object; i is its file
	valSymbol                        // a definition itself: a function, a class, a namespace
	valInstance                      // an instance of the class or interface i
	valShape                         // an object literal, object type, function type or function: the Expr i
	valBuiltin                       // an object of the language's library: the builtin i with arguments
	valExternal                      // something out of the tree
)

// A val is one possible value of an expression, as far as its members and
// results matter. It is comparable.
type val struct {
	kind valueKind
	file int32
	i    int32
	env  int32 // what type parameters stand for, or the arguments of a builtin; 0 for nothing
}

// The limits that keep evaluation bounded. They are counts, so that a result
// does not depend on the machine.
const (
	maxValues = 12         // alternatives of one expression
	maxDepth  = 48         // expressions on the way to one
	maxSteps  = 20_000     // expressions for one reference
	maxTotal  = 10_000_000 // expressions for one file; after that one reference may have only fewSteps
	fewSteps  = 100
)

// An eval computes values for the references of one file. It belongs to one
// file and one goroutine, so that its memory does not depend on the order in
// which files are linked.
type eval struct {
	p       *program
	memo    map[query][]val
	open    map[query]bool
	looking map[memberQuery]bool // members being looked up
	names   map[boundQuery]lookupResult
	envs    []env
	envID   map[string]int32
	depth   int
	steps   int
	total   int  // steps of the references before
	limit   int  // steps for one reference
	cut     bool // something was cut off since the flag was cleared
}

// A query is an expression to evaluate in an environment.
type query struct {
	file, expr, env int32
	typ             bool
}

// A boundQuery is a binding to follow through imports.
type boundQuery struct {
	file, binding int32
	space         space
}

// boundTo is what a binding means; each is followed once.
func (v *eval) boundTo(f *file, b int32, space space) lookupResult {
	q := boundQuery{f.index, b, space}
	r, ok := v.names[q]
	if !ok {
		r = v.p.boundTo(f, b, space, map[visit]bool{})
		v.names[q] = r
	}
	return r
}

// An env gives type parameters and positions of builtins their values.
type env []slot

type slot struct {
	file, param int32 // binding of the type parameter; file -1 for an argument of a builtin
	vals        []val
}

func newEval(p *program) *eval {
	return &eval{p: p, limit: maxSteps, memo: map[query][]val{}, open: map[query]bool{}, names: map[boundQuery]lookupResult{}, looking: map[memberQuery]bool{}, envs: []env{nil}, envID: map[string]int32{"": 0}}
}

// intern returns the number of an environment.
func (v *eval) intern(e env) int32 {
	if len(e) == 0 {
		return 0
	}
	key := make([]byte, 0, 64)
	for _, s := range e {
		key = appendInts(key, s.file, s.param, int32(len(s.vals)))
		for _, x := range s.vals {
			key = appendInts(key, int32(x.kind), x.file, x.i, x.env)
		}
	}
	if id, ok := v.envID[string(key)]; ok {
		return id
	}
	if len(v.envs) > 4096 { // types that grow with every step
		v.cut = true
		return 0
	}
	id := int32(len(v.envs))
	v.envs = append(v.envs, e)
	v.envID[string(key)] = id
	return id
}

func appendInts(b []byte, ns ...int32) []byte {
	for _, n := range ns {
		b = append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	return b
}

// builtin is an object of the library with the values of its arguments.
func (v *eval) builtin(name string, args ...[]val) []val {
	var e env
	for i, a := range args {
		e = append(e, slot{file: -1, param: int32(i), vals: a})
	}
	return []val{{kind: valBuiltin, i: builtinID(name), env: v.intern(e)}}
}

// arg is an argument of a builtin.
func (v *eval) arg(x val, i int) []val {
	if e := v.envs[x.env]; x.kind == valBuiltin && i < len(e) {
		return e[i].vals
	}
	return nil
}

// begin starts the evaluation for one reference.
func (v *eval) begin() {
	if v.total += v.steps; v.total > maxTotal {
		v.limit = fewSteps
	}
	v.steps, v.depth, v.cut = 0, 0, false
}

// value returns what an expression may evaluate to.
func (v *eval) value(f *file, i, env int32) []val { return v.query(query{f.index, i, env, false}) }

// typ returns what something of this declared type may be.
func (v *eval) typ(f *file, i, env int32) []val { return v.query(query{f.index, i, env, true}) }

func (v *eval) query(q query) []val {
	if q.expr == graph.None {
		return nil
	}
	if known, ok := v.memo[q]; ok {
		return known
	}
	if v.open[q] || v.depth >= maxDepth || v.steps >= v.limit {
		v.cut = true
		return nil
	}
	v.open[q] = true
	v.depth++
	v.steps++
	outer := v.cut
	v.cut = false
	f := v.p.files[q.file]
	var out []val
	if q.typ {
		out = v.evalType(f, q.expr, q.env)
	} else {
		out = v.evalValue(f, q.expr, q.env)
	}
	out = distinct(out)
	v.depth--
	delete(v.open, q)
	if !v.cut || v.depth == 0 {
		v.memo[q] = out
	}
	v.cut = v.cut || outer
	return out
}

// distinct drops repeated values, keeps the order and bounds the number.
func distinct(in []val) []val {
	if len(in) < 2 {
		return in
	}
	out := make([]val, 0, len(in))
	for _, x := range in {
		if !slices.Contains(out, x) && len(out) < maxValues {
			out = append(out, x)
		}
	}
	return out
}

func (v *eval) evalValue(f *file, i, env int32) []val {
	e := &f.f.Exprs[i]
	switch e.Kind {
	case graph.ExprName:
		return v.nameValues(f, e, env)
	case graph.ExprMember:
		return v.memberValues(f, e, env)
	case graph.ExprCall, graph.ExprTemplate:
		return v.callValues(f, e, env)
	case graph.ExprNew:
		return v.newValues(f, e, env)
	case graph.ExprAwait:
		return v.awaited(v.value(f, e.Base, env))
	case graph.ExprElement:
		return v.elements(v.value(f, e.Base, env))
	case graph.ExprIndex:
		if base := v.value(f, e.Base, env); !onlySymbols(base) {
			return v.indexed(base)
		} else {
			return base // f<T>
		}
	case graph.ExprThis:
		return v.thisValues(f, e, env)
	case graph.ExprSuper:
		return v.superValues(f, e, env)
	case graph.ExprString:
		return v.builtin("String")
	case graph.ExprNumber, graph.ExprBinary:
		return v.builtin("Number")
	case graph.ExprBool:
		return v.builtin("Boolean")
	case graph.ExprList:
		var all []val
		for _, a := range e.Args {
			if f.f.Exprs[a].Kind == graph.ExprSpread {
				all = append(all, v.elements(v.value(f, f.f.Exprs[a].Base, env))...)
				continue
			}
			all = append(all, v.value(f, a, env)...)
		}
		return v.builtin("Array", distinct(all))
	case graph.ExprObject:
		return []val{{valShape, f.index, i, env}}
	case graph.ExprFunction, graph.ExprClass:
		if e.Symbol != graph.None {
			return []val{{valSymbol, f.index, e.Symbol, env}}
		}
		return []val{{valShape, f.index, i, env}}
	case graph.ExprUnion:
		return v.all(f, e.Args, env, v.value)
	case graph.ExprAs:
		if t := v.all(f, e.Args, env, v.typ); len(t) > 0 {
			return t
		}
		return v.value(f, e.Base, env)
	case graph.ExprRequire:
		return v.moduleValues(f, e.Symbol)
	}
	return nil
}

func (v *eval) all(f *file, args []int32, env int32, one func(*file, int32, int32) []val) []val {
	var out []val
	for _, a := range args {
		out = append(out, one(f, a, env)...)
	}
	return out
}

func onlySymbols(vals []val) bool {
	for _, x := range vals {
		if x.kind != valSymbol {
			return false
		}
	}
	return len(vals) > 0
}

// moduleValues is the module of an import as an object.
func (v *eval) moduleValues(f *file, imported int32) []val {
	switch m := f.modules[imported]; m.state {
	case moduleFile:
		return v.moduleObjects(m)
	case moduleExternal:
		return []val{{kind: valExternal}}
	}
	return nil
}

// moduleObjects is the module that an import leads to, and its declaration.
func (v *eval) moduleObjects(m module) []val {
	out := v.moduleObject(m.file)
	if m.also != graph.None {
		out = append(out, v.moduleObject(m.also)...)
	}
	return out
}

// moduleObject is a module, and in CommonJS what module.exports was set to.
func (v *eval) moduleObject(file int32) []val {
	out := []val{{kind: valModule, i: file}}
	f := v.p.files[file]
	for _, i := range f.exports["="] {
		x := &f.f.Exports[i]
		if x.Expr != graph.None {
			out = append(out, v.value(f, x.Expr, 0)...)
		}
	}
	return out
}

// nameValues are the values that a name has where it stands.
func (v *eval) nameValues(f *file, e *graph.Expr, env int32) []val {
	found, scope := f.lookup(e.Scope, e.Name, values)
	if len(found) == 0 {
		if e.Name == "exports" {
			return v.moduleObject(f.index)
		}
		return []val{{kind: valExternal}}
	}
	if len(found) > maxValues {
		found = found[:maxValues]
	}
	if declared := v.declaredType(f, found, env); declared != nil {
		return v.narrowed(f, e, scope, declared, env)
	}
	var out []val
	for _, b := range found {
		out = append(out, v.boundValues(f, b, env)...)
	}
	for _, a := range f.mixed[nameIn{scope, e.Name}] {
		out = append(out, v.value(f, a, env)...)
	}
	return v.narrowed(f, e, scope, out, env)
}

// declaredType is what the type says that one of the bindings declares.
func (v *eval) declaredType(f *file, found []int32, env int32) []val {
	for _, b := range found {
		x := &f.f.Bindings[b]
		if x.Type == graph.None || x.Symbol != graph.None && x.Kind == graph.BindDefinition && f.f.Symbols[x.Symbol].Kind == graph.KindFunction {
			continue
		}
		if t := v.typ(f, x.Type, env); len(t) > 0 {
			return t
		}
	}
	return nil
}

// boundValues are the values that one binding gives its name.
func (v *eval) boundValues(f *file, b, env int32) []val {
	x := &f.f.Bindings[b]
	switch x.Kind {
	case graph.BindImport:
		r := v.boundTo(f, b, values)
		if imp := &f.f.Imports[x.Import]; imp.Name == "=" || imp.Name == "default" {
			if m := f.modules[x.Import]; m.state == moduleFile && (len(r.defs) == 0 || r.defs[0].kind == defModule) {
				return v.moduleObjects(m)
			}
		}
		return v.defValues(r.defs)
	case graph.BindParameter:
		return v.parameterValues(f, x, env)
	case graph.BindDefinition:
		if x.Symbol != graph.None {
			return v.symbolValues(f, x.Symbol, env)
		}
	}
	if x.Type != graph.None {
		return v.typ(f, x.Type, env)
	}
	return v.value(f, x.Value, env)
}

func (v *eval) defValues(defs []def) []val {
	var out []val
	for _, d := range defs {
		switch d.kind {
		case defSymbol:
			out = append(out, v.symbolValues(v.p.files[d.file], d.i, 0)...)
		case defModule:
			out = append(out, val{kind: valModule, i: d.file})
		case defExpr:
			out = append(out, v.value(v.p.files[d.file], d.i, 0)...)
		case defMember:
			f := v.p.files[d.file]
			out = append(out, v.membersOf(v.value(f, d.i, 0), d.name)...)
		case defBinding:
			out = append(out, v.boundValues(v.p.files[d.file], d.i, 0)...)
		case defExternal:
			out = append(out, val{kind: valExternal})
		}
	}
	return out
}

// symbolValues is what the name of a definition evaluates to.
func (v *eval) symbolValues(f *file, sym, env int32) []val {
	s := &f.f.Symbols[sym]
	switch s.Kind {
	case graph.KindFunction, graph.KindMethod, graph.KindConstructor, graph.KindClass, graph.KindEnum, graph.KindPackage,
		graph.KindInterface:
		return []val{{valSymbol, f.index, f.implementation(sym), env}}
	case graph.KindProperty:
		return v.resultOf(f, sym, env)
	case graph.KindMember:
		return []val{{valInstance, f.index, s.Parent, 0}}
	}
	var out []val
	for _, b := range f.bound[sym] {
		x := &f.f.Bindings[b]
		if x.Type != graph.None {
			if t := v.typ(f, x.Type, env); len(t) > 0 {
				return t
			}
		}
		out = append(out, v.value(f, x.Value, env)...)
		// Later assignments to the same name.
		if x.Kind == graph.BindDefinition {
			for _, o := range f.names[x.Scope][x.Name] {
				if y := &f.f.Bindings[o]; y.Kind == graph.BindVariable {
					out = append(out, v.value(f, y.Value, env)...)
				}
			}
		}
	}
	return out
}

// parameterValues are what a parameter may be: its declared type, its default,
// or what the function that it is passed to hands in.
func (v *eval) parameterValues(f *file, x *graph.Binding, env int32) []val {
	if x.Type != graph.None {
		return v.typ(f, x.Type, env)
	}
	if x.Symbol != graph.None && x.Symbol == f.exportedFunction() {
		var out []val
		for _, g := range v.p.mixers[exportedParam{f.index, x.Param}] {
			out = append(out, v.moduleObject(g)...)
		}
		if len(out) > 0 {
			return out
		}
	}
	if x.Symbol != graph.None {
		if out := v.contextual(f, x.Symbol, x.Param, env); len(out) > 0 {
			return out
		}
	}
	if x.Value == graph.None {
		if at, ok := f.handed[x.Symbol]; ok && x.Symbol != graph.None {
			return v.handedIn(f, at, x.Param, env)
		}
		return nil
	}
	if k := f.f.Exprs[x.Value]; x.Symbol != graph.None || k.Kind != graph.ExprFunction || k.Symbol != graph.None || k.Start > x.At {
		return v.value(f, x.Value, env)
	}
	if x.Param == graph.None {
		return nil
	}
	if call, ok := f.spots[x.Value]; ok {
		if args := f.f.Exprs[call].Args; int(x.Param) < len(args) {
			return v.value(f, args[x.Param], env)
		}
		return nil
	}
	at, ok := f.calls[x.Value]
	if !ok {
		return nil
	}
	return v.handedIn(f, at, x.Param, env)
}

// thisValues is what "this" is.
func (v *eval) thisValues(f *file, e *graph.Expr, env int32) []val {
	switch {
	case e.Base != graph.None:
		return v.value(f, e.Base, env)
	case e.Symbol == graph.None:
		return nil
	case e.Name == "static":
		return []val{{valSymbol, f.index, e.Symbol, 0}}
	}
	return []val{{valInstance, f.index, e.Symbol, env}}
}

// superValues is the base class of the class that "super" stands in.
func (v *eval) superValues(f *file, e *graph.Expr, env int32) []val {
	if e.Symbol == graph.None {
		return nil
	}
	var out []val
	for _, b := range v.bases(f, e.Symbol, env) {
		if f := v.p.files[b.file]; b.kind == valInstance && f.f.Symbols[b.i].Kind == graph.KindInterface {
			continue
		}
		if b.kind == valInstance && e.Name == "static" {
			b.kind = valSymbol
		}
		out = append(out, b)
	}
	return out
}

// bases are the base classes and interfaces of a definition, as instances.
func (v *eval) bases(f *file, sym, env int32) []val {
	var out []val
	for _, b := range f.f.Symbols[sym].Bases {
		out = append(out, v.base(f, b, env)...)
	}
	return out
}

func (v *eval) base(f *file, b, env int32) []val {
	e := &f.f.Exprs[b]
	switch e.Kind {
	case graph.ExprTypeName:
		return v.typ(f, b, env)
	case graph.ExprIndex:
		if k := f.f.Exprs[e.Base].Kind; k == graph.ExprTypeName {
			return v.typ(f, b, env)
		}
		return v.instances(f, v.value(f, e.Base, env), e.Args, env)
	case graph.ExprMember:
		if t := v.typ(f, b, env); len(t) > 0 {
			return t
		}
	}
	return v.instances(f, v.value(f, b, env), nil, env)
}

// instances are what constructing the values gives. Args are type arguments
// written in f.
func (v *eval) instances(f *file, vals []val, args []int32, env int32) []val {
	var out []val
	for _, x := range vals {
		switch x.kind {
		case valSymbol:
			g := v.p.files[x.file]
			switch g.f.Symbols[x.i].Kind {
			case graph.KindClass, graph.KindFunction, graph.KindMethod, graph.KindInterface:
				out = append(out, val{valInstance, x.file, x.i, v.arguments(g, x.i, f, args, env)})
			}
		case valInstance, valShape:
			for _, m := range v.members(x, "new") {
				for _, y := range v.memberResult(m) {
					out = append(out, v.constructed(y)...)
				}
			}
			out = append(out, v.constructed(x)...)
		case valExternal:
			out = append(out, x)
		case valBuiltin:
			out = append(out, x)
		}
	}
	return out
}

// constructed is what a constructor type gives.
func (v *eval) constructed(x val) []val {
	if x.kind != valShape {
		return nil
	}
	f := v.p.files[x.file]
	if e := &f.f.Exprs[x.i]; e.Kind == graph.ExprFunctionType && e.Name == "new" {
		return v.typ(f, e.Base, x.env)
	}
	return nil
}

// newValues are the values of new Base(…).
func (v *eval) newValues(f *file, e *graph.Expr, env int32) []val {
	base, args := e.Base, []int32(nil)
	if base == graph.None {
		return nil
	}
	if k := &f.f.Exprs[base]; k.Kind == graph.ExprIndex {
		base, args = k.Base, k.Args
	}
	if k := &f.f.Exprs[base]; k.Kind == graph.ExprName {
		if found, _ := f.lookup(k.Scope, k.Name, values); len(found) == 0 {
			return v.library(k.Name, f, args, e.Args, env)
		}
	}
	return v.instances(f, v.value(f, base, env), args, env)
}

// arguments binds the type parameters of a definition of g to type arguments
// written in f.
func (v *eval) arguments(g *file, sym int32, f *file, args []int32, outer int32) int32 {
	params := g.typeParameters(sym)
	if len(params) == 0 {
		return 0
	}
	var e env
	for i, p := range params {
		s := slot{file: g.index, param: p}
		if i < len(args) {
			s.vals = v.typ(f, args[i], outer)
		} else if d := g.f.Bindings[p].Value; d != graph.None && len(args) > 0 {
			s.vals = v.typ(g, d, 0)
		}
		if len(s.vals) > 0 {
			e = append(e, s)
		}
	}
	return v.intern(e)
}

// typeParameters are the bindings of a definition's type parameters in order.
func (f *file) typeParameters(sym int32) []int32 {
	s := &f.f.Symbols[sym]
	scope := s.Scope
	if scope == graph.None {
		return nil
	}
	if f.f.Scopes[scope].Kind == graph.ScopeClass {
		scope = f.f.Scopes[scope].Parent
	}
	return f.typeParametersOf(scope)
}

func (f *file) typeParametersOf(scope int32) []int32 {
	var out []int32
	for _, bs := range f.names[scope] {
		for _, b := range bs {
			if x := &f.f.Bindings[b]; x.Kind == graph.BindParameter && x.Param == graph.None && x.Symbol == graph.None {
				out = append(out, b)
			}
		}
	}
	slices.Sort(out)
	return out
}
