package ecmascript

import (
	"github.com/previdence/previdence/graph"
)

// builtins are the objects of the language's library that carry the types of
// what they hold. The order is their number.
var builtins = []string{"", "Array", "Set", "Map", "Promise", "String", "Number", "Boolean", "Record", "Object", "Function"}

// sameAs are names of the library that behave like one of the builtins.
var sameAs = map[string]string{
	"ReadonlyArray": "Array", "Iterable": "Array", "Iterator": "Array", "IterableIterator": "Array", "ArrayLike": "Array",
	"AsyncIterable": "Array", "Generator": "Array", "AsyncGenerator": "Array", "ReadonlySet": "Set", "WeakSet": "Set",
	"ReadonlyMap": "Map", "WeakMap": "Map", "PromiseLike": "Promise",
}

// passThrough are type operators that keep the members of their first argument.
var passThrough = map[string]bool{"Partial": true, "Required": true, "Readonly": true, "NonNullable": true, "Pick": true,
	"Omit": true, "Extract": true, "Exclude": true, "NoInfer": true, "ThisType": true}

func builtinID(name string) int32 {
	for i, b := range builtins {
		if b == name {
			return int32(i)
		}
	}
	return 0
}

func builtinName(i int32) string { return builtins[i] }

// libraryType is a type name that the file neither defines nor imports.
func (v *eval) libraryType(name string, f *file, args []int32, env int32) []val {
	if same := sameAs[name]; same != "" {
		name = same
	}
	first := func() []val {
		if len(args) == 0 {
			return nil
		}
		return v.typ(f, args[0], env)
	}
	switch {
	case passThrough[name]:
		return first()
	case name == "Awaited":
		return v.awaited(first())
	case name == "ReturnType":
		return v.results(first(), nil)
	case name == "InstanceType":
		return v.instances(f, first(), nil, env)
	case name == "Record":
		if len(args) == 2 {
			return v.builtin("Record", v.typ(f, args[1], env))
		}
	case builtinID(name) > 0:
		var all [][]val
		for _, a := range args {
			all = append(all, v.typ(f, a, env))
		}
		return v.builtin(name, all...)
	}
	return []val{{kind: valExternal}}
}

// library is new Name(…) for a name that the file neither defines nor imports.
func (v *eval) library(name string, f *file, types, args []int32, env int32) []val {
	if len(types) == 0 && len(args) == 1 && (name == "Set" || name == "Map") {
		return v.builtin(name, v.elements(v.value(f, args[0], env)))
	}
	return v.libraryType(name, f, types, env)
}

// keep are methods that give the same kind of collection as they are called on.
var keep = map[string]bool{"filter": true, "slice": true, "splice": true, "concat": true, "reverse": true, "sort": true,
	"toSorted": true, "toReversed": true, "fill": true, "flat": true, "values": true, "add": true, "set": true,
	"finally": true, "catch": true}

// pick are methods of collections that give one element.
var pick = map[string]bool{"find": true, "findLast": true, "pop": true, "shift": true, "at": true}

// libraryCall is the result of calling a method or function of the library
// whose result depends on what it is called with.
func (v *eval) libraryCall(f *file, base int32, call *graph.Expr, env int32) ([]val, bool) {
	k := &f.f.Exprs[base]
	if k.Kind != graph.ExprMember || k.Base == graph.None {
		return nil, false
	}
	arg := func(i int) []val {
		if i >= len(call.Args) {
			return nil
		}
		return v.value(f, call.Args[i], env)
	}
	if o := &f.f.Exprs[k.Base]; o.Kind == graph.ExprName {
		if found, _ := f.lookup(o.Scope, o.Name, values); len(found) == 0 {
			return v.globalCall(o.Name+"."+k.Name, arg)
		}
	}
	if k.Name == "bind" {
		return v.functionsOf(v.value(f, k.Base, env))
	}
	if k.Name == "call" || k.Name == "apply" {
		if fs, ok := v.functionsOf(v.value(f, k.Base, env)); ok {
			return v.results(fs, nil), true
		}
		return nil, false
	}
	var out []val
	hit := false
	for _, x := range v.value(f, k.Base, env) {
		if x.kind != valBuiltin {
			continue
		}
		hit = true
		out = append(out, v.methodCall(x, k.Name, arg)...)
	}
	return out, hit
}

// functionsOf are the functions among values.
func (v *eval) functionsOf(vals []val) ([]val, bool) {
	var out []val
	for _, x := range vals {
		f := v.p.files[x.file]
		if x.kind == valSymbol && f.f.Symbols[x.i].Kind.Callable() || x.kind == valShape && f.f.Exprs[x.i].Kind == graph.ExprFunction {
			out = append(out, x)
		}
	}
	return out, len(out) > 0
}

// globalCall is the result of a function of the library.
func (v *eval) globalCall(name string, arg func(int) []val) ([]val, bool) {
	switch name {
	case "Object.freeze", "Object.seal", "Object.create", "Object.preventExtensions", "Object.setPrototypeOf", "Object.defineProperties":
		return arg(0), true
	case "Object.assign":
		return distinct(append(append([]val{}, arg(0)...), arg(1)...)), true
	case "Array.from":
		return v.builtin("Array", v.elements(arg(0))), true
	case "Array.of":
		return v.builtin("Array", arg(0)), true
	case "Object.values":
		return v.builtin("Array", v.indexed(arg(0))), true
	case "Object.keys":
		return v.builtin("Array", v.builtin("String")), true
	case "Promise.resolve":
		return v.promise(arg(0)), true
	case "Promise.all", "Promise.allSettled":
		return v.builtin("Promise", v.builtin("Array", distinct(v.awaited(v.elements(arg(0)))))), true
	}
	return nil, false
}

// methodCall is the result of a method of a builtin.
func (v *eval) methodCall(x val, name string, arg func(int) []val) []val {
	kind := builtinName(x.i)
	switch {
	case keep[name] && (kind == "Array" || kind == "Set" || kind == "Map" || kind == "Promise"):
		if name == "values" && kind == "Map" {
			return v.builtin("Array", v.arg(x, 1))
		}
		return []val{x}
	case pick[name] && kind == "Array":
		return v.arg(x, 0)
	case (name == "map" || name == "flatMap") && kind == "Array":
		r := v.results(arg(0), nil)
		if name == "flatMap" {
			r = v.elements(r)
		}
		return v.builtin("Array", r)
	case name == "reduce" && kind == "Array":
		return distinct(append(append([]val{}, arg(1)...), v.results(arg(0), nil)...))
	case name == "then" && kind == "Promise":
		return v.promise(v.results(arg(0), nil))
	case name == "get" && kind == "Map":
		return v.arg(x, 1)
	case name == "keys" && kind == "Map":
		return v.builtin("Array", v.arg(x, 0))
	case (name == "split" || name == "match") && kind == "String":
		return v.builtin("Array", v.builtin("String"))
	case kind == "String":
		return v.builtin("String")
	}
	return []val{{kind: valExternal}}
}

// builtinMember is a member of a builtin that is not called.
func (v *eval) builtinMember(x val, _ string) []val {
	if builtinName(x.i) == "Record" {
		return v.arg(x, 0)
	}
	return []val{{kind: valExternal}}
}

// libraryHands is what a method of a builtin hands to a function that it is
// called with.
func (v *eval) libraryHands(vals []val, name string, at, param int32) ([]val, bool) {
	var out []val
	hit := false
	for _, x := range vals {
		if x.kind != valBuiltin {
			continue
		}
		hit = true
		switch kind := builtinName(x.i); {
		case at != 0:
		case kind == "Array" && (name == "reduce" || name == "reduceRight"):
			if param == 1 {
				out = append(out, v.arg(x, 0)...)
			}
		case kind == "Array" && name == "sort", kind == "Array" && name == "toSorted":
			out = append(out, v.arg(x, 0)...)
		case kind == "Array" || kind == "Set":
			if param == 0 {
				out = append(out, v.arg(x, 0)...)
			}
		case kind == "Map" && name == "forEach":
			if param < 2 {
				out = append(out, v.arg(x, 1-int(param))...)
			}
		case kind == "Promise" && name == "then" && param == 0:
			out = append(out, v.arg(x, 0)...)
		}
	}
	return distinct(out), hit
}
