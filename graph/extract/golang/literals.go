package golang

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"

	"github.com/previdence/previdence/graph"
)

// literals makes the symbols of the function literals in n, which belongs to
// owner. A literal is called like what it is put into, so that another literal
// before it does not change its identity: newCommand.Run; one that is put into
// nothing with a name counts: main.func1.
func (b *builder) literals(owner int32, n ast.Node) {
	if !b.mentionsFunc(n) {
		return
	}
	nameless := 0
	var above []ast.Node
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return false
		}
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			above = append(above, n)
			return true
		}
		name := ""
		if len(above) > 0 {
			name = boundName(above[len(above)-1], lit)
		}
		if name == "" {
			nameless++
			name = "func" + strconv.Itoa(nameless)
		}
		b.literals(b.literal(owner, name, lit), lit.Body)
		return false
	})
}

// mentionsFunc spares most bodies the search.
func (b *builder) mentionsFunc(n ast.Node) bool {
	return slices.ContainsFunc(b.within(b.span(n)), func(l lexeme) bool { return l.tok == token.FUNC })
}

func (b *builder) literal(owner int32, name string, lit *ast.FuncLit) int32 {
	p := b.span(lit)
	b.facts.Symbols = append(b.facts.Symbols, graph.SymbolFact{
		Name: name, Kind: graph.KindLiteral, Parent: owner, Start: p.from, End: max(p.from, p.to), NameAt: p.from,
		Line: b.line(lit.Pos()), EndLine: b.line(lit.End()), Result: graph.None, Scope: graph.None,
		Signature: b.text(part{p.from, b.offset(lit.Body.Pos())}),
	})
	return int32(len(b.facts.Symbols) - 1)
}

// boundName is the variable, field or key that a node puts the literal into.
func boundName(n ast.Node, lit *ast.FuncLit) string {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		return lastName(n.Key)
	case *ast.AssignStmt:
		if i := slices.Index(n.Rhs, ast.Expr(lit)); i >= 0 && len(n.Lhs) == len(n.Rhs) {
			return lastName(n.Lhs[i])
		}
	case *ast.ValueSpec:
		if i := slices.Index(n.Values, ast.Expr(lit)); i >= 0 && len(n.Names) == len(n.Values) {
			return lastName(n.Names[i])
		}
	}
	return ""
}

// lastName is the name that x is or ends in; "" if it is no name or blank.
func lastName(x ast.Expr) string {
	name := ""
	switch x := x.(type) {
	case *ast.Ident:
		name = x.Name
	case *ast.SelectorExpr:
		name = x.Sel.Name
	}
	if name == "_" {
		return ""
	}
	return name
}
