// Gokey writes the answer key of a Go repository: which function calls which,
// as rapid type analysis over the SSA form of the whole program sees it.
//
// Input is a folder with a go.mod whose dependencies are in the module cache;
// output is a key as package bench/score reads it. Gokey says nothing about
// functions that no main package and no test reaches: the key has no edge of
// theirs and does not judge them. It shares no code with the product. How it
// is made and what it cannot say: bench/README.md.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

func main() {
	repo := flag.String("repo", ".", "folder with the go.mod")
	tests := flag.Bool("tests", false, "include test files and start at the tests, too")
	flag.Parse()
	if err := run(os.Stdout, *repo, *tests); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, repo string, tests bool) error {
	root, err := filepath.Abs(repo)
	if err != nil {
		return err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return err
	}
	loaded, err := packages.Load(&packages.Config{
		Dir: root, Tests: tests,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedDeps | packages.NeedImports | packages.NeedModule,
	}, "./...")
	if err != nil {
		return err
	}
	k := &key{root: root, files: map[string]bool{}, edges: map[edge]string{}, judged: map[place]bool{}, outside: map[string]map[place]bool{}}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		k.loadErrors += len(p.Errors)
		for _, f := range p.CompiledGoFiles {
			if rel := k.relative(f); rel != "" {
				k.files[rel] = true
			}
		}
	})
	program, _ := ssautil.AllPackages(loaded, ssa.InstantiateGenerics)
	program.Build()
	k.positions = program.Fset
	roots := rootsOf(program)
	if len(roots) == 0 {
		return fmt.Errorf("%s: no package main and no test", repo)
	}
	graph := rta.Analyze(roots, true).CallGraph
	k.judge(graph)
	for _, n := range graph.Nodes {
		for _, e := range n.Out {
			k.add(e)
		}
	}
	return k.write(w)
}

// rootsOf are main and init of every main package, those of tests included.
func rootsOf(program *ssa.Program) []*ssa.Function {
	var roots []*ssa.Function
	for _, p := range program.AllPackages() {
		if p.Pkg.Name() != "main" {
			continue
		}
		for _, name := range []string{"main", "init"} {
			if f := p.Func(name); f != nil {
				roots = append(roots, f)
			}
		}
	}
	return roots
}

// A place is where a function is declared; the zero place lies outside.
type place struct {
	path string
	line int
}

type edge struct{ caller, callee place }

// A key collects what the call graph says about the files under root.
type key struct {
	root       string
	positions  *token.FileSet
	files      map[string]bool
	edges      map[edge]string // the strongest kind of call seen
	judged     map[place]bool
	outside    map[string]map[place]bool // package → sites that call into it
	loadErrors int
}

// relative is the path below the root; "" if it is not.
func (k *key) relative(file string) string {
	rel, err := filepath.Rel(k.root, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return ""
	}
	return filepath.ToSlash(rel)
}

func (k *key) at(pos token.Pos) place {
	if !pos.IsValid() {
		return place{}
	}
	p := k.positions.Position(pos)
	if rel := k.relative(p.Filename); k.files[rel] {
		return place{rel, p.Line}
	}
	return place{}
}

func outermost(f *ssa.Function) *ssa.Function {
	for f.Parent() != nil {
		f = f.Parent()
	}
	return f
}

// whole reports whether the analysis reached all functions inside f.
func whole(graph *callgraph.Graph, f *ssa.Function) bool {
	for _, inner := range f.AnonFuncs {
		if graph.Nodes[inner] == nil || !whole(graph, inner) {
			return false
		}
	}
	return true
}

// judge takes the functions that were reached with all that they contain. One
// instance of a generic function that was not withholds all of them.
func (k *key) judge(graph *callgraph.Graph) {
	withheld := map[place]bool{}
	for f := range graph.Nodes {
		if f == nil {
			continue
		}
		top := outermost(f)
		at := k.at(top.Pos())
		switch {
		case at == place{}:
		case whole(graph, top):
			k.judged[at] = true
		default:
			withheld[at] = true
		}
	}
	maps.DeleteFunc(k.judged, func(p place, _ bool) bool { return withheld[p] })
}

// kinds of calls, strongest first: an edge keeps the strongest that it has.
var kinds = []string{"function", "method", "generic", "literal", "interface", "value: function", "value: method", "value: literal"}

func kindOf(site ssa.CallInstruction, callee *ssa.Function) string {
	common := site.Common()
	switch {
	case common.IsInvoke():
		return "interface"
	case common.StaticCallee() != nil && callee.Parent() != nil:
		return "literal"
	case common.StaticCallee() != nil && callee.Origin() != nil:
		return "generic"
	case common.StaticCallee() != nil && callee.Signature.Recv() != nil:
		return "method"
	case common.StaticCallee() != nil:
		return "function"
	case callee.Parent() != nil:
		return "value: literal"
	case callee.Signature.Recv() != nil || callee.Synthetic != "":
		return "value: method"
	}
	return "value: function"
}

func static(kind string) bool { return slices.Index(kinds, kind) < slices.Index(kinds, "interface") }

func (k *key) add(e *callgraph.Edge) {
	if e.Site == nil {
		return
	}
	site := k.at(e.Site.Pos())
	caller := k.at(outermost(e.Caller.Func).Pos())
	if site == (place{}) || caller == (place{}) {
		return
	}
	callee := k.at(e.Callee.Func.Pos())
	if callee == (place{}) {
		if p := e.Callee.Func.Package(); p != nil && e.Site.Common().StaticCallee() != nil {
			if k.outside[p.Pkg.Path()] == nil {
				k.outside[p.Pkg.Path()] = map[place]bool{}
			}
			at := k.positions.Position(e.Site.Pos())
			k.outside[p.Pkg.Path()][place{site.path, at.Offset}] = true
		}
		return
	}
	kind, to := kindOf(e.Site, e.Callee.Func), edge{caller, callee}
	if had, ok := k.edges[to]; !ok || slices.Index(kinds, kind) < slices.Index(kinds, had) {
		k.edges[to] = kind
	}
}

func (k *key) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# go/packages, go/ssa and rapid type analysis of golang.org/x/tools; load errors: %d\n", k.loadErrors)
	order := func(a, b place) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line)) }
	for _, e := range slices.SortedFunc(maps.Keys(k.edges), func(a, b edge) int {
		return cmp.Or(order(a.caller, b.caller), order(a.callee, b.callee))
	}) {
		how := "dynamic"
		if static(k.edges[e]) {
			how = "static"
		}
		fmt.Fprintf(b, "E\t%s\t%d\t%s\t%d\t%s\t%s\n", e.caller.path, e.caller.line, e.callee.path, e.callee.line, how, k.edges[e])
	}
	for _, f := range slices.Sorted(maps.Keys(k.files)) {
		fmt.Fprintf(b, "F\t%s\n", f)
	}
	for _, p := range slices.SortedFunc(maps.Keys(k.judged), order) {
		fmt.Fprintf(b, "J\t%s\t%d\n", p.path, p.line)
	}
	for _, p := range slices.Sorted(maps.Keys(k.outside)) {
		fmt.Fprintf(b, "X\t%s\t%d\n", p, len(k.outside[p]))
	}
	return b.Flush()
}
