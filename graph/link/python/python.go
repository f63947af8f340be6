// Package python resolves the references of Python files into edges.
//
// Input is the facts of all Python files of one tree and, for where packages
// are rooted, its project files; output is edges with their tier, what could
// not be resolved and why, and counts. It follows the language's own rules:
// scopes, imports, packages, classes with their linearised bases, declared and
// locally inferred types. What is dynamic (getattr with a computed name,
// monkeypatching, computed imports) is counted at its place, never guessed.
//
// The package runs nothing and imports nothing of the tree's code. Files are
// linked one by one, each with a memory of its own, so that the answer does not
// depend on how many workers there are.
package python

import (
	"context"

	"github.com/sourcegraph/conc/pool"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/link"
)

// Language is the language that this linker resolves.
const Language = "python"

const version = 9

// A Linker resolves Python.
type Linker struct{}

// New returns a linker.
func New() *Linker { return &Linker{} }

// Languages lists the one language it resolves.
func (*Linker) Languages() []string { return []string{Language} }

// Version changes whenever the output for unchanged input would change.
func (*Linker) Version() uint32 { return version }

// Link resolves all references of the files.
func (*Linker) Link(ctx context.Context, in link.Input) (link.Output, error) {
	p, err := newProject(ctx, in)
	if err != nil {
		return link.Output{}, err
	}
	p.readClasses()
	results := make([]fileResult, len(p.files))
	workers := pool.New().WithMaxGoroutines(max(in.Workers, 1)).WithContext(ctx).WithCancelOnError()
	for i := range p.files {
		workers.Go(func(ctx context.Context) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			results[i] = linkFile(p, int32(i))
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return link.Output{}, err
	}
	return p.join(results), nil
}

// join puts the files' results together in the order of the files.
func (p *project) join(results []fileResult) link.Output {
	out := link.Output{Symbols: p.made, Tests: p.foundTests()}
	counts := graph.Counts{Language: Language}
	dynamic := caveatCount{}
	p.settle(results)
	for i := range results {
		r := &results[i]
		out.Edges = append(out.Edges, r.edges...)
		out.Unresolved = append(out.Unresolved, r.unresolved...)
		addCounts(&counts, r.counts)
		if r.dynamic > 0 {
			dynamic.add(r.dynamic, p.files[i].Path)
		}
	}
	out.Edges = p.dropLiterals(append(out.Edges, p.overrideEdges()...))
	if len(p.files) > 0 {
		out.Counts = []graph.Counts{counts}
	}
	if dynamic.count > 0 {
		out.Caveats = append(out.Caveats, graph.Caveat{
			ID:    "python.dynamic",
			Text:  "Attributes and modules are looked up by computed names (getattr, setattr, import_module, exec); what they reach is not in the graph.",
			Count: dynamic.count, Examples: dynamic.examples,
		})
	}
	return out
}

// A caveatCount counts occurrences and keeps the first few places in order.
type caveatCount struct {
	count    int
	examples []string
}

func (c *caveatCount) add(n int, path string) {
	c.count += n
	if len(c.examples) < 5 {
		c.examples = append(c.examples, path)
	}
}

func addCounts(to *graph.Counts, c graph.Counts) {
	to.Compiler += c.Compiler
	to.Exact += c.Exact
	to.Dispatch += c.Dispatch
	to.Import += c.Import
	to.Name += c.Name
	to.Unresolved += c.Unresolved
	to.External += c.External
}
