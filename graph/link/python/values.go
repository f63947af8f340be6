package python

import (
	"slices"

	"github.com/previdence/previdence/graph"
)

// A valueKind says what is known about a value. The zero value is invalid.
type valueKind uint8

const (
	unknownValue  valueKind = iota + 1 // nothing, or only which parameter it comes from
	externalValue                      // it comes from outside the tree
	moduleValue                        // a module
	classValue                         // a class itself
	instanceValue                      // an instance of a class or of a subclass
	functionValue                      // a function; bound if self is set
	lambdaValue                        // a lambda expression
	listValue                          // anything that iterates over items[0]
	dictValue                          // a mapping from items[0] to items[1]
	tupleValue                         // a tuple of items
	contextValue                       // a context manager that gives items[0]
	superValue                         // super() in a method of class at
	returnsValue                       // a callable of which only the result, items[0], is known
)

// A value is one thing that an expression may be. Values are never changed.
type value struct {
	kind    valueKind
	at      place // class or function symbol; expression of a lambda
	mod     module
	self    *value // receiver of a bound method, of super()
	name    string // of a class outside from which classes of the tree derive
	precise bool   // an instance made by calling its class: no subclass
	tier    graph.Tier
	items   [][]*value
	entries map[string][]*value // of a literal: its values by constant key or position
	param   parameter           // what an unknown value or a callable of unknown body was passed as
}

// A parameter is one parameter of a function of the tree.
type parameter struct {
	of       place // the function; the zero place if there is none
	position int32 // in its Params, from 1; 0 if there is none
}

var (
	unknown  = &value{kind: unknownValue, at: nowhere}
	external = &value{kind: externalValue, at: nowhere}
)

// maxValues bounds what one expression may be; more is as good as unknown.
const maxValues = 8

// same reports whether two values lead to the same definitions.
func (v *value) same(o *value) bool {
	return v == o || v.kind == o.kind && v.at == o.at && v.mod == o.mod && v.name == o.name && v.precise == o.precise && v.param == o.param &&
		v.kind < listValue && (v.self == o.self || v.self != nil && o.self != nil && v.self.same(o.self))
}

// merge adds values that are not there yet.
func merge(to, more []*value) []*value {
	for _, v := range more {
		if len(to) >= maxValues {
			return to
		}
		if !slices.ContainsFunc(to, v.same) {
			to = append(to, v)
		}
	}
	return to
}

func listOf(items []*value) *value {
	return &value{kind: listValue, at: nowhere, items: [][]*value{items}}
}

// vague reports whether values say nothing about what is run when they, or what they
// hold, are called.
func vague(values []*value) bool {
	return !slices.ContainsFunc(values, func(v *value) bool {
		switch v.kind {
		case unknownValue, returnsValue:
			return false
		case listValue, dictValue:
			return !vague(v.content())
		}
		return true
	})
}

// known reports whether values are all that something may be: objects and classes
// of the tree. What comes from outside may give an object of the tree back, and a
// container may hold one.
func known(values []*value) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v *value) bool {
		return v.kind != instanceValue && v.kind != classValue
	})
}

// content is what a list or mapping holds.
func (v *value) content() []*value { return v.items[len(v.items)-1] }

// holding is a list or mapping with another content.
func (v *value) holding(content []*value) *value {
	out := *v
	out.items = append(slices.Clone(v.items[:len(v.items)-1]), content)
	return &out
}

// A definition is one thing that a name or member means: a symbol, a module,
// or a local variable, with the bindings that make it.
type definition struct {
	symbol   place // nowhere for local variables and modules
	bindings []place
	mod      module
	self     *value // the object whose member it is
	tier     graph.Tier
}

func (d *definition) isModule() bool { return d.mod.path != "" || d.mod.pkg }

// An absence is a name that is certainly not there.
type absence struct {
	name   string
	in     string
	module string // where it would lie as a submodule, if in is a package
	reason string
}

// A finding is the answer to a look-up.
type finding struct {
	defs    []definition
	outside bool // it may be something outside the tree
	open    bool // it may be something that was not seen
	absent  *absence
}

func (f *finding) add(o finding) {
	for _, d := range o.defs {
		if len(f.defs) < maxValues {
			f.addDef(d)
		}
	}
	f.outside = f.outside || o.outside
	f.open = f.open || o.open
	if f.absent == nil {
		f.absent = o.absent
	}
}

func (f *finding) addDef(d definition) {
	for i := range f.defs {
		o := &f.defs[i]
		if d.symbol != nowhere && o.symbol == d.symbol && o.mod == d.mod {
			o.bindings = append(o.bindings, d.bindings...)
			o.tier = min(o.tier, d.tier)
			return
		}
		if d.isModule() && o.mod == d.mod {
			return
		}
	}
	f.defs = append(f.defs, d)
}
