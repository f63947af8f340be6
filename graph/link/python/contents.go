package python

import (
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/graph"
)

// noteElements finds for each "a[]" the scope of a.
func (f *file) noteElements() {
	for i := range f.Facts.Bindings {
		b := &f.Facts.Bindings[i]
		name, ok := strings.CutSuffix(b.Name, "[]")
		if !ok || b.Kind != graph.BindVariable || b.Value == graph.None {
			continue
		}
		name = strings.TrimRight(name, "[]")
		if strings.ContainsAny(name, ".()") {
			continue
		}
		scope := b.Scope
		for scope > 0 && len(f.names[scopedName{scope, name}]) == 0 {
			scope = f.Facts.Scopes[scope].Parent
		}
		if f.elements == nil {
			f.elements = map[scopedName][]int32{}
		}
		k := scopedName{scope, b.Name}
		f.elements[k] = append(f.elements[k], int32(i))
	}
}

// filled adds to containers what is put into them under the name that e is.
func (r *reader) filled(file int32, e *graph.Expr, values []*value) []*value {
	for i, v := range values {
		if v.kind != listValue && v.kind != dictValue {
			continue
		}
		if more := r.put(file, e, "[]"); len(more) > 0 {
			values = slices.Clone(values)
			values[i] = r.with(v, more, func(inner string) []*value { return r.put(file, e, "[]"+inner) })
		}
	}
	return values
}

// with is a container with more in it. Containers in it that are filled there have
// more as well.
func (r *reader) with(v *value, more []*value, inside func(string) []*value) *value {
	all := merge(slices.Clone(v.content()), more)
	if deeper := inside("[]"); len(deeper) > 0 {
		for i, item := range all {
			if item.kind == listValue || item.kind == dictValue {
				all[i] = item.holding(merge(slices.Clone(item.content()), deeper))
			}
		}
	}
	return v.holding(all)
}

// put is what is put into the container that an expression names.
func (r *reader) put(file int32, e *graph.Expr, path string) []*value {
	f := r.p.files[file]
	switch e.Kind {
	case graph.ExprName:
		for s := e.Scope; s != graph.None; s = f.Facts.Scopes[s].Parent {
			if s == 0 || len(f.names[scopedName{s, e.Name}]) > 0 {
				return r.putAt(file, f.elements[scopedName{s, e.Name + path}])
			}
		}
	case graph.ExprMember:
		var out []*value
		for _, v := range r.eval(place{file, e.Base}) {
			if v.kind != instanceValue && v.kind != classValue {
				continue
			}
			for _, k := range r.classAt(v.at).mro {
				owner := r.p.files[k.file]
				out = merge(out, r.putAt(k.file, owner.attributes[scopedName{owner.Facts.Symbols[k.at].Scope, e.Name + path}]))
			}
		}
		return out
	}
	return nil
}

func (r *reader) putAt(file int32, bindings []int32) []*value {
	var out []*value
	for _, i := range bindings {
		out = merge(out, r.eval(place{file, r.p.files[file].Facts.Bindings[i].Value}))
	}
	return out
}

// entries are the values under the constant keys of a literal.
func (r *reader) entries(file int32, args []int32) map[string][]*value {
	facts := r.p.files[file].Facts
	out := map[string][]*value{}
	for i, a := range args {
		key := ""
		switch {
		case a == graph.None || facts.Exprs[a].Kind == graph.ExprSpread:
			return nil // what stands where is not known
		case facts.Exprs[a].Kind == graph.ExprKeyword:
			key = constantKey(&facts.Exprs[facts.Exprs[a].Args[0]])
		default:
			key = strconv.Itoa(i)
		}
		out[key] = r.eval(place{file, a})
	}
	return out
}

// constantKey tells keys apart as Python does: 1 is not "1". It is "" for what is
// no constant.
func constantKey(e *graph.Expr) string {
	switch e.Kind {
	case graph.ExprString:
		return "'" + e.Name
	case graph.ExprNumber:
		return e.Name
	}
	return ""
}
