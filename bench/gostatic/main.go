// Gostatic writes the answer key of the calls that Go source itself decides: of
// functions and of methods of concrete types, as go/types sees them.
//
// Input is the source of the Go distribution, which has no main that reaches all
// of it; output is a key as package bench/score reads it, for the platform of the
// environment and with tests. The caller is the declared function around the call.
// Calls of interface methods and function values are not in the key, so only edges
// of kind "call" can be compared with it; it judges all declared functions that it
// saw, of packages without errors. It shares no code with the product.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

func main() {
	root := flag.String("root", ".", "folder that the key's paths are relative to")
	flag.Parse()
	if err := run(os.Stdout, *root, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

type place struct {
	path string
	line int
}

type edge struct{ caller, callee place }

// A key collects what the type checker says about the files under root.
type key struct {
	root       string
	positions  *token.FileSet
	files      map[string]bool
	edges      map[edge]bool
	judged     map[place]bool
	loadErrors int
}

func run(w io.Writer, root string, patterns []string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	k := &key{root: root, positions: token.NewFileSet(), files: map[string]bool{}, edges: map[edge]bool{}, judged: map[place]bool{}}
	loaded, err := packages.Load(&packages.Config{
		Dir: root, Fset: k.positions, Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
	}, patterns...)
	if err != nil {
		return err
	}
	for _, p := range loaded {
		k.loadErrors += len(p.Errors)
		for _, f := range p.Syntax {
			k.file(p, f)
		}
	}
	return k.write(w)
}

func (k *key) file(p *packages.Package, f *ast.File) {
	at := k.at(f.Package)
	if at == (place{}) {
		return
	}
	k.files[at.path] = true
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		caller := k.at(fn.Name.Pos())
		if len(p.Errors) == 0 {
			k.judged[caller] = true
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if callee := typeutil.StaticCallee(p.TypesInfo, n); callee != nil {
					k.add(caller, k.at(callee.Origin().Pos()))
				}
				if lit, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
					k.add(caller, k.at(lit.Pos()))
				}
			}
			return true
		})
	}
}

func (k *key) add(caller, callee place) {
	if callee != (place{}) {
		k.edges[edge{caller, callee}] = true
	}
}

// at is a place below the root; the zero place lies outside.
func (k *key) at(pos token.Pos) place {
	if !pos.IsValid() {
		return place{}
	}
	p := k.positions.PositionFor(pos, false)
	rel, err := filepath.Rel(k.root, p.Filename)
	if err != nil || strings.HasPrefix(rel, "..") || !strings.HasSuffix(rel, ".go") {
		return place{}
	}
	return place{filepath.ToSlash(rel), p.Line}
}

func (k *key) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# static calls as go/types sees them; load errors: %d\n", k.loadErrors)
	order := func(a, b place) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line)) }
	for _, e := range slices.SortedFunc(maps.Keys(k.edges), func(a, b edge) int { return cmp.Or(order(a.caller, b.caller), order(a.callee, b.callee)) }) {
		if k.files[e.callee.path] {
			fmt.Fprintf(b, "E\t%s\t%d\t%s\t%d\tstatic\tcall\n", e.caller.path, e.caller.line, e.callee.path, e.callee.line)
		}
	}
	for _, f := range slices.Sorted(maps.Keys(k.files)) {
		fmt.Fprintf(b, "F\t%s\n", f)
	}
	for _, p := range slices.SortedFunc(maps.Keys(k.judged), order) {
		fmt.Fprintf(b, "J\t%s\t%d\n", p.path, p.line)
	}
	return b.Flush()
}
