package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"reflect"
	"slices"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/previdence/previdence/graph"
)

// The reasons that an [graph.Unresolved] reference of Go can have.
const (
	reasonUndefined  = "no such name in the package"
	reasonMember     = "no such field or method"
	reasonPackage    = "no such package in the module"
	reasonFit        = "call does not fit the signature"
	reasonResult     = "result does not fit where it is used"
	reasonMethod     = "type lacks a method of the interface"
	reasonImplement  = "method does not fit the interface"
	reasonValue      = "function does not fit where it is passed on"
	reasonField      = "no such field in the struct"
	reasonValues     = "values do not fit the struct"
	reasonTestOnly   = "defined in a test of another package or build"
	reasonFuncValue  = "function value unknown"
	reasonOtherBuild = "only in files for other platforms or build tags"
)

// The codes of go/types errors, which types.Error keeps in a field that its
// documentation invites tools to read by reflection. A test compares them with
// real errors.
const (
	codeWrongAssignCount       = 17
	codeInvalidIfaceAssign     = 21
	codeIncompatibleAssign     = 23
	codeInvalidStructLit       = 65
	codeMissingLitField        = 66
	codeUndeclaredImportedName = 73
	codeUnexportedName         = 74
	codeUndeclaredName         = 75
	codeMissingFieldOrMethod   = 76
	codeNonVariadicDotDotDot   = 78
	codeWrongArgCount          = 126
)

func errorCode(e types.Error) int64 {
	f := reflect.ValueOf(e).FieldByName("go116code")
	if !f.IsValid() || !f.CanInt() {
		return 0
	}
	return f.Int()
}

func dirOf(p string) string { return path.Dir(p) }

// explain turns the type errors of some files into unresolved references. An
// error that names nothing of the tree says nothing about the tree.
func (b *build) explain(u *unit, files []*file) {
	for _, e := range u.errors {
		for _, f := range files {
			if at := int(e.Pos) - f.pos.Base(); at < 0 || at > f.pos.Size() {
				continue
			}
			nodes, _ := astutil.PathEnclosingInterval(f.syntax, e.Pos, e.Pos)
			x := &explainer{build: b, unit: u, file: f, info: u.info, nodes: nodes, at: e.Pos}
			x.explain(errorCode(e))
			break
		}
	}
}

// An explainer looks at one type error.
type explainer struct {
	*build
	unit  *unit
	file  *file
	info  *types.Info
	nodes []ast.Node // around the error, innermost first
	at    token.Pos
}

func (x *explainer) explain(code int64) {
	switch code {
	case codeUndeclaredName:
		x.undeclared()
	case codeUndeclaredImportedName, codeUnexportedName:
		x.undeclaredImported()
	case codeMissingFieldOrMethod:
		x.missingMember()
	case codeMissingLitField:
		x.missingField()
	case codeInvalidStructLit:
		x.structLiteral()
	case codeWrongArgCount, codeIncompatibleAssign, codeInvalidIfaceAssign:
		if !x.missingMethod() && !x.value() && !x.argument(code) {
			x.result()
		}
	case codeNonVariadicDotDotDot:
		x.spread()
	case codeWrongAssignCount:
		x.assignment()
	}
}

// report adds an unresolved reference at p.
func (x *explainer) report(p token.Pos, kind graph.EdgeKind, name, in string, broken bool, reason string) {
	x.unit.rec.unresolved = append(x.unit.rec.unresolved, graph.Unresolved{
		From: x.file.enclosing(p), Line: x.file.line(p), Kind: kind, Name: name, In: in, Broken: broken, Reason: reason,
	})
	x.unit.lost[p] = true
}

// useKind is a call if id is what the innermost call calls.
func (x *explainer) useKind(id *ast.Ident) graph.EdgeKind {
	for _, n := range x.nodes {
		if c, ok := n.(*ast.CallExpr); ok {
			if name, _ := calleeName(c.Fun); name == id {
				return graph.EdgeCall
			}
			break
		}
	}
	return graph.EdgeReference
}

// undeclared explains a name that neither the file nor its package knows.
func (x *explainer) undeclared() {
	id, ok := x.nodes[0].(*ast.Ident)
	if !ok {
		return
	}
	if x.mayNameStandIn(id) {
		return
	}
	broken, reason := x.absent(x.file.dir, x.unit.name, id.Name, "", reasonUndefined)
	x.report(id.Pos(), x.useKind(id), id.Name, x.file.dir, broken, reason)
}

// mayNameStandIn reports whether a stand-in could have given the file this
// name: by a dot import, or as the name of the package itself.
func (x *explainer) mayNameStandIn(id *ast.Ident) bool {
	base := false
	if len(x.nodes) > 1 {
		sel, ok := x.nodes[1].(*ast.SelectorExpr)
		base = ok && sel.X == id
	}
	for i := range x.file.in.Facts.Imports {
		imp := &x.file.in.Facts.Imports[i]
		if x.known(x.unit, imp.Module) {
			continue
		}
		if imp.Name == "*" || base && imp.Alias == "" {
			return true
		}
	}
	return false
}

// absent decides whether a name is certainly not in a directory: every file of
// it was read whole, and no file left out of this build defines the name.
func (b *build) absent(dir, pkg, name, container, reason string) (bool, string) {
	for _, f := range b.byDir[dir] {
		if f.pkgName != pkg || b.platform.selects(f.base(), f.build) {
			continue
		}
		facts := f.in.Facts
		for i := range facts.Symbols {
			if i > 0 && facts.Symbols[i].Name == name && facts.Containers(int32(i)) == container {
				return false, reasonOtherBuild
			}
		}
	}
	return !b.unread[dir], reason
}

// undeclaredImported explains pkg.Name where the package lacks the name.
func (x *explainer) undeclaredImported() {
	id, sel := x.selector()
	if sel == nil {
		return
	}
	base, ok := sel.X.(*ast.Ident)
	if !ok {
		return
	}
	pkg, ok := x.info.Uses[base].(*types.PkgName)
	if !ok {
		return
	}
	for _, s := range x.unit.imports {
		if s.unit == nil || s.unit.pkg != pkg.Imported() && s.unit.view != pkg.Imported() {
			continue
		}
		broken, reason := x.absent(s.unit.dir, s.unit.name, id.Name, "", reasonUndefined)
		x.report(id.Pos(), x.useKind(id), id.Name, s.unit.dir, broken, reason)
		return
	}
}

// selector is the selector whose last name the error stands at.
func (x *explainer) selector() (*ast.Ident, *ast.SelectorExpr) {
	if len(x.nodes) < 2 {
		return nil, nil
	}
	id, ok := x.nodes[0].(*ast.Ident)
	sel, ok2 := x.nodes[1].(*ast.SelectorExpr)
	if !ok || !ok2 || sel.Sel != id {
		return nil, nil
	}
	return id, sel
}

// missingMember explains x.Name where the type of x lacks the name.
func (x *explainer) missingMember() {
	id, sel := x.selector()
	if sel == nil {
		return
	}
	t := x.info.Types[sel.X].Type
	if t == nil {
		return
	}
	x.member(id, t, reasonMember)
}

// member reports a name that a type of the tree lacks.
func (x *explainer) member(id *ast.Ident, t types.Type, reason string) {
	n := namedOf(t)
	if n == nil || !x.owns(n.Obj()) {
		return
	}
	owner, ok := x.target(n.Obj())
	if !ok {
		return
	}
	s := &x.in.Symbols[owner]
	if !listsMembers(n, map[types.Type]bool{}) {
		return // what it embeds from a stand-in may have the name
	}
	broken, reason := x.absent(dirOf(s.Path), n.Obj().Pkg().Name(), id.Name, s.Name, reason)
	x.report(id.Pos(), x.useKind(id), id.Name, string(s.ID), broken, reason)
}

// namedOf is the named type of t or of what t points to.
func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// missingField explains a key of a composite literal.
func (x *explainer) missingField() {
	id, ok := x.nodes[0].(*ast.Ident)
	if !ok {
		return
	}
	if lit := x.literalAround(); lit != nil {
		if t := x.info.Types[lit].Type; t != nil {
			x.member(id, t, reasonField)
		}
	}
}

func (x *explainer) literalAround() *ast.CompositeLit {
	for _, n := range x.nodes {
		if lit, ok := n.(*ast.CompositeLit); ok {
			return lit
		}
	}
	return nil
}

// structLiteral explains a literal with too few or too many values.
func (x *explainer) structLiteral() {
	lit := x.literalAround()
	if lit == nil {
		return
	}
	n := namedOf(x.info.Types[lit].Type)
	if n == nil {
		return
	}
	if owner, ok := x.target(n.Obj()); ok {
		s := &x.in.Symbols[owner]
		x.report(lit.Pos(), graph.EdgeReference, s.Name, string(s.ID), !x.unread[dirOf(s.Path)], reasonValues)
	}
}

// callee is the function of the tree that a call calls.
func (x *explainer) callee(c *ast.CallExpr) (*types.Func, int32, bool) {
	fun := ast.Unparen(c.Fun)
	id, _ := calleeName(fun)
	if id == nil {
		return nil, 0, false
	}
	fn, ok := x.info.Uses[id].(*types.Func)
	if !ok {
		return nil, 0, false
	}
	to, ok := x.target(fn)
	return fn, to, ok
}

// argument explains a call that does not fit the function it calls.
func (x *explainer) argument(code int64) bool {
	for _, n := range x.nodes {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		arg := x.argumentAt(c)
		if arg < 0 && (code != codeWrongArgCount || c.Rparen != x.at) {
			continue
		}
		fn, to, ok := x.callee(c)
		if !ok {
			return true
		}
		s := &x.in.Symbols[to]
		x.fits(c.Fun, s, sound(fn.Signature()) && x.soundArgs(c), reasonFit)
		return true
	}
	return false
}

// fits reports a call of s that does not fit.
func (x *explainer) fits(fun ast.Expr, s *graph.Symbol, certain bool, reason string) {
	p := fun.Pos()
	if id, _ := calleeName(fun); id != nil {
		p = id.Pos()
	}
	x.unit.rec.unresolved = append(x.unit.rec.unresolved, graph.Unresolved{
		From: x.file.enclosing(p), Line: x.file.line(p), Kind: graph.EdgeCall, Name: s.Name, In: string(s.ID),
		Broken: certain && !x.unread[dirOf(s.Path)], Reason: reason,
	})
}

// argumentAt is the argument that begins where the error stands, or -1.
func (x *explainer) argumentAt(c *ast.CallExpr) int {
	for i, a := range c.Args {
		if a.Pos() == x.at {
			return i
		}
	}
	return -1
}

func (x *explainer) soundArgs(c *ast.CallExpr) bool {
	for _, a := range c.Args {
		if t := x.info.Types[a].Type; t == nil || !sound(t) {
			return false
		}
	}
	return true
}

// assignment explains a call that gives another number of values than taken.
func (x *explainer) assignment() {
	for _, n := range x.nodes {
		c, ok := n.(*ast.CallExpr)
		if !ok || c.Pos() != x.at {
			continue
		}
		if _, to, ok := x.callee(c); ok {
			x.fits(c.Fun, &x.in.Symbols[to], true, reasonResult)
		}
	}
}

// result explains a call whose result cannot be used where it stands.
func (x *explainer) result() {
	for i, n := range x.nodes[:max(len(x.nodes)-1, 0)] {
		c, ok := n.(*ast.CallExpr)
		if !ok || c.Pos() != x.at {
			continue
		}
		want := x.destination(i)
		got := x.info.Types[c].Type
		if want == nil || got == nil || !sound(want) || !sound(got) {
			return
		}
		if _, to, ok := x.callee(c); ok {
			x.fits(c.Fun, &x.in.Symbols[to], true, reasonResult)
		}
		return
	}
}

// destination is the type that the i-th node around the error must have where
// it stands; nil if it is not known.
func (x *explainer) destination(i int) types.Type {
	child, parent := x.nodes[i], x.nodes[i+1]
	switch p := parent.(type) {
	case *ast.ValueSpec:
		if p.Type != nil {
			return x.info.Types[p.Type].Type
		}
	case *ast.AssignStmt:
		for i, r := range p.Rhs {
			if r == child && len(p.Lhs) == len(p.Rhs) {
				return x.info.TypeOf(p.Lhs[i])
			}
		}
	case *ast.ReturnStmt:
		sig := x.function()
		for i, r := range p.Results {
			if r == child && sig != nil && sig.Results().Len() == len(p.Results) {
				return sig.Results().At(i).Type()
			}
		}
	case *ast.CallExpr:
		sig, _ := x.info.TypeOf(p.Fun).(*types.Signature)
		for i, a := range p.Args {
			if a == child && sig != nil {
				return paramType(sig, i)
			}
		}
	case *ast.KeyValueExpr:
		if lit, ok := x.nodes[min(i+2, len(x.nodes)-1)].(*ast.CompositeLit); ok && p.Value == child {
			return x.element(lit, p)
		}
	case *ast.CompositeLit:
		return x.element(p, child)
	}
	return nil
}

// element is the type that an element of a composite literal must have.
func (x *explainer) element(lit *ast.CompositeLit, child ast.Node) types.Type {
	at := slices.IndexFunc(lit.Elts, func(e ast.Expr) bool { return e == child })
	t := x.info.TypeOf(lit)
	if at < 0 || t == nil {
		return nil
	}
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	case *types.Map:
		return t.Elem()
	case *types.Struct:
		kv, ok := child.(*ast.KeyValueExpr)
		if !ok {
			if at < t.NumFields() {
				return t.Field(at).Type()
			}
			return nil
		}
		if key, ok := kv.Key.(*ast.Ident); ok {
			if v, ok := x.info.Uses[key].(*types.Var); ok {
				return v.Type()
			}
		}
	}
	return nil
}

// paramType is the type that the i-th argument must have.
func paramType(sig *types.Signature, i int) types.Type {
	n := sig.Params().Len()
	if i < n-1 || i < n && !sig.Variadic() {
		return sig.Params().At(i).Type()
	}
	if sig.Variadic() {
		if s, ok := sig.Params().At(n - 1).Type().(*types.Slice); ok {
			return s.Elem()
		}
	}
	return nil
}

func (x *explainer) function() *types.Signature {
	for _, n := range x.nodes {
		switch n := n.(type) {
		case *ast.FuncLit:
			sig, _ := x.info.TypeOf(n).(*types.Signature)
			return sig
		case *ast.FuncDecl:
			if fn, ok := x.info.Defs[n.Name].(*types.Func); ok {
				return fn.Signature()
			}
		}
	}
	return nil
}

// missingMethod explains a type of the tree that is used as an interface whose
// method it lacks, or has with another signature.
func (x *explainer) missingMethod() bool {
	for i, n := range x.nodes[:max(len(x.nodes)-1, 0)] {
		e, ok := n.(ast.Expr)
		if !ok || e.Pos() != x.at {
			continue
		}
		want := x.destination(i)
		if want == nil || !types.IsInterface(want) {
			continue
		}
		got := x.info.TypeOf(e)
		iface, _ := want.Underlying().(*types.Interface)
		if got == nil || iface == nil || types.IsInterface(got) {
			return false
		}
		m, _ := types.MissingMethod(got, iface, true)
		named := namedOf(got)
		if m == nil || named == nil || !sound(named) || !sound(want) {
			return false
		}
		if obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, m.Pkg(), m.Name()); obj != nil {
			return x.unfit(e, obj, reasonImplement)
		}
		owner, ok := x.target(named.Obj())
		if !ok {
			return false
		}
		s := &x.in.Symbols[owner]
		broken, reason := x.absent(dirOf(s.Path), named.Obj().Pkg().Name(), m.Name(), s.Name, reasonMethod)
		x.report(e.Pos(), graph.EdgeReference, m.Name(), string(s.ID), broken, reason)
		return true
	}
	return false
}

// unfit reports that a definition of the tree does not fit where e stands.
func (x *explainer) unfit(e ast.Expr, obj types.Object, reason string) bool {
	to, ok := x.target(obj)
	if !ok {
		return false
	}
	s := &x.in.Symbols[to]
	x.report(e.Pos(), graph.EdgeReference, s.Name, string(s.ID), !x.unread[dirOf(s.Path)], reason)
	return true
}

// value explains a function that is passed on where a function of another type
// is wanted.
func (x *explainer) value() bool {
	for i, n := range x.nodes[:max(len(x.nodes)-1, 0)] {
		e, ok := n.(ast.Expr)
		if !ok || e.Pos() != x.at {
			continue
		}
		id, _ := calleeName(e)
		if id == nil {
			continue
		}
		fn, ok := x.info.Uses[id].(*types.Func)
		if !ok {
			continue
		}
		if want := x.destination(i); want != nil && sound(want) && sound(fn.Signature()) {
			return x.unfit(e, fn, reasonValue)
		}
	}
	return false
}

// spread explains a call that spreads values over a function that takes no list
// of them.
func (x *explainer) spread() {
	for _, n := range x.nodes {
		if c, ok := n.(*ast.CallExpr); ok {
			if fn, to, ok := x.callee(c); ok {
				x.fits(c.Fun, &x.in.Symbols[to], sound(fn.Signature()), reasonFit)
			}
			return
		}
	}
}

// missingPackage reports an import that should lie in the tree and does not.
func (w *walker) missingPackage(imp, dir string, line int32) {
	w.rec.unresolved = append(w.rec.unresolved, w.missing(w.file, imp, dir, line))
}

// missing is an import of a file that leads to no package.
func (t *tree) missing(f *file, imp, dir string, line int32) graph.Unresolved {
	u := graph.Unresolved{
		From: f.symbol(), Line: line, Kind: graph.EdgeImport, Name: imp, In: dir, Broken: true, Reason: reasonPackage,
	}
	if t.unread[dir] {
		u.Broken = false
	}
	for _, f := range t.byDir[dir] {
		if !f.test {
			u.Broken, u.Reason = false, reasonOtherBuild
		}
	}
	return u
}
