package golang

import (
	"go/ast"
	"go/token"
	"strconv"
)

// maxWeight bounds the work that go/types may be given to look for types that
// contain themselves: it walks every path through the types that a type holds
// by value, and a few dozen lines of hostile source have more paths than a
// machine can walk. The largest weight in Go's own source is 1,026.
const maxWeight = 1 << 20

// A weigher counts the paths through the types of one package.
type weigher struct {
	of      func(imp string) map[string]int // weights of what another package of the tree declares
	forms   map[string][]ast.Expr           // what a name is declared as, wherever that is
	imports map[string]string               // local name → import path
	weights map[string]int                  // 0 while it is counted
}

// weigh notes the weights of the types that the files declare and reports
// whether the type checker can bear them.
func (u *unit) weigh(files []*ast.File) bool {
	if u.weights == nil {
		u.weights = map[string]int{}
	}
	return weigh(files, u.weights, func(imp string) map[string]int {
		if s := u.imports[imp]; s.unit != nil && s.unit != u {
			return s.unit.weights
		}
		return nil
	})
}

// weigh adds the weights of the types that the files declare, and reports whether
// the type checker can bear them.
func weigh(files []*ast.File, weights map[string]int, of func(imp string) map[string]int) bool {
	w := &weigher{of: of, forms: map[string][]ast.Expr{}, imports: map[string]string{}, weights: weights}
	for _, f := range files {
		for _, spec := range f.Imports {
			if imp, err := strconv.Unquote(spec.Path.Value); err == nil {
				name := guessName(imp)
				if spec.Name != nil {
					name = spec.Name.Name
				}
				w.imports[name] = imp
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if t, ok := n.(*ast.TypeSpec); ok && t.Type != nil {
				w.forms[t.Name.Name] = append(w.forms[t.Name.Name], t.Type)
			}
			return true
		})
	}
	ok := true
	for _, name := range sortedKeys(w.forms) {
		ok = w.name(name) < maxWeight && ok
	}
	return ok
}

// name is the weight of a declared type, 1 for a name that is none.
func (w *weigher) name(name string) int {
	if n, ok := w.weights[name]; ok {
		return max(n, 1)
	}
	w.weights[name] = 0
	n := 1
	for _, form := range w.forms[name] {
		n = max(n, 1+w.expr(form))
	}
	w.weights[name] = min(n, maxWeight)
	return w.weights[name]
}

// expr is the weight of what a type expression holds by value.
func (w *weigher) expr(x ast.Expr) int {
	n := 1
	switch x := x.(type) {
	case *ast.Ident:
		n = w.name(x.Name)
	case *ast.ParenExpr:
		n = w.expr(x.X)
	case *ast.ArrayType:
		if x.Len != nil {
			n = w.expr(x.Elt)
		}
	case *ast.StructType:
		n = w.fields(x.Fields)
	case *ast.InterfaceType:
		n = w.fields(x.Methods)
	case *ast.IndexExpr:
		n = w.expr(x.X) + w.expr(x.Index)
	case *ast.IndexListExpr:
		n = w.expr(x.X)
		for _, a := range x.Indices {
			n = min(n+w.expr(a), maxWeight)
		}
	case *ast.BinaryExpr:
		n = w.expr(x.X) + w.expr(x.Y)
	case *ast.UnaryExpr:
		if x.Op == token.TILDE {
			n = w.expr(x.X)
		}
	case *ast.SelectorExpr:
		if pkg, ok := x.X.(*ast.Ident); ok {
			n = max(w.of(w.imports[pkg.Name])[x.Sel.Name], 1)
		}
	}
	return min(n, maxWeight)
}

func (w *weigher) fields(list *ast.FieldList) int {
	n := 1
	if list == nil {
		return n
	}
	for _, f := range list.List {
		n = min(n+w.expr(f.Type)*max(len(f.Names), 1), maxWeight)
	}
	return n
}
