package golang

import (
	"go/ast"
	"slices"
	"strings"
)

// known reports whether an import of the unit has a real package behind it.
func (b *build) known(u *unit, imp string) bool {
	if imp == "unsafe" || imp == "C" {
		return true
	}
	s := u.imports[imp]
	if s.outside {
		d := b.loaded(imp)
		return d != nil && !d.outline
	}
	return s.unit != nil && s.unit.checked && !s.unit.failed
}

// nameStandIns finds out what the unknown packages that f imports without a
// name of their own are called: a wrong name would make every use of the right
// one look undefined.
func (b *build) nameStandIns(u *unit, f *file) {
	var used []string
	for i := range f.in.Facts.Imports {
		imp := &f.in.Facts.Imports[i]
		if imp.Alias != "" || imp.Name == "*" || b.known(u, imp.Module) {
			continue
		}
		if used == nil {
			used = selectedFrom(f.syntax)
		}
		if u.names == nil {
			u.names = map[string]string{}
		}
		if _, ok := u.names[imp.Module]; !ok {
			u.names[imp.Module] = chooseName(imp.Module, used)
		}
	}
}

// standInName is the name under which files of the unit know a stand-in.
func (u *unit) standInName(imp string) string {
	if n := u.names[imp]; n != "" {
		return n
	}
	return guessName(imp)
}

// selectedFrom lists, sorted, the names that stand left of a dot.
func selectedFrom(f *ast.File) []string {
	seen := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				seen[id.Name] = true
			}
		}
		return true
	})
	return sortedKeys(seen)
}

// chooseName prefers the usual name if the file uses it, else the longest used
// name that the import path contains.
func chooseName(imp string, used []string) string {
	guess := guessName(imp)
	if slices.Contains(used, guess) {
		return guess
	}
	best := ""
	for _, name := range used {
		if len(name) > max(len(best), 1) && strings.Contains(strings.ToLower(imp), strings.ToLower(name)) {
			best = name
		}
	}
	if best != "" {
		return best
	}
	return guess
}
