package golang

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A method can be called through an interface only if somewhere a value of its
// type becomes an interface. The places where that happens are noted here, each
// with the symbol that holds it; live.go finds out which of them ever run.

// convert notes that a value of type from becomes one of type to. What a
// stand-in took the type away from may be an interface.
func (w *walker) convert(to, from types.Type) {
	if from == nil || !mayBeInterface(to) || mayBeInterface(from) || !w.mayConvert(from) {
		return
	}
	for _, name := range w.reachedBy(w.rec, from) {
		if s := w.rec.converted[name]; len(s) == 0 || s[len(s)-1] != w.from {
			w.rec.converted[name] = append(s, w.from)
		}
	}
}

func mayBeInterface(t types.Type) bool {
	if t == nil {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Basic:
		return u.Kind() == types.Invalid
	}
	return false
}

// mayConvert leaves out what cannot hold a type of the tree.
func (b *build) mayConvert(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return false
	case *types.Pointer:
		return b.mayConvert(t.Elem())
	case *types.Slice:
		return b.mayConvert(t.Elem())
	case *types.Named:
		return b.owns(t.Obj()) || t.TypeArgs().Len() > 0
	}
	return true
}

// convertEach does it for the values of x, which may be several results, and
// the types that at gives for their places.
func (w *walker) convertEach(list []ast.Expr, at func(i int) types.Type) {
	if len(list) == 1 {
		if tuple, ok := w.info.TypeOf(list[0]).(*types.Tuple); ok {
			for i := range tuple.Len() {
				w.convert(at(i), tuple.At(i).Type())
			}
			return
		}
	}
	for i, x := range list {
		w.convert(at(i), w.info.TypeOf(x))
	}
}

// convertCall looks at the arguments of calls and of conversions.
func (w *walker) convertCall(c *ast.CallExpr) {
	tv := w.info.Types[ast.Unparen(c.Fun)]
	if tv.IsType() {
		w.convertEach(c.Args, func(int) types.Type { return tv.Type })
		return
	}
	var sig *types.Signature
	if tv.Type != nil {
		sig, _ = tv.Type.Underlying().(*types.Signature)
	}
	w.convertEach(c.Args, func(i int) types.Type {
		switch {
		case sig == nil:
			return nil
		case c.Ellipsis.IsValid() && i == sig.Params().Len()-1:
			return sig.Params().At(i).Type()
		}
		return paramType(sig, i)
	})
}

func (w *walker) convertAssign(a *ast.AssignStmt) {
	if a.Tok != token.ASSIGN && a.Tok != token.DEFINE {
		return
	}
	w.convertEach(a.Rhs, func(i int) types.Type {
		if i >= len(a.Lhs) || isBlank(a.Lhs[i]) {
			return types.Typ[types.UnsafePointer] // nothing holds it
		}
		return w.info.TypeOf(a.Lhs[i])
	})
}

func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// convertSpec leaves out variables named "_": they check a type and hold nothing.
func (w *walker) convertSpec(spec *ast.ValueSpec) {
	if spec.Type == nil || len(spec.Names) == 1 && spec.Names[0].Name == "_" {
		return
	}
	t := w.info.TypeOf(spec.Type)
	w.convertEach(spec.Values, func(int) types.Type { return t })
}

func (w *walker) convertReturn(r *ast.ReturnStmt) {
	sig := w.signature()
	w.convertEach(r.Results, func(i int) types.Type {
		if sig == nil || i >= sig.Results().Len() {
			return nil
		}
		return sig.Results().At(i).Type()
	})
}

func (w *walker) convertElements(lit *ast.CompositeLit, t types.Type) {
	var key, elem types.Type
	fields, isStruct := t.Underlying().(*types.Struct)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		elem = u.Elem()
	case *types.Array:
		elem = u.Elem()
	case *types.Map:
		key, elem = u.Key(), u.Elem()
	}
	for i, e := range lit.Elts {
		to := elem
		if isStruct && i < fields.NumFields() {
			to = fields.Field(i).Type()
		}
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && isStruct {
				to = w.info.TypeOf(id)
			} else if key != nil {
				w.convert(key, w.info.TypeOf(kv.Key))
			}
			e = kv.Value
		}
		w.convert(to, w.info.TypeOf(e))
	}
}

func (w *walker) convertSend(s *ast.SendStmt) {
	if t := w.info.TypeOf(s.Chan); t != nil {
		if ch, ok := t.Underlying().(*types.Chan); ok {
			w.convert(ch.Elem(), w.info.TypeOf(s.Value))
		}
	}
}

// convertCompared looks at x == y and at m[x].
func (w *walker) convertCompared(n ast.Expr) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			x, y := w.info.TypeOf(n.X), w.info.TypeOf(n.Y)
			w.convert(x, y)
			w.convert(y, x)
		}
	case *ast.IndexExpr:
		if t := w.info.TypeOf(n.X); t != nil {
			if m, ok := t.Underlying().(*types.Map); ok {
				w.convert(m.Key(), w.info.TypeOf(n.Index))
			}
		}
	}
}

// convertInstance takes type arguments for converted: generic code calls their
// methods by the constraint, and may convert them itself.
func (w *walker) convertInstance(id *ast.Ident) {
	if inst, ok := w.info.Instances[id]; ok {
		for t := range inst.TypeArgs.Types() {
			w.convert(nil, t)
		}
	}
}
