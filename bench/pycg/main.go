// Pycg scores graphs of small Python programs against the call graphs that
// people wrote down for them: the snippets of the PyCG benchmark.
//
// Input is the folder of snippets, each with a callgraph.json, and a folder with
// the graph of each, CATEGORY/NAME.db; output is a table by category and the list
// of calls that differ. Unlike the keys of bench/accuracy these name functions and
// are whole: an edge that they lack is wrong. It runs nothing; bench/run-pycg does.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/previdence/previdence/bench/score"
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/store"
)

func main() {
	snippets := flag.String("snippets", "", "folder CATEGORY/NAME with callgraph.json in each")
	graphs := flag.String("graphs", "", "folder with CATEGORY/NAME.db")
	results := flag.String("results", "bench/results", "folder to write to")
	flag.Parse()
	if err := run(context.Background(), *snippets, *graphs, *results); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// A call leads from one dotted name to another: "main.A.run".
type call struct{ caller, callee string }

// A row is what one category gives.
type row struct {
	category                          string
	snippets, whole, sound            int // whole: nothing lost; sound: nothing wrong
	calls, matched, wrong, lambdaLost int
}

func run(ctx context.Context, snippets, graphs, results string) error {
	keys, err := filepath.Glob(filepath.Join(snippets, "*", "*", "callgraph.json"))
	if err != nil || len(keys) == 0 {
		return fmt.Errorf("%s: no callgraph.json below it", snippets)
	}
	rows := map[string]*row{}
	var differences strings.Builder
	for _, file := range keys {
		dir := filepath.Dir(file)
		category, name := filepath.Base(filepath.Dir(dir)), filepath.Base(dir)
		key, err := readKey(file)
		if err != nil {
			return err
		}
		found, err := readGraph(ctx, filepath.Join(graphs, category, name+".db"))
		if err != nil {
			return fmt.Errorf("%s/%s: %w", category, name, err)
		}
		if rows[category] == nil {
			rows[category] = &row{category: category}
		}
		rows[category].add(key, found, func(how string, c call) {
			fmt.Fprintf(&differences, "%s\t%s/%s\t%s\t%s\n", how, category, name, c.caller, c.callee)
		})
	}
	if err := os.WriteFile(filepath.Join(results, "pycg.tsv"), []byte(differences.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(results, "pycg.md"), []byte(markdown(rows)), 0o644)
}

// readKey reads a callgraph.json without calls that leave the snippet.
func readKey(file string) (map[call]bool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var lists map[string][]string
	if err := json.Unmarshal(text, &lists); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	modules, err := modulesOf(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	inside := func(name string) bool {
		return slices.ContainsFunc(modules, func(m string) bool { return name == m || strings.HasPrefix(name, m+".") })
	}
	key := map[call]bool{}
	for caller, callees := range lists {
		for _, callee := range callees {
			if inside(caller) && inside(callee) {
				key[call{caller, callee}] = true
			}
		}
	}
	return key, nil
}

// modulesOf lists the dotted names of the Python files below a folder.
func modulesOf(dir string) ([]string, error) {
	var modules []string
	err := filepath.WalkDir(dir, func(p string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(p) != ".py" {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		modules = append(modules, moduleName(filepath.ToSlash(rel)))
		return err
	})
	return modules, err
}

func moduleName(path string) string {
	name := strings.ReplaceAll(strings.TrimSuffix(path, ".py"), "/", ".")
	if name == "__init__" {
		return name
	}
	return strings.TrimSuffix(name, ".__init__")
}

// readGraph lists the calls of a graph by names, as the keys see them. A constructor
// call leads to the class as well, which has no name in the keys. A decorator is
// called where a function is defined, while the graph counts it as part of the
// function. What a lambda calls, the graph lets the function around it call, too.
func readGraph(ctx context.Context, path string) (map[call]bool, error) {
	db, err := store.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	g, err := db.Load(ctx)
	if err := errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	found := map[call]bool{}
	for _, e := range g.Edges {
		if to := &g.Symbols[e.To]; e.Kind != graph.EdgeCall && e.Kind != graph.EdgeDispatch || !runs(to) {
			continue
		}
		for _, line := range e.Lines {
			if inLambda(g, e, line) {
				continue
			}
			from := nameOf(g, e.From)
			if s := &g.Symbols[e.From]; runs(s) && int(line) < s.Line {
				from = around(g, s)
			}
			found[call{from, nameOf(g, e.To)}] = true
		}
	}
	return found, nil
}

func runs(s *graph.Symbol) bool { return s.Kind.Callable() || s.Kind == graph.KindLiteral }

// inLambda reports whether a lambda on the line has the edge as well.
func inLambda(g *graph.Graph, e graph.Edge, line int32) bool {
	return slices.ContainsFunc(g.Edges, func(o graph.Edge) bool {
		l := &g.Symbols[o.From]
		return o.To == e.To && o.From != e.From && l.Kind == graph.KindLiteral && l.Path == g.Symbols[e.From].Path && slices.Contains(o.Lines, line)
	})
}

// nameOf is the dotted name of a function, or of the function, else the module,
// that a class or variable stands in: its body runs there. Lambdas are numbered.
func nameOf(g *graph.Graph, i int32) string {
	s := &g.Symbols[i]
	switch {
	case s.Kind.Callable():
		return moduleName(s.Path) + "." + s.Qualified()
	case s.Kind == graph.KindLiteral:
		number := 1
		for j := range g.Symbols {
			if o := &g.Symbols[j]; o.Kind == graph.KindLiteral && o.Path == s.Path && o.Start < s.Start && around(g, o) == around(g, s) {
				number++
			}
		}
		return fmt.Sprintf("%s.<lambda%d>", around(g, s), number)
	}
	return around(g, s)
}

// around is the name of the function, else the module, that a symbol stands in.
func around(g *graph.Graph, s *graph.Symbol) string {
	module := moduleName(s.Path)
	for container := s.Container; container != ""; {
		for j := range g.Symbols {
			if around := &g.Symbols[j]; around.Path == s.Path && around.Qualified() == container && around.Kind.Callable() {
				return module + "." + container
			}
		}
		container = container[:max(0, strings.LastIndexByte(container, '.'))]
	}
	return module
}

func (r *row) add(key, found map[call]bool, differ func(how string, c call)) {
	r.snippets++
	lost, wrong := 0, 0
	order := func(a, b call) int { return cmp.Or(cmp.Compare(a.caller, b.caller), cmp.Compare(a.callee, b.callee)) }
	for _, c := range slices.SortedFunc(maps.Keys(key), order) {
		r.calls++
		if found[c] {
			r.matched++
			continue
		}
		lost++
		if strings.Contains(c.caller+c.callee, "<lambda") {
			r.lambdaLost++
		}
		differ("lost", c)
	}
	for _, c := range slices.SortedFunc(maps.Keys(found), order) {
		if !key[c] {
			wrong++
			differ("wrong", c)
		}
	}
	r.wrong += wrong
	if lost == 0 {
		r.whole++
	}
	if wrong == 0 {
		r.sound++
	}
}

func markdown(rows map[string]*row) string {
	var b strings.Builder
	b.WriteString("# The snippets of PyCG\n\nSmall programs with call graphs that people wrote down. Complete: no call of the snippet is lost; right: none is\n" +
		"wrong. Calls that leave a snippet are left out. Written by `make bench-pycg`.\n\n" +
		"| category | snippets | complete | right | calls | matched | of the lost, by or of a lambda | wrong | precision | recall |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	sum := row{category: "**all**"}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		r := rows[name]
		sum.snippets, sum.whole, sum.sound = sum.snippets+r.snippets, sum.whole+r.whole, sum.sound+r.sound
		sum.calls, sum.matched, sum.wrong, sum.lambdaLost = sum.calls+r.calls, sum.matched+r.matched, sum.wrong+r.wrong, sum.lambdaLost+r.lambdaLost
		r.write(&b)
	}
	sum.write(&b)
	return b.String()
}

func (r *row) write(b *strings.Builder) {
	precision, recall := score.Ratio{Of: r.matched, All: r.matched + r.wrong}, score.Ratio{Of: r.matched, All: r.calls}
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d of %d | %d | %.3f | %.3f |\n", r.category, r.snippets, r.whole, r.sound, r.calls, r.matched,
		r.lambdaLost, r.calls-r.matched, r.wrong, precision.Value(), recall.Value())
}
