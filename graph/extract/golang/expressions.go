package golang

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/previdence/previdence/graph"
)

// expr reads an expression or type: it notes what is referred to and returns what
// the whole stands for, or None.
func (r *referrer) expr(x ast.Expr) int32 {
	switch x := x.(type) {
	case *ast.Ident:
		return r.name(x, graph.EdgeReference)
	case *ast.SelectorExpr:
		return r.selector(x, graph.EdgeReference)
	case *ast.CallExpr:
		return r.call(x)
	case *ast.BasicLit:
		return r.literalType(x)
	case *ast.CompositeLit:
		return r.composite(x, graph.None)
	case *ast.FuncLit:
		return r.literalFunc(x, graph.EdgeReference)
	case *ast.ParenExpr:
		return r.expr(x.X)
	case *ast.StarExpr:
		return r.expr(x.X)
	case *ast.UnaryExpr:
		return r.unary(x)
	case *ast.BinaryExpr:
		return r.binary(x)
	case *ast.IndexExpr:
		kind := r.indexKind(x.X)
		base := r.expr(x.X)
		r.expr(x.Index)
		return r.wrap(kind, base)
	case *ast.IndexListExpr:
		base := r.expr(x.X)
		for _, i := range x.Indices {
			r.expr(i)
		}
		return r.wrap(graph.ExprIndex, base)
	case *ast.SliceExpr:
		base := r.expr(x.X)
		r.expr(x.Low)
		r.expr(x.High)
		r.expr(x.Max)
		return base
	case *ast.TypeAssertExpr:
		return r.assertion(x)
	case *ast.KeyValueExpr:
		r.expr(x.Key)
		return r.expr(x.Value)
	}
	return r.typeExpr(x)
}

// typeExpr reads what can only be a type.
func (r *referrer) typeExpr(x ast.Expr) int32 {
	switch x := x.(type) {
	case *ast.ArrayType:
		r.expr(x.Len)
		return r.list(x.Elt)
	case *ast.ChanType:
		return r.put(graph.ExprList, "chan", graph.None, r.expr(x.Value))
	case *ast.Ellipsis:
		if x.Elt == nil {
			return graph.None // the length of an array
		}
		return r.list(x.Elt)
	case *ast.MapType:
		return r.put(graph.ExprDict, "", graph.None, r.expr(x.Key), r.expr(x.Value))
	case *ast.FuncType:
		defer r.close(r.open())
		return r.put(graph.ExprFunctionType, "", r.signature(x))
	case *ast.StructType:
		return r.object(x.Fields)
	case *ast.InterfaceType:
		return r.object(x.Methods)
	}
	return graph.None
}

func (r *referrer) list(of ast.Expr) int32 {
	return r.put(graph.ExprList, "", graph.None, r.expr(of))
}

// object reads a struct or interface without a name.
func (r *referrer) object(members *ast.FieldList) int32 {
	if members != nil {
		for _, f := range members.List {
			r.expr(f.Type)
		}
	}
	return r.put(graph.ExprObjectType, "", graph.None)
}

// wrap makes an expression of another; of nothing it makes nothing.
func (r *referrer) wrap(kind graph.ExprKind, base int32) int32 {
	if base == graph.None {
		return graph.None
	}
	return r.put(kind, "", base)
}

// indexKind is an element of a value, or of something that may be generic.
func (r *referrer) indexKind(x ast.Expr) graph.ExprKind {
	if r.isValue(x) {
		return graph.ExprElement
	}
	return graph.ExprIndex
}

// name refers to what a name stands for, unless it is declared in the function.
func (r *referrer) name(id *ast.Ident, kind graph.EdgeKind) int32 {
	if id.Name == "_" {
		return graph.None
	}
	if value, ok := r.lookup(id.Name); ok {
		return value
	}
	e := r.put(graph.ExprName, id.Name, graph.None)
	if !predeclared[id.Name] {
		r.refer(kind, e, id.Pos())
	}
	return e
}

func (r *referrer) selector(x *ast.SelectorExpr, kind graph.EdgeKind) int32 {
	e := r.put(graph.ExprMember, x.Sel.Name, r.base(x.X))
	r.refer(kind, e, x.Sel.Pos())
	return e
}

// base reads what a member is selected from. The name of an import is not referred
// to by itself; whether a name is one, the linker knows.
func (r *referrer) base(x ast.Expr) int32 {
	id, ok := x.(*ast.Ident)
	if !ok {
		return r.expr(x)
	}
	return r.name(id, graph.EdgeReference)
}

func (r *referrer) call(c *ast.CallExpr) int32 {
	var callee int32
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		callee = r.calledName(fun, r.arguments(c, fun))
	case *ast.SelectorExpr:
		callee = r.selector(fun, graph.EdgeCall)
		r.facts.Refs[len(r.facts.Refs)-1].Args = r.arguments(c, fun)
	case *ast.FuncLit:
		callee = r.literalFunc(fun, graph.EdgeCall)
	case *ast.IndexExpr:
		callee = r.calledInstance(fun.X, []ast.Expr{fun.Index}, fun)
	case *ast.IndexListExpr:
		callee = r.calledInstance(fun.X, fun.Indices, fun)
	default:
		callee = r.expr(fun)
		r.calledValue(fun, callee)
	}
	first := graph.None
	for i, a := range c.Args {
		if v := r.expr(a); i == 0 {
			first = v
		}
	}
	if callee == graph.None {
		return graph.None
	}
	if k := r.exprs[callee].Kind; k == graph.ExprName && first != graph.None {
		return r.put(graph.ExprCall, "", callee, first) // new(T), append(list, …)
	}
	return r.put(graph.ExprCall, "", callee)
}

// arguments is the number of the arguments of a call; None if it is not known before
// the types are. An ExprOther may count the receiver of a method, as in T.Method(t).
func (r *referrer) arguments(c *ast.CallExpr, fun ast.Expr) int32 {
	if c.Ellipsis.IsValid() {
		return graph.None
	}
	if len(c.Args) == 1 {
		if _, ok := ast.Unparen(c.Args[0]).(*ast.CallExpr); ok {
			return graph.None // may give several
		}
	}
	kind := graph.ExprNumber
	if sel, ok := fun.(*ast.SelectorExpr); ok && !r.isValue(sel.X) {
		kind = graph.ExprOther
	}
	return r.put(kind, strconv.Itoa(len(c.Args)), graph.None)
}

// isValue reports whether an expression is certainly no type and no package.
func (r *referrer) isValue(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		value, local := r.lookup(x.Name)
		return local && (value == graph.None || !isTypeExpr(r.exprs[value].Kind))
	case *ast.SelectorExpr:
		return r.isValue(x.X)
	case *ast.ParenExpr:
		return r.isValue(x.X)
	case *ast.StarExpr:
		return r.isValue(x.X)
	case *ast.IndexExpr:
		return r.isValue(x.X)
	case *ast.CallExpr:
		return true
	}
	return false
}

// calledName calls a name: of a function, or of a variable that holds one.
func (r *referrer) calledName(id *ast.Ident, arguments int32) int32 {
	value, ok := r.lookup(id.Name)
	if !ok {
		n := len(r.facts.Refs)
		e := r.name(id, graph.EdgeCall)
		if len(r.facts.Refs) > n {
			r.facts.Refs[n].Args = arguments
		}
		return e
	}
	if value != graph.None && isTypeExpr(r.exprs[value].Kind) && r.exprs[value].Kind != graph.ExprFunctionType {
		return value // a type of the function
	}
	callee := r.wrap(graph.ExprTypeOf, value)
	r.refer(graph.EdgeCall, callee, id.Pos()).Name = id.Name
	return callee
}

// calledInstance calls an instance of a generic function, or an element.
func (r *referrer) calledInstance(fun ast.Expr, indices []ast.Expr, x ast.Expr) int32 {
	n := len(r.facts.Refs)
	base := r.expr(fun)
	if isNamed(fun) && len(r.facts.Refs) > n {
		r.facts.Refs = r.facts.Refs[:len(r.facts.Refs)-1] // the call refers to it
	}
	for _, i := range indices {
		r.expr(i)
	}
	callee := r.wrap(r.indexKind(fun), base)
	r.calledValue(x, callee)
	return callee
}

// isNamed reports whether what an expression refers to last is what it stands for.
func isNamed(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return true
	}
	return false
}

// calledValue notes the call of an expression without a name of its own, unless it
// is certainly a conversion.
func (r *referrer) calledValue(x ast.Expr, callee int32) {
	if callee != graph.None && isTypeExpr(r.exprs[callee].Kind) && r.exprs[callee].Kind != graph.ExprFunctionType {
		return
	}
	switch ast.Unparen(x).(type) {
	case *ast.ArrayType, *ast.ChanType, *ast.MapType, *ast.FuncType, *ast.InterfaceType, *ast.StructType, *ast.StarExpr:
		return
	}
	r.refer(graph.EdgeCall, callee, x.Pos())
}

// isTypeExpr reports whether an expression of this kind is written as a type.
func isTypeExpr(k graph.ExprKind) bool {
	switch k {
	case graph.ExprList, graph.ExprDict, graph.ExprFunctionType, graph.ExprObjectType:
		return true
	}
	return false
}

// literalFunc reads a function literal: what it does, the symbol around it does.
func (r *referrer) literalFunc(x *ast.FuncLit, kind graph.EdgeKind) int32 {
	if s, ok := r.symbols[r.offset(x.Pos())]; ok {
		r.refer(kind, r.literalSymbol(s), x.Pos())
	}
	defer r.close(r.open())
	result := r.signature(x.Type)
	r.block(x.Body)
	return r.put(graph.ExprFunctionType, "", result)
}

// literalSymbol is the expression that stands for a function literal itself.
func (r *referrer) literalSymbol(s int32) int32 {
	at := r.fresh(graph.ExprFunction, "", graph.None, nil)
	r.exprs[at].Symbol = s
	return at
}

func (r *referrer) literalType(x *ast.BasicLit) int32 {
	switch x.Kind {
	case token.STRING:
		return r.put(graph.ExprName, "string", graph.None)
	case token.INT:
		return r.put(graph.ExprName, "int", graph.None)
	}
	return graph.None
}

func (r *referrer) unary(x *ast.UnaryExpr) int32 {
	if lit, ok := x.X.(*ast.CompositeLit); ok && x.Op == token.AND {
		return r.composite(lit, graph.None)
	}
	v := r.expr(x.X)
	if x.Op == token.ARROW {
		return r.wrap(graph.ExprElement, v)
	}
	return v
}

// binary is of the type of its sides, of that which is no constant if one is.
func (r *referrer) binary(x *ast.BinaryExpr) int32 {
	left, right := r.expr(x.X), r.expr(x.Y)
	switch x.Op {
	case token.LAND, token.LOR, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return r.put(graph.ExprName, "bool", graph.None)
	case token.SHL, token.SHR:
		return left
	}
	if _, ok := x.X.(*ast.BasicLit); ok {
		return right
	}
	return left
}

func (r *referrer) assertion(x *ast.TypeAssertExpr) int32 {
	v := r.expr(x.X)
	if x.Type == nil {
		return v
	}
	return r.expr(x.Type)
}

// composite reads a composite literal; inside another its type may be left out.
func (r *referrer) composite(x *ast.CompositeLit, of int32) int32 {
	if x.Type != nil {
		of = r.expr(x.Type)
	}
	element := r.wrap(graph.ExprElement, of)
	for i, e := range x.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			r.place(i, of, e.Pos())
			r.element(e, element)
			continue
		}
		r.key(kv.Key, of)
		r.element(kv.Value, element)
	}
	return of
}

func (r *referrer) element(x ast.Expr, of int32) {
	if lit, ok := x.(*ast.CompositeLit); ok {
		r.composite(lit, of)
		return
	}
	r.expr(x)
}

// place refers to the field of a struct by its place.
func (r *referrer) place(i int, of int32, at token.Pos) {
	if of != graph.None && !isTypeExpr(r.exprs[of].Kind) {
		r.refer(graph.EdgeReference, r.put(graph.ExprMember, strconv.Itoa(i), of), at)
	}
}

// key refers to a field. If the literal is none of a struct, its key is a name like
// any other.
func (r *referrer) key(x ast.Expr, of int32) {
	id, ok := x.(*ast.Ident)
	if !ok || of != graph.None && isTypeExpr(r.exprs[of].Kind) && r.exprs[of].Kind != graph.ExprObjectType {
		keys := graph.None
		if of != graph.None {
			keys = r.put(graph.ExprElement, "0", of)
		}
		r.element(x, keys)
		return
	}
	ref := r.refer(graph.EdgeReference, r.put(graph.ExprMember, id.Name, of), id.Pos())
	ref.Args = r.put(graph.ExprOther, "", graph.None)
	if _, local := r.lookup(id.Name); !local && !predeclared[id.Name] {
		ref.Args = r.put(graph.ExprName, id.Name, graph.None)
	}
}
