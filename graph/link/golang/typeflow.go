package golang

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/previdence/previdence/graph"
)

// A call through an interface may lead to whatever implements it, but a variable
// holds what was written to it. The types of values are followed from where a value
// becomes an interface of the tree to variables, parameters and results, as function
// values are (flow.go). There, what is not understood adds nothing. Here it has to
// say so, since what a variable does not hold is taken away from the calls
// through it: fields, elements, the parameters of what others may call, and
// everything whose address is taken are open.
//
// An exported variable counts as written in the tree only. Therefore a target that
// its writes leave out stays, with the tier for what another program may do.

// A typeFlow says that a variable may hold values of the types that the sources have.
type typeFlow struct {
	to  place
	src typeSources
}

// typeSources say what type the value of an interface may have.
type typeSources struct {
	types []string // concrete types of the tree, see namer
	vars  []place  // whatever these hold
	open  bool     // and others
}

// follows reports whether values of type t are followed: it is an interface that the
// tree declares, and no type parameter.
func (w *walker) follows(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && types.IsInterface(n) && w.owns(n.Obj())
}

// followed is the variable of the tree that x names, if its type is followed.
func (w *walker) followed(x ast.Expr) *types.Var {
	var v *types.Var
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, _ = w.info.ObjectOf(x).(*types.Var)
	case *ast.SelectorExpr:
		v, _ = w.info.Uses[x.Sel].(*types.Var)
	}
	if v == nil || v.IsField() || !w.owns(v) || !w.follows(v.Type()) {
		return nil
	}
	return v
}

// typesOf collects the types that the value of x may have.
func (w *walker) typesOf(x ast.Expr, out *typeSources) {
	x = ast.Unparen(x)
	tv := w.info.Types[x]
	switch {
	case tv.IsNil():
	case tv.Type == nil || tv.Type == types.Typ[types.Invalid]:
		out.open = true
	case !types.IsInterface(tv.Type):
		w.concrete(tv.Type, out)
	case w.followed(x) != nil:
		out.vars = append(out.vars, w.placeOf(w.followed(x)))
	default:
		w.typesOfResult(x, out)
	}
}

// concrete adds a type that is no interface. One without a name has methods if it
// embeds something.
func (w *walker) concrete(t types.Type, out *typeSources) {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if w.owns(t.Obj()) {
			out.types = append(out.types, w.shapeOf(w.rec, t))
		}
	case *types.Struct, *types.Tuple, *types.TypeParam:
		out.open = true
	}
}

// typesOfResult looks into conversions, assertions and calls of functions of the tree.
func (w *walker) typesOfResult(x ast.Expr, out *typeSources) {
	switch x := x.(type) {
	case *ast.TypeAssertExpr:
		w.typesOf(x.X, out)
		return
	case *ast.CallExpr:
		if w.info.Types[ast.Unparen(x.Fun)].IsType() && len(x.Args) == 1 {
			w.typesOf(x.Args[0], out)
			return
		}
		if res := w.resultsOf(x); res != nil && res.Len() == 1 && w.follows(res.At(0).Type()) {
			out.vars = append(out.vars, w.placeOf(res.At(0)))
			return
		}
	}
	out.open = true
}

// receiver collects the types that the receiver of a selected method may have. A
// method of an embedded interface is called through a field.
func (w *walker) receiver(sel *ast.SelectorExpr, out *typeSources) {
	s := w.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal || len(s.Index()) != 1 && !types.IsInterface(s.Recv()) {
		out.open = true
		return
	}
	w.typesOf(sel.X, out)
}

// resultsOf lists what a call of a function of the tree gives; nil if it is not
// known which function that is.
func (w *walker) resultsOf(c *ast.CallExpr) *types.Tuple {
	id, _ := calleeName(w.uninstantiated(ast.Unparen(c.Fun)))
	if id == nil {
		return nil
	}
	fn, ok := w.info.Uses[id].(*types.Func)
	if !ok || !w.owns(fn.Origin()) {
		return nil
	}
	sig := fn.Origin().Signature()
	if r := sig.Recv(); r != nil && types.IsInterface(r.Type()) {
		return nil
	}
	return sig.Results()
}

// hold notes that a variable, if it is followed, may hold x; without x, anything.
func (w *walker) hold(to *types.Var, x ast.Expr) {
	if to == nil || !w.follows(to.Type()) || !w.owns(to) {
		return
	}
	f := typeFlow{to: w.placeOf(to.Origin()), src: typeSources{open: x == nil}}
	if x != nil {
		w.typesOf(x, &f.src)
	}
	w.rec.typeFlows = append(w.rec.typeFlows, f)
}

// holdEach notes what variables may hold: one value each, or the results of a call.
func (w *walker) holdEach(n int, to func(i int) *types.Var, values []ast.Expr) {
	var res *types.Tuple
	if len(values) == 1 && n > 1 {
		if c, ok := ast.Unparen(values[0]).(*ast.CallExpr); ok {
			res = w.resultsOf(c)
		}
	}
	for i := range n {
		v := to(i)
		switch {
		case len(values) == n:
			w.hold(v, values[i])
		case v == nil || !w.follows(v.Type()):
		case res != nil && i < res.Len() && w.follows(res.At(i).Type()):
			w.rec.typeFlows = append(w.rec.typeFlows, typeFlow{w.placeOf(v.Origin()), typeSources{vars: []place{w.placeOf(res.At(i))}}})
		default:
			w.hold(v, nil)
		}
	}
}

func (w *walker) holdAssign(a *ast.AssignStmt) {
	w.holdEach(len(a.Lhs), func(i int) *types.Var { return w.followed(a.Lhs[i]) }, a.Rhs)
}

func (w *walker) holdSpec(spec *ast.ValueSpec) {
	if len(spec.Values) > 0 {
		w.holdEach(len(spec.Names), func(i int) *types.Var { return w.followed(spec.Names[i]) }, spec.Values)
	}
}

func (w *walker) holdRange(r *ast.RangeStmt) {
	for _, x := range []ast.Expr{r.Key, r.Value} {
		if x != nil {
			w.hold(w.followed(x), nil)
		}
	}
}

// holdClause opens the variable of a clause of a type switch.
func (w *walker) holdClause(c *ast.CaseClause) {
	if v, ok := w.info.Implicits[c].(*types.Var); ok {
		w.hold(v, nil)
	}
}

// holdReturn takes returned values into the results; results with names are there
// already if the statement lists none.
func (w *walker) holdReturn(r *ast.ReturnStmt) {
	if sig := w.signature(); sig != nil && len(r.Results) > 0 {
		w.holdEach(sig.Results().Len(), func(i int) *types.Var { return sig.Results().At(i) }, r.Results)
	}
}

// holdArgs takes arguments into the parameters of a function of the tree.
func (w *walker) holdArgs(sig *types.Signature, c *ast.CallExpr) {
	n, args := sig.Params().Len(), c.Args
	if sig.Variadic() {
		n-- // a slice takes the rest
		args = args[:min(max(n, 1), len(args))]
	}
	w.holdEach(n, func(i int) *types.Var { return sig.Params().At(i) }, args)
}

// holdAddress opens a variable that something may write to from elsewhere.
func (w *walker) holdAddress(x *ast.UnaryExpr) {
	if x.Op == token.AND {
		w.hold(w.followed(x.X), nil)
	}
}

// openFunc opens the parameters of a function that is declared here unless all of
// its calls are in the tree, and the results of one without a body.
func (w *walker) openFunc(d *ast.FuncDecl) {
	fn, ok := w.info.Defs[d.Name].(*types.Func)
	if !ok {
		return
	}
	if d.Recv != nil || d.Name.IsExported() && !w.file.test {
		w.openAll(fn.Signature().Params())
	}
	if d.Body == nil {
		w.openAll(fn.Signature().Params())
		w.openAll(fn.Signature().Results())
	}
}

// openLit opens the parameters of a function literal: who calls it is not followed.
func (w *walker) openLit(lit *ast.FuncLit) {
	if sig, ok := w.info.TypeOf(lit).(*types.Signature); ok {
		w.openAll(sig.Params())
	}
}

func (w *walker) openAll(vars *types.Tuple) {
	for v := range vars.Variables() {
		w.hold(v, nil)
	}
}

// origin is the flow as [solve] takes it.
func (f *typeFlow) origin() (place, origin[string]) { return f.to, f.src.origin() }

func (s *typeSources) origin() origin[string] { return origin[string]{s.types, s.vars, s.open} }

// reaches lists the methods that a call leads to by what its receiver holds; not
// ok if that may be more than is known. A receiver that nothing was written to is
// written in a way that is not seen.
func (all *whole) reaches(c *abstractCall, holds *solution[string]) (to map[int32]bool, ok bool) {
	if c.recv.open {
		return nil, false
	}
	value := holds.of(c.recv.origin())
	if value.more || len(value.values) == 0 {
		return nil, false
	}
	to = map[int32]bool{}
	for t := range value.values {
		s := all.shapes[t]
		if s == nil || s.broken || s.doubtful || s.open {
			return nil, false
		}
		m := s.method(c.method)
		if m == nil || m.inherited {
			return nil, false // an embedded interface has it
		}
		if m.target != graph.None {
			to[m.target] = true
		}
	}
	return to, true
}
