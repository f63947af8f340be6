package golang

import (
	"go/ast"
	"go/types"

	"github.com/previdence/previdence/graph"
)

// A value of the tree that is handed to code outside it, as an interface that
// is declared there, will be called back through it: http.Handler, sort.Interface.
// The call itself lies outside, so whoever hands the value over refers to the
// methods that it may be called by.

// handOverArgs looks at the arguments of a call that leaves the tree.
func (w *walker) handOverArgs(sig *types.Signature, c *ast.CallExpr) {
	for i, a := range c.Args {
		if t := paramType(sig, i); t != nil {
			w.handOver(t, a)
		}
	}
}

// handOver refers to the methods by which x may be called as a value of type t.
func (w *walker) handOver(t types.Type, x ast.Expr) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || w.owns(named.Obj()) {
		return
	}
	iface, ok := named.Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 {
		return
	}
	got := w.info.TypeOf(x)
	if n := namedOf(got); n == nil || types.IsInterface(n) || !w.owns(n.Obj()) {
		return
	}
	for want := range iface.Methods() {
		obj, _, _ := types.LookupFieldOrMethod(got, true, want.Pkg(), want.Name())
		fn, ok := obj.(*types.Func)
		if !ok {
			continue
		}
		if to, ok := w.target(fn); ok {
			w.edgeTo(w.from, to, graph.EdgeReference, graph.TierDispatch, w.file.line(x.Pos()), fn.Name())
		}
	}
}
