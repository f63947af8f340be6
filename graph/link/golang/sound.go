package golang

import "go/types"

// listsMembers reports whether all fields and methods of a type are known:
// neither it nor anything it embeds is a type that a stand-in took away.
func listsMembers(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if seen[t] {
		return true
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.Invalid
	case *types.Struct:
		for f := range u.Fields() {
			if f.Embedded() && !listsMembers(f.Type(), seen) {
				return false
			}
		}
	case *types.Interface:
		for e := range u.EmbeddedTypes() {
			if !listsMembers(e, seen) {
				return false
			}
		}
	}
	return true
}

// sound reports whether a type is known well enough to judge it: nothing that
// it is made of, embeds or has as a method involves an invalid type.
func sound(t types.Type) bool { return soundType(t, map[types.Type]bool{}) }

func soundType(t types.Type, seen map[types.Type]bool) bool {
	if t == nil {
		return false
	}
	t = types.Unalias(t)
	if seen[t] {
		return true
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() != types.Invalid
	case *types.Pointer:
		return soundType(t.Elem(), seen)
	case *types.Slice:
		return soundType(t.Elem(), seen)
	case *types.Array:
		return soundType(t.Elem(), seen)
	case *types.Chan:
		return soundType(t.Elem(), seen)
	case *types.Map:
		return soundType(t.Key(), seen) && soundType(t.Elem(), seen)
	case *types.Tuple:
		for v := range t.Variables() {
			if !soundType(v.Type(), seen) {
				return false
			}
		}
	case *types.Signature:
		return soundType(t.Params(), seen) && soundType(t.Results(), seen)
	case *types.Struct:
		for f := range t.Fields() {
			if !soundType(f.Type(), seen) {
				return false
			}
		}
	case *types.Interface:
		return soundInterface(t, seen)
	case *types.Named:
		return soundNamed(t, seen)
	}
	return true
}

func soundInterface(t *types.Interface, seen map[types.Type]bool) bool {
	for m := range t.ExplicitMethods() {
		if !soundType(m.Signature(), seen) {
			return false
		}
	}
	for e := range t.EmbeddedTypes() {
		if !soundType(e, seen) {
			return false
		}
	}
	return true
}

// soundNamed looks at what gives a named type its methods: its own and those
// of the fields that it embeds. Its other fields do not matter.
func soundNamed(t *types.Named, seen map[types.Type]bool) bool {
	for a := range t.TypeArgs().Types() {
		if !soundType(a, seen) {
			return false
		}
	}
	for m := range t.Methods() {
		if !soundType(m.Signature(), seen) {
			return false
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if f.Embedded() && !soundType(f.Type(), seen) {
				return false
			}
		}
		return true
	default:
		return soundType(u, seen)
	}
}
