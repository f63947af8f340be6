package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/previdence/previdence/graph"
)

// An edgeKey is an edge without its lines.
type edgeKey struct {
	from, to int32
	kind     graph.EdgeKind
	tier     graph.Tier
}

// A record is what has been found so far in the step of a unit that is walked.
// Calls whose targets depend on the whole tree are kept until all units are
// checked.
type record struct {
	edges      map[edgeKey][]int32
	unresolved []graph.Unresolved
	counts     graph.Counts
	abstract   []abstractCall
	dynamic    []dynamicCall
	flows      []flow
	typeFlows  []typeFlow
	created    map[string]bool    // the types that a value may have
	converted  map[string][]int32 // the types that become interfaces, and the symbols that do it
	shapes     map[string]shape
	names      map[types.Type]string
	reached    map[types.Type][]string
}

func newRecord() *record {
	return &record{
		edges: map[edgeKey][]int32{}, created: map[string]bool{}, converted: map[string][]int32{},
		shapes: map[string]shape{}, names: map[types.Type]string{}, reached: map[types.Type][]string{},
	}
}

func (r *record) edge(from, to int32, kind graph.EdgeKind, tier graph.Tier, line int32) {
	k := edgeKey{from, to, kind, tier}
	if lines := r.edges[k]; len(lines) == 0 || lines[len(lines)-1] != line {
		r.edges[k] = append(lines, line)
	}
}

// What may become of a call beside being resolved at some tier.
const (
	countExternal   graph.Tier = 254
	countUnresolved graph.Tier = 255
)

// count counts a call, once for all platforms.
func (s site) count(c *graph.Counts, as graph.Tier) {
	switch {
	case s.again:
	case as == countExternal:
		c.External++
	case as == countUnresolved:
		c.Unresolved++
	default:
		c.Add(as)
	}
}

func (w *walker) count(as graph.Tier) { site{again: w.again}.count(&w.rec.counts, as) }

// A walker reads one checked file.
type walker struct {
	*build
	unit   *unit
	file   *file
	info   *types.Info
	rec    *record
	again  bool // another platform has linked this file before
	from   int32
	stack  []ast.Node
	callee map[*ast.Ident]bool // names that a call has dealt with
	recv   bool                // inside a receiver
	inside []int32             // the function literals around the current node, outermost first
}

func newWalker(b *build, u *unit, f *file) *walker {
	return &walker{build: b, unit: u, file: f, info: u.info, rec: u.rec, again: b.platforms[f.path] != nil, callee: map[*ast.Ident]bool{}}
}

// walk reads the declarations of the file, each on behalf of its symbol.
func (w *walker) walk() {
	w.imports()
	for _, d := range w.file.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			w.function(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					w.values(spec)
				case *ast.TypeSpec:
					w.typeSpec(spec)
				}
			}
		}
	}
}

// symbolAt is the symbol whose name stands at p; if there is none, the file.
func (w *walker) symbolAt(p token.Pos) int32 {
	if s, ok := w.unit.symbols[p]; ok {
		return s
	}
	return w.file.symbol()
}

func (w *walker) imports() {
	for _, spec := range w.file.syntax.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		s, line := w.unit.imports[imp], w.file.line(spec.Path.Pos())
		switch {
		case s.unit != nil:
			if to, ok := w.packages[s.unit.dir]; ok {
				w.rec.edge(w.file.symbol(), to, graph.EdgeImport, graph.TierCompiler, line)
			}
		case s.missing != "":
			w.missingPackage(imp, s.missing, line)
		}
	}
}

func (w *walker) function(d *ast.FuncDecl) {
	w.from = w.symbolAt(d.Name.Pos())
	w.openFunc(d)
	if d.Recv != nil {
		w.recv = true
		w.inspect(d.Recv)
		w.recv = false
	}
	if d.Type.TypeParams != nil {
		w.inspect(d.Type.TypeParams)
	}
	w.inspect(d.Type.Params)
	if d.Type.Results != nil {
		w.inspect(d.Type.Results)
	}
	if d.Body != nil {
		w.stack = append(w.stack, d)
		w.inspect(d.Body)
		w.stack = w.stack[:0]
	}
}

// values reads constants and variables: each value belongs to its own name if
// they pair up, else to the first.
func (w *walker) values(spec *ast.ValueSpec) {
	if len(spec.Names) == 0 {
		return
	}
	if spec.Type != nil {
		for _, name := range spec.Names {
			w.from = w.symbolAt(name.Pos())
			w.inspect(spec.Type)
		}
	}
	for i, v := range spec.Values {
		name := spec.Names[0]
		if len(spec.Names) == len(spec.Values) {
			name = spec.Names[i]
		}
		w.from = w.symbolAt(name.Pos())
		w.inspect(v)
	}
	w.flowSpec(spec)
	w.holdSpec(spec)
	w.convertSpec(spec)
}

// typeSpec reads a type: members speak for themselves, embedded types are
// inherited from.
func (w *walker) typeSpec(spec *ast.TypeSpec) {
	owner := w.symbolAt(spec.Name.Pos())
	w.from = owner
	if spec.TypeParams != nil {
		w.inspect(spec.TypeParams)
	}
	var members *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		members = t.Fields
	case *ast.InterfaceType:
		members = t.Methods
	default:
		w.inspect(spec.Type)
		return
	}
	for _, f := range members.List {
		w.from = owner
		if len(f.Names) == 0 {
			w.embedded(owner, f)
			continue
		}
		for _, name := range f.Names {
			w.from = w.symbolAt(name.Pos())
			w.inspect(f.Type)
		}
	}
}

func (w *walker) embedded(owner int32, f *ast.Field) {
	if id := typeName(f.Type); id != nil {
		if s, ok := w.unit.symbols[id.Pos()]; ok {
			w.from = s // the field that embedding makes
		}
		if obj := w.info.Uses[id]; obj != nil {
			if to, ok := w.target(obj); ok {
				w.edgeTo(owner, to, graph.EdgeInherit, graph.TierCompiler, w.file.line(id.Pos()), obj.Name())
			}
		}
	}
	w.inspect(f.Type)
}

// typeName is the identifier that names a type, without pointers, arguments
// and package.
func typeName(x ast.Expr) *ast.Ident {
	switch t := ast.Unparen(x).(type) {
	case *ast.Ident:
		return t
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.IndexListExpr:
		return typeName(t.X)
	case *ast.SelectorExpr:
		return t.Sel
	}
	return nil
}

// inspect visits a subtree with the stack of nodes above each node.
func (w *walker) inspect(n ast.Node) {
	depth := len(w.stack)
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			w.leave()
			return false
		}
		w.visit(n)
		w.stack = append(w.stack, n)
		return true
	})
	w.stack = w.stack[:depth]
}

func (w *walker) leave() {
	last := len(w.stack) - 1
	if _, ok := w.stack[last].(*ast.FuncLit); ok {
		w.inside = w.inside[:len(w.inside)-1]
	}
	w.stack = w.stack[:last]
}

func (w *walker) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncLit:
		w.funcLit(n)
		w.openLit(n)
	case *ast.CallExpr:
		w.call(n)
		w.convertCall(n)
	case *ast.CompositeLit:
		w.composite(n)
	case *ast.SelectorExpr:
		w.implicitFields(n)
	case *ast.AssignStmt:
		w.flowAssign(n)
		w.holdAssign(n)
		w.convertAssign(n)
	case *ast.ReturnStmt:
		w.flowReturn(n)
		w.holdReturn(n)
		w.convertReturn(n)
	case *ast.SendStmt:
		w.flow(n.Chan, n.Value)
		w.convertSend(n)
	case *ast.RangeStmt:
		w.flowRange(n)
		w.holdRange(n)
	case *ast.CaseClause:
		w.holdClause(n)
	case *ast.ValueSpec:
		w.flowSpec(n)
		w.holdSpec(n)
		w.convertSpec(n)
	case *ast.UnaryExpr:
		w.holdAddress(n)
	case *ast.BinaryExpr:
		w.convertCompared(n)
	case *ast.IndexExpr:
		w.convertCompared(n)
	case *ast.Ident:
		w.name(n)
		w.convertInstance(n)
	}
}

// name makes a reference of an identifier that stands for a symbol.
func (w *walker) name(id *ast.Ident) {
	obj := w.info.Uses[id]
	if obj == nil {
		return
	}
	if tn, ok := obj.(*types.TypeName); ok {
		w.noteCreated(id, tn)
	}
	if w.callee[id] {
		return
	}
	if fn, ok := obj.(*types.Func); ok {
		w.openAll(fn.Origin().Signature().Params()) // whoever has the value may call it
	}
	if to, ok := w.target(obj); ok {
		w.edgeTo(w.from, to, graph.EdgeReference, graph.TierCompiler, w.file.line(id.Pos()), id.Name)
	}
}

// target is the symbol of an object, if it lies in the tree. Instances of
// generic functions, methods and fields lead to what they are made from.
func (b *build) target(obj types.Object) (int32, bool) {
	switch o := obj.(type) {
	case *types.Func:
		obj = o.Origin()
	case *types.Var:
		obj = o.Origin()
	}
	u := b.owner[obj.Pkg()]
	if u == nil {
		return 0, false
	}
	s, ok := u.symbols[obj.Pos()]
	return s, ok
}

// edgeTo makes an edge, unless it would lead to a test from outside that test:
// the go command does not build such a program.
func (w *walker) edgeTo(from, to int32, kind graph.EdgeKind, tier graph.Tier, line int32, name string) {
	if w.testOnly[to] && !w.mayUseTest(to) {
		w.rec.unresolved = append(w.rec.unresolved, graph.Unresolved{
			From: from, Line: line, Kind: kind, Name: name, In: w.dirOf(to), Broken: true, Reason: reasonTestOnly,
		})
		return
	}
	if from == to && kind == graph.EdgeReference {
		return
	}
	w.rec.edge(from, to, kind, tier, line)
	if in := w.literal(); in != graph.None && from == w.from {
		w.rec.edge(in, to, kind, tier, line)
	}
}

// mayUseTest reports whether this file may refer to a symbol of a test file:
// it must be a test of the same directory.
func (w *walker) mayUseTest(to int32) bool { return w.file.test && w.dirOf(to) == w.file.dir }

func (b *build) dirOf(symbol int32) string { return dirOf(b.in.Symbols[symbol].Path) }

// implicitFields refers to the embedded fields that a selector passes through.
func (w *walker) implicitFields(sel *ast.SelectorExpr) {
	s := w.info.Selections[sel]
	if s == nil || len(s.Index()) < 2 {
		return
	}
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		st, ok := structOf(t)
		if !ok || i >= st.NumFields() {
			return
		}
		f := st.Field(i)
		if to, ok := w.target(f); ok {
			w.edgeTo(w.from, to, graph.EdgeReference, graph.TierCompiler, w.file.line(sel.Sel.Pos()), f.Name())
		}
		t = f.Type()
	}
}

func structOf(t types.Type) (*types.Struct, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}

// composite notes the type that a composite literal creates and refers to the
// fields that it sets without naming them.
func (w *walker) composite(lit *ast.CompositeLit) {
	t := w.info.Types[lit].Type
	if t == nil {
		return
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem() // &T left out inside a slice or map
	}
	w.create(t)
	w.convertElements(lit, t)
	st, ok := structOf(t)
	if !ok {
		return
	}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				if v, ok := w.info.Uses[id].(*types.Var); ok {
					w.flowVar(v, kv.Value)
					w.handOver(v.Type(), kv.Value)
				}
			}
			continue
		}
		if i >= st.NumFields() {
			return
		}
		f := st.Field(i)
		if to, ok := w.target(f); ok {
			w.edgeTo(w.from, to, graph.EdgeReference, graph.TierCompiler, w.file.line(e.Pos()), f.Name())
		}
		w.flowVar(f, e)
	}
}

// noteCreated notes a type that is mentioned where a value of it may come into
// being. A pointer to it, a receiver, an assertion or a type switch makes none.
func (w *walker) noteCreated(id *ast.Ident, tn *types.TypeName) {
	if w.recv || tn.IsAlias() && tn.Pkg() == nil {
		return
	}
	t := tn.Type()
	if inst, ok := w.info.Instances[id]; ok {
		t = inst.Type
	}
	i := len(w.stack) - 1
	child := ast.Node(id)
	for ; i >= 0; i-- {
		switch n := w.stack[i].(type) {
		case *ast.SelectorExpr:
		case *ast.ParenExpr:
		case *ast.IndexExpr:
			if n.X != child {
				w.create(t)
				return
			}
		case *ast.IndexListExpr:
			if n.X != child {
				w.create(t)
				return
			}
		case *ast.StarExpr, *ast.TypeAssertExpr, *ast.CaseClause:
			return
		default:
			w.create(t)
			return
		}
		child = w.stack[i]
	}
	w.create(t)
}

// create notes a concrete named type.
func (w *walker) create(t types.Type) {
	if n, ok := types.Unalias(t).(*types.Named); ok && !types.IsInterface(n) && w.owns(n.Obj()) {
		w.rec.created[w.shapeOf(w.rec, n)] = true
	}
}

// owns reports whether an object is declared in the tree.
func (b *build) owns(obj types.Object) bool {
	return b.owner[obj.Pkg()] != nil
}
