package golang

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/previdence/previdence/graph"
)

// References are what a linker without types works on. Expressions are held by
// value: what a name of a function stands for is written in its place, so that the
// linker meets names of files, packages and the language alone. A value and its
// type are one expression, as are a pointer and what it points to, since both lead
// to the same members:
//
//	ExprName          a name of the file, the package or the language
//	ExprMember        Base.Name; without Base a member of something unknown; a number is the place of a field
//	ExprCall          what Base(Args[0], …) gives; Name is the place of the result, if it is not the first
//	ExprIndex         Base[…]: an element, or an instance of what is generic
//	ExprElement       an element of Base, what ranging over it or receiving from it yields; with Name the first of two
//	ExprTypeOf        a variable of a function with the type Base, where it is called
//	ExprList          a slice or array of Args[0], or with the name "chan" a channel
//	ExprDict          a map from Args[0] to Args[1]
//	ExprTuple         several results
//	ExprFunctionType  a function with the result Base
//	ExprObjectType    a struct or interface without a name
//
// [graph.SymbolFact] has in Result what a function gives, the type of a variable or
// field, and what a type that is neither struct nor interface is made of; in Bases
// what a struct or interface embeds. A key of a composite literal is a member, with
// the name, if it is none of the function, in [graph.Ref.Args] in case that the
// literal is none of a struct; a call has the number of its arguments there.

// predeclared are the types and constants of the language. A package that declares
// one anew is not believed: no program does.
var predeclared = map[string]bool{
	"any": true, "bool": true, "byte": true, "comparable": true, "complex64": true, "complex128": true, "error": true,
	"float32": true, "float64": true, "int": true, "int8": true, "int16": true, "int32": true, "int64": true,
	"rune": true, "string": true, "uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true,
	"uintptr": true, "true": true, "false": true, "iota": true, "nil": true,
}

// A referrer reads what the declarations of a file refer to.
type referrer struct {
	*builder
	pool
	locals
	symbols map[int32]int32 // by the byte of their name
	from    int32           // the symbol that is read
}

// references reads the references of a file whose declarations are known.
func (b *builder) references() {
	r := &referrer{builder: b, symbols: make(map[int32]int32, len(b.facts.Symbols))}
	for i := range b.facts.Symbols {
		if i > 0 {
			r.symbols[b.facts.Symbols[i].NameAt] = int32(i)
		}
	}
	for _, d := range b.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			r.function(d)
		case *ast.GenDecl:
			r.declaration(d)
		}
	}
	b.facts.Exprs = r.exprs
}

// symbol is the symbol whose name stands at p; the file if there is none.
func (r *referrer) symbol(p token.Pos) int32 { return r.symbols[r.offset(p)] }

func (r *referrer) fact(i int32) *graph.SymbolFact { return &r.facts.Symbols[i] }

// refer notes a reference of the symbol that is read.
func (r *referrer) refer(kind graph.EdgeKind, expr int32, at token.Pos) *graph.Ref {
	r.facts.Refs = append(r.facts.Refs, graph.Ref{Kind: kind, Expr: expr, From: r.from, Line: r.line(at), Args: graph.None})
	return &r.facts.Refs[len(r.facts.Refs)-1]
}

func (r *referrer) function(d *ast.FuncDecl) {
	r.from = r.symbol(d.Name.Pos())
	defer r.close(r.open())
	var receiver []local
	if d.Recv != nil {
		receiver = r.receiver(d.Recv)
	}
	result := r.signature(d.Type, receiver...)
	if r.from != 0 {
		r.fact(r.from).Result = result
	}
	if d.Body != nil {
		r.block(d.Body)
	}
}

// receiver declares the names that a receiver gives to type parameters, and returns its
// own.
func (r *referrer) receiver(recv *ast.FieldList) []local {
	for _, f := range recv.List {
		for _, arg := range typeArguments(f.Type) {
			if id, ok := arg.(*ast.Ident); ok {
				r.declare(id.Name, graph.None)
			}
		}
	}
	names, _ := r.fields(recv, nil)
	return names
}

// typeArguments are the arguments of a type that may be pointed to.
func typeArguments(x ast.Expr) []ast.Expr {
	switch t := x.(type) {
	case *ast.ParenExpr:
		return typeArguments(t.X)
	case *ast.StarExpr:
		return typeArguments(t.X)
	case *ast.IndexExpr:
		return []ast.Expr{t.Index}
	case *ast.IndexListExpr:
		return t.Indices
	}
	return nil
}

// signature declares type parameters, and then, since a parameter may be called like
// the package of the next one's type, some names, parameters and results together. It
// returns the result.
func (r *referrer) signature(t *ast.FuncType, names ...local) int32 {
	r.typeParams(t.TypeParams)
	names, _ = r.fields(t.Params, names)
	names, results := r.fields(t.Results, names)
	r.names = append(r.names, names...)
	switch len(results) {
	case 0:
		return graph.None
	case 1:
		return results[0]
	}
	return r.put(graph.ExprTuple, "", graph.None, results...)
}

// typeParams declares type parameters: a value of one has the members of its
// constraint.
func (r *referrer) typeParams(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List { // each may be named in the constraint of another
		for _, name := range f.Names {
			r.declare(name.Name, graph.None)
		}
	}
	for _, f := range list.List {
		constraint := r.expr(f.Type)
		for _, name := range f.Names {
			r.declare(name.Name, constraint)
		}
	}
}

// fields adds parameters or results to names and returns the type of each.
func (r *referrer) fields(list *ast.FieldList, names []local) ([]local, []int32) {
	if list == nil {
		return names, nil
	}
	var types []int32
	for _, f := range list.List {
		t := r.expr(f.Type)
		for _, name := range f.Names {
			names = append(names, local{name.Name, t})
			types = append(types, t)
		}
		if len(f.Names) == 0 {
			types = append(types, t)
		}
	}
	return names, types
}

// declaration reads a declaration of the package.
func (r *referrer) declaration(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			r.values(spec)
		case *ast.TypeSpec:
			r.typeSpec(spec)
		}
	}
}

// values reads constants or variables: each value belongs to its own name if they
// pair up, else to the first.
func (r *referrer) values(spec *ast.ValueSpec) {
	if len(spec.Names) == 0 {
		return
	}
	kept := r.kept(spec.Names)
	if spec.Type != nil {
		for i, name := range spec.Names {
			r.from = r.symbol(name.Pos())
			kept[i] = r.expr(spec.Type)
		}
	}
	for i, v := range spec.Values {
		name := spec.Names[0]
		if len(spec.Names) == len(spec.Values) {
			name = spec.Names[i]
		}
		r.from = r.symbol(name.Pos())
		value := r.expr(v)
		if spec.Type == nil {
			r.assignTo(kept, i, value, len(spec.Values))
		}
	}
	for i, name := range spec.Names {
		if s := r.symbol(name.Pos()); s != 0 {
			r.fact(s).Result = kept[i]
		}
	}
}

// kept is a value for each of some names, none yet.
func (r *referrer) kept(names []*ast.Ident) []int32 {
	out := make([]int32, len(names))
	for i := range out {
		out[i] = graph.None
	}
	return out
}

// assignTo gives the i-th of n values to its name, or the results of the only one
// to all.
func (r *referrer) assignTo(kept []int32, i int, value int32, n int) {
	switch {
	case n == len(kept):
		kept[i] = value
	case n == 1:
		for j := range kept {
			kept[j] = r.part(value, j)
		}
	}
}

// part is the i-th of the values that one expression gives. Only a call gives
// several of its own; the second of the others says whether there was one.
func (r *referrer) part(value int32, i int) int32 {
	switch {
	case i == 0 || value == graph.None:
		return value
	case r.exprs[value].Kind == graph.ExprCall:
		call := r.exprs[value]
		return r.put(graph.ExprCall, strconv.Itoa(i), call.Base, call.Args...)
	}
	return graph.None
}

// typeSpec reads a type of the package: members speak for themselves.
func (r *referrer) typeSpec(spec *ast.TypeSpec) {
	owner := r.symbol(spec.Name.Pos())
	r.from = owner
	defer r.close(r.open())
	r.typeParams(spec.TypeParams)
	switch t := spec.Type.(type) {
	case *ast.StructType:
		r.members(owner, t.Fields)
	case *ast.InterfaceType:
		r.members(owner, t.Methods)
	default:
		if made := r.expr(spec.Type); owner != 0 {
			r.fact(owner).Result = made
		}
	}
}

func (r *referrer) members(owner int32, list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		r.from = owner
		if len(f.Names) == 0 {
			r.embedded(owner, f)
			continue
		}
		for _, name := range f.Names {
			r.from = r.symbol(name.Pos())
			r.member(f.Type)
		}
	}
}

// member reads the type of a field, or the signature of an interface's method.
func (r *referrer) member(t ast.Expr) {
	var result int32
	if fn, ok := t.(*ast.FuncType); ok && r.from != 0 && r.fact(r.from).Kind == graph.KindMethod {
		defer r.close(r.open())
		result = r.signature(fn)
	} else {
		result = r.expr(t)
	}
	if r.from != 0 {
		r.fact(r.from).Result = result
	}
}

// embedded reads what a struct or interface embeds: the type inherits from it, and
// a struct has a field of that name.
func (r *referrer) embedded(owner int32, f *ast.Field) {
	id := baseName(f.Type)
	if id == nil { // an element such as ~int | ~string
		r.expr(f.Type)
		return
	}
	if field := r.symbol(id.Pos()); field != 0 {
		r.from = field
	}
	t := r.expr(f.Type)
	if t == graph.None || owner == 0 {
		return
	}
	if r.from != owner {
		r.fact(r.from).Result = t
	}
	s := r.fact(owner)
	s.Bases = append(s.Bases, t)
	r.from = owner
	r.refer(graph.EdgeInherit, t, f.Type.Pos())
}
