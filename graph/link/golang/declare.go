package golang

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// The types of a recalled package are made of its declarations alone: without function
// bodies, without the values of variables that say their type, and without the packages
// that only those name. What is left out gives no declaration another type, and most of
// what a package imports goes with it.

// need makes the types of a recalled unit.
func (b *build) need(ctx context.Context, u *unit) {
	if !u.recalled[stepFiles] {
		return
	}
	u.needed.Do(func() {
		b.declareFiles(ctx, u, u.files)
		u.hideTests()
	})
}

// declareTests adds what recalled tests declare to the types of their package.
func (b *build) declareTests(ctx context.Context, u *unit) {
	b.need(ctx, u)
	if !u.recalled[stepTests] {
		return
	}
	u.recalled[stepTests] = false
	b.declareFiles(ctx, u, u.tests)
}

// declareFiles checks the declarations of some files of a unit.
func (b *build) declareFiles(ctx context.Context, u *unit, files []*file) {
	defer func() {
		if recover() != nil { // go/types met source it cannot bear
			u.failed, u.tainted, u.unsound = true, true, true
		}
		u.errors = nil
	}()
	wanted := map[string]bool{}
	for _, f := range files {
		if err := f.parse(ctx, b.in.Tree); err != nil {
			b.fail(err)
			return
		}
		dropImports(f.syntax, u.imports)
		for _, spec := range f.syntax.Imports {
			wanted[pathOf(spec)] = true
		}
	}
	b.requireOnly(ctx, u, wanted)
	b.prepare(u)
	syntax := make([]*ast.File, 0, len(files))
	for _, f := range files {
		syntax = append(syntax, f.syntax)
		u.place(f)
		b.nameStandIns(u, f)
		dropValues(f.syntax)
	}
	if !u.weigh(syntax) {
		u.failed, u.tainted, u.unsound = true, true, true
		return
	}
	for _, f := range files {
		f.release()
	}
	u.conf.IgnoreFuncBodies = true
	*u.info = types.Info{}                   // nobody asks what the expressions in declarations are
	_ = u.checker.Files(slices.Clip(syntax)) // errors were dealt with when its part was made
	u.checked = true
	*u.info = *newInfo()
}

// requireOnly makes the types of some of what a unit imports.
func (b *build) requireOnly(ctx context.Context, u *unit, imports map[string]bool) {
	outside := map[string]bool{}
	for imp := range imports {
		if u.imports[imp].outside {
			outside[imp] = true
		}
	}
	if err := b.load(ctx, outside); err != nil {
		b.fail(err)
	}
	for _, imp := range sortedKeys(imports) {
		if on := u.imports[imp].unit; on != nil && on != u {
			b.need(ctx, on)
		}
	}
}

// dropImports takes the imports of packages of the tree off a file that its
// declarations do not name. What others are called is not certain.
func dropImports(f *ast.File, sources map[string]source) {
	named := namedByDeclarations(f)
	idle := func(spec *ast.ImportSpec) bool {
		on := sources[pathOf(spec)].unit
		switch {
		case on == nil:
			return false
		case spec.Name == nil:
			return !named[on.name]
		}
		return spec.Name.Name != "." && !named[spec.Name.Name]
	}
	f.Imports = slices.DeleteFunc(f.Imports, idle)
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			return false
		}
		g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool { return idle(s.(*ast.ImportSpec)) })
		return len(g.Specs) == 0 // go/types takes no declaration of nothing
	})
}

// namedByDeclarations finds the names that stand left of a dot in what decides the
// types of declarations.
func namedByDeclarations(f *ast.File) map[string]bool {
	named, idle := map[string]bool{}, map[ast.Node]bool{}
	for _, spec := range typedVars(f) {
		for _, v := range spec.Values {
			idle[v] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if _, body := n.(*ast.BlockStmt); body || idle[n] {
			return false
		}
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				named[id.Name] = true
			}
		}
		return true
	})
	return named
}

// dropValues takes off the values of variables that say their type.
func dropValues(f *ast.File) {
	for _, spec := range typedVars(f) {
		spec.Values = nil
	}
}

// typedVars lists the declarations of variables that say their type, outside functions.
func typedVars(f *ast.File) []*ast.ValueSpec {
	var out []*ast.ValueSpec
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			if spec, ok := s.(*ast.ValueSpec); ok && spec.Type != nil {
				out = append(out, spec)
			}
		}
	}
	return out
}

// pathOf is what an import names; "" if that cannot be read.
func pathOf(spec *ast.ImportSpec) string {
	imp, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	return imp
}
