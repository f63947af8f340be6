package golang

import (
	"go/ast"
	"go/types"

	"github.com/previdence/previdence/graph"
)

// An abstractCall is a call of an interface method.
type abstractCall struct {
	site
	iface  string // name of the interface that the receiver is known by
	method string // ID
	inTree bool   // the method itself lies in the tree
	recv   typeSources
}

// call resolves one call expression and counts it. Conversions and built-in
// functions are no calls.
func (w *walker) call(c *ast.CallExpr) {
	fun := ast.Unparen(c.Fun)
	tv := w.info.Types[fun]
	switch {
	case tv.IsType():
		if n := namedOf(tv.Type); n != nil && len(c.Args) == 1 && !w.info.Types[c.Args[0]].IsNil() {
			w.create(n) // of a pointer, too: it points to what was made as another type
		}
		return
	case tv.IsBuiltin():
		w.flowCopy(c)
		return
	}
	if _, ok := fun.(*ast.FuncLit); ok {
		w.count(graph.TierCompiler) // the edge is made where the literal is met
		w.flowArgs(tv.Type, c)
		return
	}
	id, sel := calleeName(w.uninstantiated(fun))
	if id == nil {
		w.callValue(c, fun, tv, "")
		return
	}
	switch obj := w.info.Uses[id].(type) {
	case *types.Func:
		w.callee[id] = true
		w.callFunc(c, id, sel, obj)
	case *types.Var:
		w.callValue(c, fun, tv, id.Name)
	case nil:
		w.lost(fun)
	default:
		w.callValue(c, fun, tv, id.Name)
	}
}

// uninstantiated takes the type arguments off a generic function.
func (w *walker) uninstantiated(fun ast.Expr) ast.Expr {
	x := fun
	switch e := fun.(type) {
	case *ast.IndexExpr:
		x = e.X
	case *ast.IndexListExpr:
		x = e.X
	}
	if id, _ := calleeName(x); id != nil {
		if _, ok := w.info.Uses[id].(*types.Func); ok {
			return x
		}
	}
	return fun
}

// calleeName is the identifier that a called expression ends in, and the
// selector around it.
func calleeName(fun ast.Expr) (*ast.Ident, *ast.SelectorExpr) {
	switch x := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return x, nil
	case *ast.SelectorExpr:
		return x.Sel, x
	}
	return nil, nil
}

// callFunc resolves a call of a declared function or method. A method of an
// interface is only referred to: what runs is a method that implements it.
func (w *walker) callFunc(c *ast.CallExpr, id *ast.Ident, sel *ast.SelectorExpr, fn *types.Func) {
	sig := fn.Signature()
	line := w.file.line(id.Pos())
	recv := sig.Recv()
	abstract := recv != nil && types.IsInterface(recv.Type())
	to, inTree := w.target(fn)
	if inTree {
		kind := graph.EdgeCall
		if abstract {
			kind = graph.EdgeReference
		}
		w.edgeTo(w.from, to, kind, graph.TierCompiler, line, id.Name)
		w.flowArgs(fn.Origin().Signature(), c)
		if recv == nil {
			w.holdArgs(fn.Origin().Signature(), c)
		}
	}
	switch {
	case abstract:
		a := abstractCall{
			site: w.site(line), iface: w.shapeOf(w.rec, w.interfaceOf(sel, recv.Type())), method: fn.Id(), inTree: inTree,
		}
		w.receiver(sel, &a.recv)
		w.rec.abstract = append(w.rec.abstract, a)
	case inTree:
		w.count(graph.TierCompiler)
	default:
		w.count(countExternal)
		w.handOverArgs(sig, c)
	}
}

// interfaceOf is the interface through which a method is called: the one
// selected from, which may ask for more than the one that declares the method.
func (w *walker) interfaceOf(sel *ast.SelectorExpr, declared types.Type) types.Type {
	s := w.info.Selections[sel]
	if s == nil {
		return declared
	}
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		st, ok := structOf(t)
		if !ok || i >= st.NumFields() {
			return declared
		}
		t = st.Field(i).Type()
	}
	if types.IsInterface(t) {
		return t
	}
	return declared
}

// callValue notes the call of a function value.
func (w *walker) callValue(c *ast.CallExpr, fun ast.Expr, tv types.TypeAndValue, name string) {
	if tv.Type == nil || tv.Type == types.Typ[types.Invalid] {
		w.lost(fun)
		return
	}
	var src sources
	w.sources(fun, &src, 0)
	w.flowArgs(tv.Type, c)
	if len(src.funcs) == 0 && len(src.vars) == 0 && src.outside {
		w.count(countExternal)
		return
	}
	w.rec.dynamic = append(w.rec.dynamic, dynamicCall{
		site: w.site(w.file.line(fun.End() - 1)), name: name, src: src,
	})
}

// lost counts a call of something that has no type. If a stand-in took the type
// away, the call leaves the tree as far as anyone can tell.
func (w *walker) lost(fun ast.Expr) {
	id, _ := calleeName(fun)
	if w.unit.tainted && (id == nil || !w.unit.lost[id.Pos()]) {
		w.count(countExternal)
		return
	}
	w.count(countUnresolved)
}
