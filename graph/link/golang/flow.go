package golang

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Function values are followed from where a function is named to the variable,
// field, parameter or result that holds it, and on from variable to variable.
// Elements count as the slice, map, array or channel that they are in. Control
// flow, structs copied whole and values behind interfaces are not followed.

// A flow says that a variable may hold what the sources hold.
type flow struct {
	to  place
	src sources
}

// sources are the places that a function value may come from.
type sources struct {
	funcs   []int32 // functions and function literals of the tree
	vars    []place // whatever these hold
	outside bool    // a value from outside the tree
}

// origin is the flow as [solve] takes it.
func (f *flow) origin() (place, origin[int32]) { return f.to, f.src.origin() }

func (s *sources) origin() origin[int32] { return origin[int32]{s.funcs, s.vars, s.outside} }

func (s *sources) empty() bool {
	return len(s.funcs) == 0 && len(s.vars) == 0
}

// A dynamicCall is a call of a function value.
type dynamicCall struct {
	site
	name string
	src  sources
}

// holdsFunc reports whether a type is a function or a collection of such.
func holdsFunc(t types.Type) bool {
	for range 8 {
		switch u := types.Unalias(t).Underlying().(type) {
		case *types.Signature:
			return true
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		case *types.Chan:
			t = u.Elem()
		case *types.Pointer:
			t = u.Elem()
		default:
			return false
		}
	}
	return false
}

// maxNesting bounds how deep an expression is searched for sources.
const maxNesting = 16

// sources collects where the value of x may come from.
func (w *walker) sources(x ast.Expr, out *sources, depth int) {
	if depth > maxNesting {
		return
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		w.sourceObject(w.info.Uses[x], out)
	case *ast.SelectorExpr:
		w.sourceObject(w.info.Uses[x.Sel], out)
	case *ast.FuncLit:
		if s, ok := w.unit.symbols[x.Pos()]; ok {
			out.funcs = append(out.funcs, s)
		}
	case *ast.IndexExpr:
		w.sources(x.X, out, depth+1)
	case *ast.IndexListExpr:
		w.sources(x.X, out, depth+1)
	case *ast.SliceExpr:
		w.sources(x.X, out, depth+1)
	case *ast.StarExpr:
		w.sources(x.X, out, depth+1)
	case *ast.UnaryExpr:
		w.sources(x.X, out, depth+1)
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			w.sources(e, out, depth+1)
		}
	case *ast.CallExpr:
		w.sourceCall(x, out, depth)
	}
}

func (w *walker) sourceObject(obj types.Object, out *sources) {
	switch obj := obj.(type) {
	case *types.Func:
		if to, ok := w.target(obj); ok {
			out.funcs = append(out.funcs, to)
		} else {
			out.outside = true
		}
	case *types.Var:
		if w.owns(obj.Origin()) {
			out.vars = append(out.vars, w.placeOf(obj.Origin()))
		} else {
			out.outside = true
		}
	}
}

// sourceCall looks through conversions and append, and takes what a function of
// the tree returns.
func (w *walker) sourceCall(c *ast.CallExpr, out *sources, depth int) {
	tv := w.info.Types[ast.Unparen(c.Fun)]
	if tv.IsType() || tv.IsBuiltin() {
		for _, a := range c.Args {
			w.sources(a, out, depth+1)
		}
		return
	}
	id, _ := calleeName(w.uninstantiated(ast.Unparen(c.Fun)))
	if id == nil {
		return
	}
	fn, ok := w.info.Uses[id].(*types.Func)
	if !ok {
		return
	}
	if !w.owns(fn.Origin()) {
		out.outside = true
		return
	}
	if res := fn.Origin().Signature().Results(); res.Len() == 1 && holdsFunc(res.At(0).Type()) {
		out.vars = append(out.vars, w.placeOf(res.At(0)))
	}
}

// flowVar notes that a variable may hold x.
func (w *walker) flowVar(to *types.Var, x ast.Expr) {
	if to == nil || !holdsFunc(to.Type()) || !w.owns(to.Origin()) {
		return
	}
	f := flow{to: w.placeOf(to.Origin())}
	if w.sources(x, &f.src, 0); !f.src.empty() {
		w.rec.flows = append(w.rec.flows, f)
	}
}

// flow notes that the place dst may hold x.
func (w *walker) flow(dst, x ast.Expr) {
	if v := w.place(dst); v != nil {
		w.flowVar(v, x)
	}
}

// place is the variable or field that an assignment to x changes.
func (w *walker) place(x ast.Expr) *types.Var {
	for {
		switch e := ast.Unparen(x).(type) {
		case *ast.Ident:
			if v, ok := w.info.Defs[e].(*types.Var); ok {
				return v
			}
			v, _ := w.info.Uses[e].(*types.Var)
			return v
		case *ast.SelectorExpr:
			v, _ := w.info.Uses[e.Sel].(*types.Var)
			return v
		case *ast.IndexExpr:
			x = e.X
		case *ast.SliceExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		default:
			return nil
		}
	}
}

func (w *walker) flowAssign(a *ast.AssignStmt) {
	if len(a.Lhs) != len(a.Rhs) || a.Tok != token.ASSIGN && a.Tok != token.DEFINE {
		w.flowResults(a)
		return
	}
	for i := range a.Lhs {
		w.flow(a.Lhs[i], a.Rhs[i])
	}
}

// flowResults follows the results of a call into several variables.
func (w *walker) flowResults(a *ast.AssignStmt) {
	if len(a.Rhs) != 1 {
		return
	}
	c, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	if !ok {
		if _, ok := ast.Unparen(a.Rhs[0]).(*ast.IndexExpr); ok {
			w.flow(a.Lhs[0], a.Rhs[0]) // v, ok := m[k]
		}
		return
	}
	id, _ := calleeName(c.Fun)
	if id == nil {
		return
	}
	fn, ok := w.info.Uses[id].(*types.Func)
	if !ok || !w.owns(fn.Origin()) {
		return
	}
	res := fn.Origin().Signature().Results()
	for i := range min(res.Len(), len(a.Lhs)) {
		v := w.place(a.Lhs[i])
		if v != nil && holdsFunc(v.Type()) && w.owns(v.Origin()) {
			w.rec.flows = append(w.rec.flows, flow{to: w.placeOf(v.Origin()), src: sources{vars: []place{w.placeOf(res.At(i))}}})
		}
	}
}

func (w *walker) flowSpec(spec *ast.ValueSpec) {
	if len(spec.Names) == len(spec.Values) {
		for i := range spec.Names {
			w.flow(spec.Names[i], spec.Values[i])
		}
	}
}

func (w *walker) flowRange(r *ast.RangeStmt) {
	if r.Value != nil {
		w.flow(r.Value, r.X)
	}
	if t := w.info.Types[r.X].Type; r.Key != nil && t != nil {
		if _, ok := t.Underlying().(*types.Chan); ok {
			w.flow(r.Key, r.X)
		}
	}
}

// flowReturn follows values into the results of the function around.
func (w *walker) flowReturn(r *ast.ReturnStmt) {
	sig := w.signature()
	if sig == nil || sig.Results().Len() != len(r.Results) {
		return
	}
	for i, x := range r.Results {
		w.flowVar(sig.Results().At(i), x)
	}
}

// signature is that of the innermost function around the current node.
func (w *walker) signature() *types.Signature {
	for i := len(w.stack) - 1; i >= 0; i-- {
		switch n := w.stack[i].(type) {
		case *ast.FuncLit:
			sig, _ := w.info.Types[n].Type.(*types.Signature)
			return sig
		case *ast.FuncDecl:
			if fn, ok := w.info.Defs[n.Name].(*types.Func); ok {
				return fn.Signature()
			}
			return nil
		}
	}
	return nil
}

// flowCopy follows what copy writes.
func (w *walker) flowCopy(c *ast.CallExpr) {
	if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok && id.Name == "copy" && len(c.Args) == 2 {
		w.flow(c.Args[0], c.Args[1])
	}
}

// flowArgs follows arguments into parameters.
func (w *walker) flowArgs(t types.Type, c *ast.CallExpr) {
	if t == nil {
		return
	}
	sig, ok := t.Underlying().(*types.Signature)
	if !ok || sig.Params().Len() == 0 {
		return
	}
	last := sig.Params().Len() - 1
	for i, a := range c.Args {
		if i > last && !sig.Variadic() {
			return
		}
		w.flowVar(sig.Params().At(min(i, last)), a)
	}
}
