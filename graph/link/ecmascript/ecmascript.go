// Package ecmascript links TypeScript, TSX and JavaScript files.
//
// Input is the facts that graph/extract/ecmascript made, and the configuration
// files of the tree (package.json, tsconfig.json, jsconfig.json); output is
// edges with tiers, and what could not be resolved with its reason. Names are
// resolved by the language's rules: scopes, imports, re-exports, CommonJS,
// classes, declared types and locally inferred ones. What leaves the tree is
// counted as external. The package never runs a program, never follows
// configuration out of the tree, and never matches a name across the whole
// repository: a name alone counts only among the files that the caller imports,
// directly or indirectly.
package ecmascript

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/link"
)

// version changes whenever the output for unchanged facts would change.
const version = 13

// A Linker links the files of this family of languages. It has no state.
type Linker struct{}

// New returns a linker.
func New() *Linker { return &Linker{} }

// Languages lists what the linker wants in its input.
func (*Linker) Languages() []string { return []string{"javascript", "tsx", "typescript"} }

// Version is the version of the rules.
func (*Linker) Version() uint32 { return version }

// Link resolves the references of all files.
func (*Linker) Link(ctx context.Context, in link.Input) (link.Output, error) {
	r, err := newResolver(ctx, in)
	if err != nil {
		return link.Output{}, err
	}
	p := &program{files: make([]*file, len(in.Files)), symbols: in.Symbols, heirs: map[int32][]int32{}, parents: map[int32][]int32{},
		objects: map[int32][]literal{}}
	linkers := make([]*fileLinker, len(in.Files))
	err = each(ctx, in.Workers, len(in.Files), func(i int) {
		f := newFile(in.Files[i], int32(i))
		f.modules = make([]module, len(f.f.Imports))
		for k := range f.f.Imports {
			f.modules[k] = r.resolve(f.Path, f.f.Imports[k].Module)
		}
		p.files[i] = f
		linkers[i] = &fileLinker{p: p, f: f, v: newEval(p), foreign: map[int32]bool{}}
	})
	if err != nil {
		return link.Output{}, err
	}
	p.indexMethods()
	p.indexMixins()
	p.indexAssigned()
	p.indexReopened()
	p.indexAugmented()
	p.indexAmbient()
	p.indexGiven()
	p.indexBehind(r)
	if err := each(ctx, in.Workers, len(linkers), func(i int) { linkers[i].inherit() }); err != nil {
		return link.Output{}, err
	}
	for _, l := range linkers {
		p.addHeirs(l.bases)
		p.addObjects(l.objects)
	}
	if err := each(ctx, in.Workers, len(linkers), func(i int) { linkers[i].link() }); err != nil {
		return link.Output{}, err
	}
	out := collect(linkers)
	out.Edges = append(out.Edges, p.behindEdges()...)
	return out, nil
}

// each calls one for every index below n on several goroutines. It stops early
// only if ctx ends.
func each(ctx context.Context, workers, n int, one func(int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range max(1, min(workers, n)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n || ctx.Err() != nil {
					return
				}
				one(i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// collect joins what the files gave, in their order.
func collect(linkers []*fileLinker) link.Output {
	var out link.Output
	counts := map[string]*graph.Counts{}
	for _, language := range New().Languages() {
		counts[language] = &graph.Counts{Language: language}
	}
	dynamic, missing := 0, 0
	var examples []string
	for _, l := range linkers {
		out.Edges = append(out.Edges, l.edges...)
		out.Unresolved = append(out.Unresolved, l.unresolved...)
		c := counts[l.f.f.Language]
		if c == nil {
			continue
		}
		c.Exact += l.counts.Exact
		c.Dispatch += l.counts.Dispatch
		c.Import += l.counts.Import
		c.Name += l.counts.Name
		c.Unresolved += l.counts.Unresolved
		c.External += l.counts.External
		dynamic += l.uncertainModules
		missing += len(l.f.modules)
		if l.uncertainModules > 0 && len(examples) < 5 {
			examples = append(examples, l.f.Path)
		}
	}
	for _, language := range New().Languages() {
		if c := *counts[language]; c != (graph.Counts{Language: language}) {
			out.Counts = append(out.Counts, c)
		}
	}
	if dynamic > 0 {
		out.Caveats = append(out.Caveats, graph.Caveat{ID: "ecmascript.unknown_modules",
			Text:  "imports that may lead to a file of this tree could not be followed to it",
			Count: dynamic, Of: missing, Examples: examples})
	}
	return out
}
