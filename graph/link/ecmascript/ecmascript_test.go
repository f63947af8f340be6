package ecmascript_test

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/previdence/previdence/graph"
	extract "github.com/previdence/previdence/graph/extract/ecmascript"
	"github.com/previdence/previdence/graph/link"
	"github.com/previdence/previdence/graph/link/ecmascript"
)

var extractor = extract.New()

// tree is a tree in memory.
type tree struct {
	paths   []string
	content map[string][]byte
}

func (t tree) Paths() []string { return t.paths }

func (t tree) Read(_ context.Context, path string) ([]byte, error) {
	if c, ok := t.content[path]; ok {
		return c, nil
	}
	return nil, fs.ErrNotExist
}

func language(p string) string {
	switch path.Ext(p) {
	case ".ts", ".mts", ".cts":
		return "typescript"
	case ".tsx":
		return "tsx"
	case ".js", ".mjs", ".cjs", ".jsx":
		return "javascript"
	}
	return ""
}

// load makes the input of a linker from a txtar archive.
func load(t testing.TB, archive string) link.Input {
	t.Helper()
	files := tree{content: map[string][]byte{}}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		files.paths = append(files.paths, f.Name)
		files.content[f.Name] = f.Data
	}
	slices.Sort(files.paths)
	in := link.Input{Tree: files, Workers: 1}
	for _, p := range files.paths {
		l := language(p)
		if l == "" {
			continue
		}
		r, err := extractor.Extract(context.Background(), l, files.content[p])
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, link.File{Path: p, Facts: r.Facts, Symbols: int32(len(in.Symbols))})
		for i, id := range r.Facts.IDs(p) {
			s := &r.Facts.Symbols[i]
			in.Symbols = append(in.Symbols, graph.Symbol{ID: id, Name: s.Name, Container: r.Facts.Containers(int32(i)), Kind: s.Kind, Path: p, Line: int(s.Line)})
		}
	}
	return in
}

func linkAll(t testing.TB, in link.Input) link.Output {
	t.Helper()
	out, err := ecmascript.New().Link(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// name writes a symbol as path#Container.name.
func name(s *graph.Symbol) string {
	if s.Kind == graph.KindModule {
		return s.Path
	}
	return s.Path + "#" + s.Qualified()
}

// edges writes the edges of some kinds, each once.
func edges(in link.Input, out link.Output, kinds ...graph.EdgeKind) []string {
	var all []string
	for _, e := range out.Edges {
		if slices.Contains(kinds, e.Kind) {
			all = append(all, fmt.Sprintf("%s -> %s %s %s", name(&in.Symbols[e.From]), name(&in.Symbols[e.To]), e.Kind, e.Tier))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// unresolved writes the unresolved references.
func unresolved(in link.Input, out link.Output) []string {
	var all []string
	for _, u := range out.Unresolved {
		broken := ""
		if u.Broken {
			broken = " broken"
		}
		all = append(all, fmt.Sprintf("%s:%d %s %s in %q: %s%s", name(&in.Symbols[u.From]), u.Line, u.Kind, u.Name, u.In, u.Reason, broken))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var calls = []graph.EdgeKind{graph.EdgeCall, graph.EdgeDispatch}

type linkTest struct {
	name       string
	archive    string
	kinds      []graph.EdgeKind // calls and dispatches if empty
	want       []string         // all edges of these kinds
	unresolved []string         // all unresolved references
}

func (tt *linkTest) run(t *testing.T) {
	in := load(t, tt.archive)
	out := linkAll(t, in)
	kinds := tt.kinds
	if kinds == nil {
		kinds = calls
	}
	slices.Sort(tt.want)
	if got := edges(in, out, kinds...); !slices.Equal(got, tt.want) {
		t.Errorf("edges:\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
	}
	tt.checkUnresolved(t, in, out)
}

// runUnresolved looks at nothing but the unresolved references.
func (tt *linkTest) runUnresolved(t *testing.T) {
	in := load(t, tt.archive)
	tt.checkUnresolved(t, in, linkAll(t, in))
}

func (tt *linkTest) checkUnresolved(t *testing.T, in link.Input, out link.Output) {
	slices.Sort(tt.unresolved)
	if got := unresolved(in, out); !slices.Equal(got, tt.unresolved) {
		t.Errorf("unresolved:\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(tt.unresolved, "\n     "))
	}
}

func runAll(t *testing.T, tests []linkTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, tt.run)
	}
}

func TestDeterminism(t *testing.T) {
	var archive strings.Builder
	for i := range 40 {
		fmt.Fprintf(&archive, `-- m%d.ts --
import { f%d as next, C%d as Base } from './m%d'
import * as all from './index'
export class C%d { m() { return next() } n() { return this.m() } }
export function f%d() { return new Base().n() ?? all.f%d() ?? missing.x() }
`, i, (i+1)%40, (i+1)%40, (i+1)%40, i, i, (i+7)%40)
	}
	archive.WriteString("-- index.ts --\n")
	for i := range 40 {
		fmt.Fprintf(&archive, "export * from './m%d'\n", i)
	}
	in := load(t, archive.String())
	one := linkAll(t, in)
	in.Workers = 8
	for range 3 {
		if !reflect.DeepEqual(one, linkAll(t, in)) {
			t.Fatal("the output depends on the number of workers")
		}
	}
	if len(edges(in, one, graph.EdgeCall)) < 120 {
		t.Errorf("only %d call edges", len(edges(in, one, graph.EdgeCall)))
	}
}

func TestCounts(t *testing.T) {
	in := load(t, `
-- a.ts --
import { b } from './b'
import ext from 'somewhere'
export function f(x: any) { b(); console.log(ext()); [1].map(String); x.unheardOf() }
-- b.ts --
export function b() {}
`)
	out := linkAll(t, in)
	want := []graph.Counts{{Language: "typescript", Exact: 1, Unresolved: 1, External: 3}}
	if !slices.Equal(out.Counts, want) {
		t.Errorf("counts = %+v, want %+v", out.Counts, want)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ecmascript.New().Link(ctx, load(t, "-- a.ts --\nexport const a = 1\n")); err == nil {
		t.Error("a cancelled link must fail")
	}
}

// FuzzLink links two files that import each other: it must not panic or hang,
// whatever they say, and every index must be valid.
func FuzzLink(f *testing.F) {
	seeds := [][2]string{
		{"export * from './b'; export default class A extends B {}", "export * from './a'; import B from './a'; export const { x, ...y } = B"},
		{"const o = { ...p }; let p = { ...o }; o.x()", "type T = T[]; let v: T; v.x.y()"},
		{"module.exports = f; function f(X) { X.m = () => X.m() }", "const M = module.exports; require('./a')(M); M.m()"},
		{"interface I<T> extends I<I<T>> { (): I<T>; new (): I<T>; x: I<T> } declare let i: I<number>; i().x(); new i()", "import('./a').then(m => m.i())"},
		{"interface I { '()': I; '[]': I } declare let i: I; i(); i[0](); const f: I = x => x.y()", ""},
		{"function f<T>(x: T): T[] { return f(f(x)) } f(1)[0].x()", "class A extends A { m() { super.m() } } new A().m()"},
	}
	for _, s := range seeds {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		in := link.Input{Tree: tree{paths: []string{"a.ts", "b.js"}}, Workers: 1}
		for i, src := range []string{a, b} {
			r, err := extractor.Extract(context.Background(), []string{"typescript", "javascript"}[i], []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			p := in.Tree.Paths()[i]
			in.Files = append(in.Files, link.File{Path: p, Facts: r.Facts, Symbols: int32(len(in.Symbols))})
			for _, id := range r.Facts.IDs(p) {
				in.Symbols = append(in.Symbols, graph.Symbol{ID: id, Path: p})
			}
		}
		out := linkAll(t, in)
		n := int32(len(in.Symbols))
		for _, e := range out.Edges {
			if e.From < 0 || e.From >= n || e.To < 0 || e.To >= n || e.Kind == 0 || e.Tier == 0 || len(e.Lines) != 1 || e.Lines[0] < 1 {
				t.Fatalf("edge %+v of %d symbols", e, n)
			}
		}
		for _, u := range out.Unresolved {
			if u.From < 0 || u.From >= n || u.Reason == "" || u.Kind == 0 {
				t.Fatalf("unresolved %+v of %d symbols", u, n)
			}
		}
	})
}
