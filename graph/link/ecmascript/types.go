package ecmascript

import (
	"github.com/previdence/previdence/graph"
)

func (v *eval) evalType(f *file, i, env int32) []val {
	e := &f.f.Exprs[i]
	switch e.Kind {
	case graph.ExprTypeName:
		return v.namedType(f, e, nil, env)
	case graph.ExprIndex:
		if e.Base == graph.None {
			return nil
		}
		switch b := &f.f.Exprs[e.Base]; b.Kind {
		case graph.ExprTypeName:
			return v.namedType(f, b, e.Args, env)
		case graph.ExprMember:
			return v.memberType(f, b, e.Args, env)
		}
		return nil
	case graph.ExprMember:
		return v.memberType(f, e, nil, env)
	case graph.ExprList:
		return v.builtin("Array", distinct(v.all(f, e.Args, env, v.typ)))
	case graph.ExprTuple:
		return v.builtin("Array", distinct(v.all(f, e.Args, env, v.typ)))
	case graph.ExprUnion, graph.ExprIntersection:
		return v.all(f, e.Args, env, v.typ)
	case graph.ExprObjectType, graph.ExprFunctionType:
		return []val{{valShape, f.index, i, env}}
	case graph.ExprTypeOf:
		return v.awaited(v.value(f, e.Base, env)) // typeof import("./x") is the module
	case graph.ExprSpread: // a rest parameter
		return v.typ(f, e.Base, env)
	case graph.ExprElement:
		return v.elements(v.typ(f, e.Base, env))
	case graph.ExprString:
		return v.builtin("String")
	case graph.ExprNumber:
		return v.builtin("Number")
	case graph.ExprBool, graph.ExprAs: // x is T
		return v.builtin("Boolean")
	case graph.ExprThis:
		return v.thisValues(f, e, env)
	}
	return nil
}

// namedType is what a type name with these arguments means.
func (v *eval) namedType(f *file, e *graph.Expr, args []int32, env int32) []val {
	found, _ := f.lookup(e.Scope, e.Name, types)
	if len(found) == 0 {
		return v.libraryType(e.Name, f, args, env)
	}
	var out []val
	for _, b := range found {
		x := &f.f.Bindings[b]
		if x.Kind == graph.BindParameter {
			return v.typeParameter(f, b, env)
		}
		out = append(out, v.typeDefs(v.boundTo(f, b, types).defs, f, args, env)...)
	}
	return distinct(out)
}

// typeParameter is what a type parameter stands for, or its constraint.
func (v *eval) typeParameter(f *file, b, env int32) []val {
	for _, s := range v.envs[env] {
		if s.file == f.index && s.param == b {
			return s.vals
		}
	}
	return v.typ(f, f.f.Bindings[b].Type, env)
}

// typeDefs are the instances of the types that definitions declare.
func (v *eval) typeDefs(defs []def, f *file, args []int32, env int32) []val {
	var out []val
	for _, d := range defs {
		g := v.p.files[d.file]
		switch d.kind {
		case defExternal:
			out = append(out, val{kind: valExternal})
		case defSymbol:
			s := &g.f.Symbols[d.i]
			switch s.Kind {
			case graph.KindClass, graph.KindInterface:
				out = append(out, val{valInstance, d.file, d.i, v.arguments(g, d.i, f, args, env)})
			case graph.KindEnum:
				out = append(out, val{valInstance, d.file, d.i, 0})
			case graph.KindType:
				inner := v.arguments(g, d.i, f, args, env)
				out = append(out, v.typ(g, s.Result, inner)...)
			}
		}
	}
	return out
}

// memberType is ns.Type, Enum.Member or T["name"].
func (v *eval) memberType(f *file, e *graph.Expr, args []int32, env int32) []val {
	if e.Base == graph.None {
		return nil
	}
	switch f.f.Exprs[e.Base].Kind {
	case graph.ExprName, graph.ExprMember, graph.ExprCall: // a namespace, an enum, import("./x")
	default:
		return v.membersOf(v.typ(f, e.Base, env), e.Name)
	}
	var out []val
	for _, x := range v.awaited(v.value(f, e.Base, env)) {
		switch x.kind {
		case valModule:
			r := v.p.exported(x.i, e.Name, types, map[visit]bool{})
			out = append(out, v.typeDefs(r.defs, f, args, env)...)
		case valSymbol:
			g := v.p.files[x.file]
			for _, m := range g.members(x.i, e.Name) {
				out = append(out, v.typeDefs([]def{{kind: defSymbol, file: x.file, i: m}}, f, args, env)...)
				if g.f.Symbols[m].Kind == graph.KindMember {
					out = append(out, val{valInstance, x.file, x.i, 0})
				}
			}
		case valExternal:
			out = append(out, x)
		}
	}
	return out
}

// membersOf are the values of a member of any of the values.
func (v *eval) membersOf(vals []val, name string) []val {
	var out []val
	for _, x := range vals {
		if x.kind == valExternal {
			out = append(out, x)
			continue
		}
		for _, m := range v.members(x, name) {
			out = append(out, v.memberResult(m)...)
		}
	}
	return distinct(out)
}
