package golang

import (
	"strings"
	"unicode"

	"github.com/previdence/previdence/graph"
)

// sameSignature compares the parameters and results of two methods as they are
// written, without packages and names.
func (s *syntax) sameSignature(a, b int32) bool {
	x, y := s.fact(a), s.fact(b)
	p, q := parameterTypes(x), parameterTypes(y)
	if len(p) != len(q) {
		return false
	}
	for i := range p {
		if !sameText(p[i].TypeText, q[i].TypeText) {
			return false
		}
	}
	return sameExpr(s.sheetAt(a), x.Result, s.sheetAt(b), y.Result)
}

func parameterTypes(f *graph.SymbolFact) []graph.Param {
	if len(f.Params) > 0 && f.Params[0].Kind == graph.ParamReceiver {
		return f.Params[1:]
	}
	return f.Params
}

// sameText compares two written types without the packages that they name.
func sameText(a, b string) bool { return a == b || unqualified(a) == unqualified(b) }

// unqualified takes the packages off the names in a written type.
func unqualified(t string) string {
	t = strings.ReplaceAll(t, "interface{}", "any")
	if !strings.Contains(t, ".") {
		return t
	}
	var out strings.Builder
	word := 0 // where the current word begins
	for i, c := range t {
		switch {
		case c == '.' && i > word && !strings.HasPrefix(t[i:], "..."):
			word = i + 1 // the package is dropped
		case c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c):
			out.WriteString(t[word : i+len(string(c))])
			word = i + len(string(c))
		}
	}
	out.WriteString(t[word:])
	return out.String()
}

// sameExpr compares two types of different files as they are written.
func sameExpr(f *sheet, a int32, g *sheet, b int32) bool {
	if a == graph.None || b == graph.None {
		return a == b
	}
	x, y := &f.in.Facts.Exprs[a], &g.in.Facts.Exprs[b]
	if baseNameOf(x) != baseNameOf(y) || len(x.Args) != len(y.Args) {
		return false
	}
	if baseNameOf(x) != "" && x.Kind != graph.ExprList {
		return true
	}
	if x.Kind != y.Kind || x.Base >= a || y.Base >= b || !sameExpr(f, x.Base, g, y.Base) {
		return false
	}
	for i := range x.Args {
		if x.Args[i] >= a || y.Args[i] >= b || !sameExpr(f, x.Args[i], g, y.Args[i]) {
			return false
		}
	}
	return true
}

// baseNameOf is the name of a type without its package.
func baseNameOf(x *graph.Expr) string {
	if x.Kind == graph.ExprName || x.Kind == graph.ExprMember || x.Kind == graph.ExprList {
		return x.Name
	}
	return ""
}
