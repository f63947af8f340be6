// Package goapi says how the exported surface of one Go package changed, by
// types.
//
// Input is the declarations of a package before and after; output is one change
// for each object that those outside can name, as golang.org/x/exp/apidiff judges
// it: a change is compatible if code that compiled before compiles after, with
// the exceptions that the Go 1 promise makes. Where a type is not known, because a
// dependency is not here, the effect is unknown. The package reads no files.
package goapi

import (
	"fmt"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/exp/apidiff"
)

// An Effect says what a change does to code that uses the package.
type Effect uint8

// The effects. The zero value is invalid.
const (
	Compatible Effect = iota + 1 // it still compiles
	Breaking                     // some of it does not
	Unknown                      // a type that decides is not known
)

// A Change is one object of the surface, or one part of an object, that is not
// what it was.
type Change struct {
	Package string // import path of the package that declares it, "" for the one that was compared
	Name    string // "Client.Send", with the type it belongs to
	Added   bool
	Removed bool
	From    string // its type or value before; "" if the message has none
	To      string
	Message string // as apidiff writes it, with the object
	Text    string // what apidiff says of it: "changed from func() to func(int)"
	Effect  Effect
}

// A Comparison is what became of one package.
type Comparison struct {
	Changes []Change
	Unknown map[string]bool // names, also of methods, whose types are not known whole on one side
}

// Compare compares two versions of one package. Neither is nil. It fails if
// apidiff gives up on them.
func Compare(before, after *types.Package) (out Comparison, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = Comparison{}, fmt.Errorf("types not compared: %v", r)
		}
	}()
	unknown := unknownNames(before)
	for name := range unknownNames(after) {
		unknown[name] = true
	}
	out.Unknown = unknown
	for _, c := range apidiff.Changes(before, after).Changes {
		change := read(c.Message)
		change.Effect = Breaking
		if c.Compatible {
			change.Effect = Compatible
		}
		outer, _, _ := strings.Cut(change.Name, ".")
		if change.Package == "" && (unknown[change.Name] || unknown[outer] && !change.Removed && !change.Added) {
			change.Effect = Unknown
		}
		out.Changes = append(out.Changes, change)
	}
	return out, nil
}

var (
	typeArguments = regexp.MustCompile(`\[[^\]]*\]`)
	methodSet     = regexp.MustCompile(`^(.*)\.([^.]+), method set of \*?(\w+)$`)
	fromTo        = regexp.MustCompile(`(?s)^(?:value )?changed from (.*) to (.*)$`)
)

// read takes a message apart: "(*T).M: changed from func() to func(int)".
func read(message string) Change {
	object, text, _ := strings.Cut(message, ": ")
	c := Change{Message: message, Text: text, Added: text == "added" || text == "added unexported method", Removed: text == "removed"}
	if m := fromTo.FindStringSubmatch(text); m != nil {
		c.From, c.To = m[1], m[2]
	}
	if m := methodSet.FindStringSubmatch(object); m != nil {
		// The method of an embedded type is no longer promoted.
		object = m[3] + "." + m[2]
		c.Text = text + ", which " + strings.TrimLeft(strings.Trim(m[1], "()"), "*") + " had"
	}
	object, part, _ := strings.Cut(object, ", ")
	if part != "" {
		c.Text = part + " " + c.Text
	}
	c.Package, object = cutPackage(object)
	c.Name = strings.NewReplacer("(", "", ")", "", "*", "").Replace(typeArguments.ReplaceAllString(object, ""))
	return c
}

// cutPackage takes the package off the name of an object that lies in another
// one: "example.org/m/inner.T.M".
func cutPackage(object string) (pkg, name string) {
	slash := strings.LastIndexByte(object, '/')
	head, rest := object[:slash+1], object[slash+1:]
	parts := strings.Split(rest, ".")
	// In its own package an object begins with its own name, which is exported or
	// the type of a method: T, T.M, (*T).M.
	if slash < 0 {
		return "", object
	}
	return head + parts[0], strings.Join(parts[1:], ".")
}

// unknownNames are the exported names of a package, with those of their fields and
// methods, whose types are not known whole.
func unknownNames(p *types.Package) map[string]bool {
	names := map[string]bool{}
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if _, ok := o.(*types.TypeName); !ok {
			if lacks(o.Type(), 0) {
				names[name] = true
			}
			continue
		}
		if lacks(types.Unalias(o.Type()).Underlying(), 0) {
			names[name] = true
		}
		for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
			if lacks(m.Obj().Type(), 0) {
				names[name+"."+m.Obj().Name()] = true
			}
		}
	}
	return names
}

// deepest is how far types are followed into one another. What lies deeper counts
// as unknown.
const deepest = 20

// lacks reports whether a type has a part that is not known. Named types are
// judged where they are declared.
func lacks(t types.Type, depth int) bool {
	if depth > deepest {
		return true
	}
	depth++
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if lacks(a, depth) {
				return true
			}
		}
	case *types.Pointer:
		return lacks(t.Elem(), depth)
	case *types.Slice:
		return lacks(t.Elem(), depth)
	case *types.Array:
		return lacks(t.Elem(), depth)
	case *types.Chan:
		return lacks(t.Elem(), depth)
	case *types.Map:
		return lacks(t.Key(), depth) || lacks(t.Elem(), depth)
	case *types.Signature:
		return lacks(t.Params(), depth) || lacks(t.Results(), depth)
	case *types.Tuple:
		for v := range t.Variables() {
			if lacks(v.Type(), depth) {
				return true
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if (f.Exported() || f.Embedded()) && lacks(f.Type(), depth) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if lacks(m.Type(), depth) {
				return true
			}
		}
		for e := range t.EmbeddedTypes() {
			if lacks(e, depth) {
				return true
			}
		}
	}
	return false
}
