package golang

import (
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// A namer writes types as text. Two texts are equal exactly if the types are
// identical, in whichever packages and in whichever runs they were checked, so
// what depends on the whole tree needs no types any more. It finds out where a
// type is declared by the packages of its build.
type namer struct {
	*build
	out strings.Builder
}

// maxTypeName bounds the text of one type: aliases of aliases can stand for more
// text than a machine holds. What lies behind that does not tell types apart.
const maxTypeName = 1 << 16

// typeName is the text of a type.
func (b *build) typeName(t types.Type) string {
	n := namer{build: b}
	n.typ(t)
	return n.out.String()
}

// signatureName is the text of a method's signature without its receiver.
func (b *build) signatureName(s *types.Signature) string {
	n := namer{build: b}
	n.signature(s)
	return n.out.String()
}

func (n *namer) typ(t types.Type) {
	if n.out.Len() > maxTypeName {
		return
	}
	switch t := types.Unalias(t).(type) {
	case nil:
		n.out.WriteByte('?')
	case *types.Basic:
		n.out.WriteString(types.Typ[basicKind(t)].Name())
	case *types.Pointer:
		n.out.WriteByte('*')
		n.typ(t.Elem())
	case *types.Slice:
		n.out.WriteString("[]")
		n.typ(t.Elem())
	case *types.Array:
		n.out.WriteString("[" + strconv.FormatInt(t.Len(), 10) + "]")
		n.typ(t.Elem())
	case *types.Map:
		n.out.WriteString("map[")
		n.typ(t.Key())
		n.out.WriteByte(']')
		n.typ(t.Elem())
	case *types.Chan:
		n.out.WriteString([...]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ", types.RecvOnly: "<-chan "}[t.Dir()])
		n.out.WriteByte('(')
		n.typ(t.Elem())
		n.out.WriteByte(')')
	case *types.Signature:
		n.out.WriteString("func")
		n.signature(t)
	case *types.Tuple:
		n.tuple(t)
	case *types.Struct:
		n.structType(t)
	case *types.Interface:
		n.interfaceType(t)
	case *types.Union:
		n.union(t)
	case *types.Named:
		n.named(t)
	case *types.TypeParam:
		n.out.WriteString("$" + t.Obj().Name() + n.at(t.Obj()))
	}
}

// basicKind makes one of byte and uint8, and of rune and int32.
func basicKind(t *types.Basic) types.BasicKind {
	if k := t.Kind(); int(k) < len(types.Typ) {
		return k
	}
	return types.Invalid
}

func (n *namer) signature(s *types.Signature) {
	for p := range s.TypeParams().TypeParams() {
		n.out.WriteString("<")
		n.typ(p.Constraint())
		n.out.WriteString(">")
	}
	n.tuple(s.Params())
	if s.Variadic() {
		n.out.WriteString("...")
	}
	n.tuple(s.Results())
}

func (n *namer) tuple(t *types.Tuple) {
	n.out.WriteByte('(')
	for v := range t.Variables() {
		n.typ(v.Type())
		n.out.WriteByte(',')
	}
	n.out.WriteByte(')')
}

func (n *namer) structType(t *types.Struct) {
	n.out.WriteString("struct{")
	for i := range t.NumFields() {
		f := t.Field(i)
		if !f.Embedded() {
			n.out.WriteString(f.Id() + " ")
		}
		n.typ(f.Type())
		if tag := t.Tag(i); tag != "" {
			n.out.WriteString(strconv.Quote(tag))
		}
		n.out.WriteByte(';')
	}
	n.out.WriteByte('}')
}

func (n *namer) interfaceType(t *types.Interface) {
	if t.NumMethods() == 0 && t.IsMethodSet() {
		n.out.WriteString("any")
		return
	}
	n.out.WriteString("interface{")
	for m := range t.Methods() { // all of them, by ID
		n.out.WriteString(m.Id())
		n.signature(m.Signature())
		n.out.WriteByte(';')
	}
	if !t.IsMethodSet() {
		var terms []string
		for e := range t.EmbeddedTypes() {
			terms = append(terms, n.typeName(e))
		}
		slices.Sort(terms)
		n.out.WriteString(strings.Join(terms, "&"))
	}
	n.out.WriteByte('}')
}

func (n *namer) union(t *types.Union) {
	for term := range t.Terms() {
		if term.Tilde() {
			n.out.WriteByte('~')
		}
		n.typ(term.Type())
		n.out.WriteByte('|')
	}
}

func (n *namer) named(t *types.Named) {
	obj := t.Obj()
	if pkg := obj.Pkg(); pkg != nil {
		if u := n.owner[pkg]; u != nil {
			n.out.WriteString("./" + u.dir + ":" + u.name + ".") // two modules may vendor one path
		} else {
			n.out.WriteString(pkg.Path() + ".")
		}
		if pkg.Scope().Lookup(obj.Name()) != obj {
			n.out.WriteString(n.at(obj))
		}
	}
	n.out.WriteString(obj.Name())
	if t.TypeArgs().Len() > 0 {
		n.out.WriteByte('[')
		for a := range t.TypeArgs().Types() {
			n.typ(a)
			n.out.WriteByte(',')
		}
		n.out.WriteByte(']')
	}
}

// at tells apart what only its place tells apart: types and type parameters
// inside functions. The place is counted from the symbol around, so that it
// stays when something else in the file changes. Outside the tree functions have
// no inside.
func (n *namer) at(obj types.Object) string {
	f, offset, ok := n.locate(obj)
	if !ok {
		return "@"
	}
	i := f.around(offset)
	s := &f.in.Facts.Symbols[i]
	return "@" + string(n.in.Symbols[f.in.Symbols+i].ID) + "+" + strconv.Itoa(int(offset-s.NameAt))
}
