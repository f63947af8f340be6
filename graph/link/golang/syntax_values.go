package golang

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/graph"
)

// A thing is what an expression stands for: a symbol of the tree, or what gives one.
// The zero thing is not known.
type thing struct {
	kind thingKind
	at   int32 // a symbol, a place in units, or an expression
	file int32 // of an expression: its place in sheets
}

type thingKind uint8

const (
	unknown    thingKind = iota
	symbolic             // at is a symbol
	composite            // at is an expression of file: a type without a name
	imports              // at is a unit
	predefined           // the language defines it
	beyond               // it lies outside the tree, or comes from there
	undefined            // nothing has the name; at is the unit, or the type, that lacks it
)

// A settling is how far it is known what a symbol gives.
type settling uint8

const (
	settleBegun settling = iota + 1
	settleDone
)

// settleAll finds out for every symbol what it gives, is or holds. From then on the
// sheets can be read side by side: what they ask of each other is there.
func (s *syntax) settleAll() {
	s.embedded = map[int32][]int32{}
	for i := range s.sheets {
		f := &s.sheets[i]
		for j := range f.in.Facts.Symbols {
			sym := &f.in.Facts.Symbols[j]
			s.typeOf(f.in.Symbols + int32(j))
			s.settle(f, sym.Result)
			for _, b := range sym.Bases {
				s.settle(f, b)
				if t := s.resolve(f, b); t.kind == symbolic {
					s.embedded[t.at] = append(s.embedded[t.at], f.in.Symbols+int32(j))
				}
			}
		}
	}
}

// settle resolves a type with all that it is made of: those stand before it.
func (s *syntax) settle(f *sheet, e int32) {
	if e == graph.None {
		return
	}
	s.resolve(f, e)
	x := &f.in.Facts.Exprs[e]
	for _, part := range append([]int32{x.Base}, x.Args...) {
		if part < e {
			s.settle(f, part)
		}
	}
}

// typeOf is what a function gives, the type of a variable or field, or what a type
// that is neither struct nor interface is made of.
func (s *syntax) typeOf(symbol int32) thing {
	if s.settled[symbol] != 0 {
		return s.types[symbol] // unknown as long as it is begun: it depends on itself
	}
	s.settled[symbol] = settleBegun
	if f := s.sheetAt(symbol); f != nil {
		if r := s.fact(symbol).Result; r != graph.None {
			s.types[symbol] = s.resolve(f, r)
		}
	}
	s.settled[symbol] = settleDone
	return s.types[symbol]
}

func (s *syntax) sheetAt(symbol int32) *sheet {
	if at := s.fileOf[symbol]; at >= 0 {
		return &s.sheets[at]
	}
	return nil
}

// fact is the fact of a symbol of a linked file.
func (s *syntax) fact(symbol int32) *graph.SymbolFact {
	f := s.sheetAt(symbol)
	return &f.in.Facts.Symbols[symbol-f.in.Symbols]
}

func (s *syntax) kindOf(symbol int32) graph.Kind { return s.in.Symbols[symbol].Kind }

func isType(k graph.Kind) bool {
	return k == graph.KindStruct || k == graph.KindInterface || k == graph.KindType
}

// resolve finds out what an expression of a file stands for.
func (s *syntax) resolve(f *sheet, e int32) thing {
	if e == graph.None {
		return thing{}
	}
	if !f.known[e] {
		f.known[e] = true // one that depends on itself is unknown
		f.things[e] = s.meaning(f, e)
	}
	return f.things[e]
}

func (s *syntax) meaning(f *sheet, e int32) thing {
	x := &f.in.Facts.Exprs[e]
	switch x.Kind {
	case graph.ExprName:
		return s.named(f, x.Name)
	case graph.ExprMember:
		return s.member(f, s.resolve(f, x.Base), x.Name)
	case graph.ExprCall:
		return s.result(f, x)
	case graph.ExprTypeOf:
		return s.held(s.resolve(f, x.Base))
	case graph.ExprIndex:
		return s.index(s.resolve(f, x.Base))
	case graph.ExprElement:
		return s.element(s.resolve(f, x.Base), x.Name != "")
	case graph.ExprFunction:
		return thing{kind: symbolic, at: f.in.Symbols + x.Symbol}
	case graph.ExprList, graph.ExprDict, graph.ExprTuple, graph.ExprFunctionType, graph.ExprObjectType:
		return thing{kind: composite, at: e, file: int32(s.sheetOf[f.file])}
	}
	return thing{}
}

// expr is the expression of a type without a name; nil for all else.
func (s *syntax) expr(t thing) (*sheet, *graph.Expr) {
	if t.kind != composite {
		return nil, nil
	}
	f := &s.sheets[t.file]
	return f, &f.in.Facts.Exprs[t.at]
}

// named looks a name up: in the file, in its package, in what it imports without a
// name, in the language.
func (s *syntax) named(f *sheet, name string) thing {
	sc := s.scopes[f.unit.number]
	if to := sc.lookup(name, f.test); to != graph.None {
		return thing{kind: symbolic, at: to}
	}
	open := false // an import may have the name
	for i := range f.imports {
		imp := &f.imports[i]
		switch {
		case imp.name == name:
			return s.imported(&imp.source)
		case imp.name == ".":
			if to := s.exportOf(f, imp.source.unit, name); to != graph.None {
				return thing{kind: symbolic, at: to}
			}
			open = open || imp.source.unit == nil
		case imp.guessed:
			open = open || slices.Contains(f.qualifiers, name)
		}
	}
	switch {
	case universe[name]:
		return thing{kind: predefined}
	case open:
		return thing{}
	}
	return thing{kind: undefined, at: int32(f.unit.number)}
}

// universe are the functions of the language; its types and constants are no less
// predefined.
var universe = set("append cap clear close complex copy delete imag len make max min new panic print println real recover " +
	"any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string " +
	"uint uint8 uint16 uint32 uint64 uintptr true false iota nil")

func (s *syntax) imported(src *source) thing {
	switch {
	case src.unit != nil:
		return thing{kind: imports, at: int32(src.unit.number)}
	case src.missing != "":
		return thing{} // said of the import itself
	}
	return thing{kind: beyond}
}

// exportOf finds a name that a package gives to a file that imports it.
func (s *syntax) exportOf(f *sheet, u *unit, name string) int32 {
	if u == nil || !ast.IsExported(name) {
		return graph.None
	}
	return s.scopes[u.number].lookup(name, f.unit.self == u)
}

// member finds a member of what stands before the dot.
func (s *syntax) member(f *sheet, of thing, name string) thing {
	switch of.kind {
	case imports:
		u := s.units[of.at]
		if to := s.exportOf(f, u, name); to != graph.None {
			return thing{kind: symbolic, at: to}
		}
		if u.cgo {
			return thing{}
		}
		return thing{kind: undefined, at: of.at}
	case symbolic:
		t := of
		if !isType(s.kindOf(of.at)) {
			t = s.valueOf(of)
		}
		switch {
		case t.kind != symbolic:
		case name[0] <= '9':
			return s.fieldAt(t.at, name)
		default:
			return s.selected(t.at, name)
		}
		switch t.kind {
		case beyond, predefined:
			return thing{kind: beyond}
		}
	case beyond, predefined:
		return thing{kind: beyond}
	}
	return thing{}
}

// fieldAt is the field of a struct at a place.
func (s *syntax) fieldAt(typ int32, place string) thing {
	under := s.underlying(thing{kind: symbolic, at: typ})
	n, err := strconv.Atoi(place)
	if err != nil || under.kind != symbolic || s.kindOf(under.at) != graph.KindStruct {
		return thing{}
	}
	f := s.sheetAt(under.at)
	owner := under.at - f.in.Symbols
	// The fields of a struct follow it.
	if i := owner + 1 + int32(n); i < int32(len(f.in.Facts.Symbols)) && f.in.Facts.Symbols[i].Parent == owner {
		return thing{kind: symbolic, at: f.in.Symbols + i}
	}
	return thing{}
}

// valueOf is the type of what a symbol that is no type stands for. A function has no
// members.
func (s *syntax) valueOf(t thing) thing {
	switch s.kindOf(t.at) {
	case graph.KindVariable, graph.KindConstant, graph.KindField:
		return s.typeSymbol(s.typeOf(t.at))
	}
	return thing{}
}

// typeSymbol follows variables to their type.
func (s *syntax) typeSymbol(t thing) thing {
	for range 8 {
		if t.kind != symbolic || isType(s.kindOf(t.at)) {
			return t
		}
		switch s.kindOf(t.at) {
		case graph.KindVariable, graph.KindConstant, graph.KindField:
			t = s.typeOf(t.at)
		default:
			return thing{}
		}
	}
	return thing{}
}

// isAlias reports whether a type is another name of one.
func (s *syntax) isAlias(symbol int32) bool {
	f := s.fact(symbol)
	return f.Kind == graph.KindType && strings.Contains(f.Signature, " = ")
}

// canonical is the type that an alias of the tree stands for in the end.
func (s *syntax) canonical(typ int32) int32 {
	for range 8 {
		if typ == graph.None || !s.isAlias(typ) {
			break
		}
		of := s.typeOf(typ)
		if of.kind != symbolic {
			break
		}
		typ = of.at
	}
	return typ
}

// isGeneric reports whether a symbol has type parameters of its own.
func (s *syntax) isGeneric(symbol int32) bool {
	f := s.fact(symbol)
	return strings.Contains(f.Signature, " "+f.Name+"[")
}

// underlying is the type without a name that a thing has in the end; the symbol of a
// struct or interface, which has none, stays.
func (s *syntax) underlying(t thing) thing {
	t = s.typeSymbol(t)
	for range 8 {
		if t.kind != symbolic || s.kindOf(t.at) != graph.KindType {
			return t
		}
		t = s.typeOf(t.at)
	}
	return thing{}
}

// held is what a variable holds, where it is called: a value of a function type gives
// what the type says.
func (s *syntax) held(t thing) thing {
	if t.kind == symbolic && isType(s.kindOf(t.at)) {
		return s.underlying(t)
	}
	return t
}

// result is what a call gives.
func (s *syntax) result(f *sheet, x *graph.Expr) thing {
	of := s.resolve(f, x.Base)
	switch of.kind {
	case symbolic:
		switch k := s.kindOf(of.at); {
		case k == graph.KindFunction || k == graph.KindMethod:
			return s.part(s.typeOf(of.at), x.Name)
		case isType(k) && !isValue(f, x.Base):
			return of // a conversion
		}
		return s.part(s.resultOf(s.underlying(of)), x.Name)
	case composite:
		if g, fn := s.expr(of); fn.Kind == graph.ExprFunctionType {
			return s.part(s.resolve(g, fn.Base), x.Name)
		}
		return of
	case predefined:
		return s.builtin(f, x)
	}
	return of.outer()
}

// isValue reports whether an expression is certainly no type.
func isValue(f *sheet, e int32) bool {
	switch f.in.Facts.Exprs[e].Kind {
	case graph.ExprCall, graph.ExprElement, graph.ExprTypeOf:
		return true
	}
	return false
}

// outer is the thing if it lies outside the tree: what comes from there does, too.
func (t thing) outer() thing {
	if t.kind == beyond {
		return t
	}
	return thing{}
}

// resultOf is what a function type gives.
func (s *syntax) resultOf(t thing) thing {
	if f, x := s.expr(t); x != nil && x.Kind == graph.ExprFunctionType {
		return s.resolve(f, x.Base)
	}
	return t.outer()
}

// part is one of several results.
func (s *syntax) part(t thing, place string) thing {
	i := 0
	if place != "" {
		i, _ = strconv.Atoi(place) // written by the extractor
	}
	if f, x := s.expr(t); x != nil && x.Kind == graph.ExprTuple {
		if i < len(x.Args) {
			return s.resolve(f, x.Args[i])
		}
		return thing{}
	}
	if i > 0 {
		return t.outer()
	}
	return t
}

// builtin is what a function of the language gives, or a conversion to one of its
// types.
func (s *syntax) builtin(f *sheet, x *graph.Expr) thing {
	switch name := f.in.Facts.Exprs[x.Base].Name; name {
	case "new", "make", "append", "min", "max":
		if len(x.Args) == 0 {
			return thing{}
		}
		return s.typeSymbol(s.resolve(f, x.Args[0]))
	}
	return thing{kind: predefined}
}

// index is an element of a list or map, or an instance of what is generic.
func (s *syntax) index(of thing) thing {
	if of.kind == symbolic {
		if k := s.kindOf(of.at); k == graph.KindFunction || k == graph.KindMethod || isType(k) && s.isGeneric(of.at) {
			return of
		}
	}
	return s.element(of, false)
}

// element is what a list, channel or map holds; with first the first of the two that
// ranging over it yields.
func (s *syntax) element(of thing, first bool) thing {
	t := s.underlying(of)
	f, x := s.expr(t)
	switch {
	case t.kind == predefined:
		return t
	case x == nil:
		return t.outer()
	case x.Kind == graph.ExprList && (!first || x.Name == "chan"):
		return s.resolve(f, x.Args[0])
	case x.Kind == graph.ExprList:
		return thing{kind: predefined}
	case x.Kind == graph.ExprDict && first:
		return s.resolve(f, x.Args[0])
	case x.Kind == graph.ExprDict:
		return s.resolve(f, x.Args[1])
	}
	return thing{}
}
