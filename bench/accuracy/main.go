// Accuracy scores the graphs of the corpus against their answer keys and writes
// the table of results.
//
// Input is the list of cells, a folder of keys and a folder with what
// previdence said about each cell: CELL.edges.tsv and CELL.db, the graph itself,
// for what is unresolved and why. Output is accuracy.md, accuracy.json and for
// each cell the edges that are lost or wrong. A cell without a graph keeps the
// result that stands in accuracy.json. It runs nothing and fetches nothing:
// bench/run does. What the figures mean: bench/README.md.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
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
	cells := flag.String("cells", "bench/cells.tsv", "list of cells")
	keys := flag.String("keys", "bench/keys", "folder with the answer keys")
	graphs := flag.String("graphs", "", "folder with CELL.edges.tsv and CELL.db")
	peers := flag.String("peers", "bench/peers.tsv", "figures of other tools")
	results := flag.String("results", "bench/results", "folder to write to")
	one := flag.String("cell", "", "print the line of peers.tsv for `CELL` and write nothing")
	edges := flag.String("edges", "", "edges of another tool, with -cell")
	tool := flag.String("tool", "", "name and version of that tool")
	flag.Parse()
	if *one != "" {
		if err := scorePeer(*cells, *keys, *one, *edges, *tool); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(context.Background(), *cells, *keys, *graphs, *peers, *results); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// A cell is one repository at one commit, scored in one way.
type cell struct{ Name, Language, Repository, Commit, Option string }

// executed reports whether the key of a cell is what its tests ran, and the
// prefix of the paths that count.
func (c *cell) executed() (prefix string, ok bool) { return strings.CutPrefix(c.Option, "run ") }

// without takes what a graph was built without off the option: "bare" for the Go
// distribution and the module cache, "types-off" for types. It is scored like one that
// was built with them.
func (c *cell) without() (option, what string) {
	first, rest, _ := strings.Cut(c.Option, " ")
	if first == "bare" || first == "types-off" {
		return rest, first
	}
	return c.Option, ""
}

// unkeyed reports whether a cell has no oracle: only its silence is counted.
func (c *cell) unkeyed() bool { return c.Option == "unkeyed" }

// beyond lists the tiers of Go edges that a key cannot have: those that need a
// test, if it starts at the mains alone, and those that need another program.
func (c *cell) beyond() []string {
	option, _ := c.without()
	_, executed := c.executed()
	switch {
	case c.Language != "go":
		return nil
	case option == "":
		return []string{"test", "latent"}
	case option == "tests", executed:
		return []string{"latent"}
	}
	return nil
}

// key is the name of the cell's key: cells that read one run in two ways share it,
// and what was built without something is held against what the whole program is.
func (c *cell) key() string {
	if _, what := c.without(); what != "" {
		return strings.TrimSuffix(c.Name, "-"+what)
	}
	if _, ok := c.executed(); ok {
		return c.Repository + "-run"
	}
	return c.Name
}

// A result is what accuracy.json keeps of a cell.
type result struct {
	Cell       string        `json:"cell"`
	Language   string        `json:"language"`
	Repository string        `json:"repository"`
	Commit     string        `json:"commit"`
	Key        []string      `json:"key"`
	Files      int           `json:"files"`
	Executed   bool          `json:"executed,omitempty"` // the key is what the tests ran
	Unkeyed    bool          `json:"unkeyed,omitempty"`  // there is no key
	Score      *score.Result `json:"score"`
	Calls      graph.Counts  `json:"calls"`      // call sites of the language in the whole tree, by tier
	Unresolved []score.Count `json:"unresolved"` // call sites without a target, by reason
	Outside    []score.Count `json:"outside"`    // call sites that leave the repository, as the key says, by package
	Open       []score.Count `json:"open"`       // call sites that the key does not resolve
}

func run(ctx context.Context, cellList, keys, graphs, peerList, results string) error {
	cells, err := readCells(cellList)
	if err != nil {
		return err
	}
	peers, err := readPeers(peerList)
	if err != nil {
		return err
	}
	kept, err := readResults(filepath.Join(results, "accuracy.json"))
	if err != nil {
		return err
	}
	var all []result
	for _, c := range cells {
		r, err := scoreCell(ctx, c, keys, graphs, results)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if old, ok := kept[c.Name]; ok && old.Commit == c.Commit {
				all = append(all, old)
			}
		case err != nil:
			return fmt.Errorf("%s: %w", c.Name, err)
		default:
			all = append(all, *r)
		}
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(results, "accuracy.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(results, "accuracy.md"), []byte(markdown(all, peers)), 0o644)
}

// rows reads the tab-separated fields of each line that is no comment.
func rows(path string, fields int) ([][]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != fields {
			return nil, fmt.Errorf("%s: %q has %d fields, want %d", path, line, len(f), fields)
		}
		out = append(out, f)
	}
	return out, nil
}

func readCells(path string) ([]cell, error) {
	list, err := rows(path, 5)
	var cells []cell
	for _, f := range list {
		cells = append(cells, cell{f[0], f[1], f[2], f[3], f[4]})
	}
	return cells, err
}

func readResults(path string) (map[string]result, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []result
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	kept := map[string]result{}
	for _, r := range list {
		kept[r.Cell] = r
	}
	return kept, nil
}

// readKey reads the key of a cell, without the files that the cell leaves out.
func (c *cell) readKey(keys string) (*score.Key, error) {
	if c.unkeyed() {
		return score.ReadKey(strings.NewReader("# no oracle\n"))
	}
	key, err := readFile(filepath.Join(keys, c.key()+".tsv"), score.ReadKey)
	if err != nil {
		return nil, err
	}
	if prefix, ok := c.executed(); ok {
		maps.DeleteFunc(key.Files, func(path string, _ bool) bool { return !strings.HasPrefix(path, prefix) })
	}
	return key, nil
}

// scorePeer prints what another tool scores on one cell.
func scorePeer(cellList, keys, name, edges, tool string) error {
	cells, err := readCells(cellList)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(cells, func(c cell) bool { return c.Name == name })
	if i < 0 {
		return fmt.Errorf("%s: no such cell", name)
	}
	key, err := cells[i].readKey(keys)
	if err != nil {
		return err
	}
	found, err := readFile(edges, score.ReadFound)
	if err != nil {
		return err
	}
	r := score.Compare(key, found)
	fmt.Printf("%s\t%s\t%.3f\t%.3f\tmeasured\n", name, tool, r.Precision().Value(), r.Recall().Value())
	return nil
}

func scoreCell(ctx context.Context, c cell, keys, graphs, results string) (*result, error) {
	found, err := readFile(filepath.Join(graphs, c.Name+".edges.tsv"), score.ReadFound)
	if err != nil {
		return nil, err
	}
	key, err := c.readKey(keys)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, filepath.Join(graphs, c.Name+".db"))
	if err != nil {
		return nil, err
	}
	g, err := db.Load(ctx)
	if err := errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	key.Beyond = c.beyond()
	_, executed := c.executed()
	if executed {
		found = slices.DeleteFunc(found, decorates)
	}
	if c.Language == "python" {
		found = withoutLambdas(found, g)
	}
	r := &result{
		Cell: c.Name, Language: c.Language, Repository: c.Repository, Commit: c.Commit, Key: key.Head, Files: len(key.Files),
		Score: score.Compare(key, found), Calls: callsOf(g, c.Language), Unresolved: unresolved(g, c.Language),
		Outside: score.Largest(key.Outside, 10), Open: score.Largest(key.Open, 10),
	}
	r.Executed, r.Unkeyed = executed, c.unkeyed()
	if r.Unkeyed {
		return r, nil
	}
	return r, writeDifferences(filepath.Join(results, c.Name+".tsv"), key, r.Score)
}

// decorates reports whether all sites of an edge stand above its caller: the calls of
// decorators, which ran when the caller was defined.
func decorates(f score.Found) bool {
	return !slices.ContainsFunc(f.Lines, func(line int) bool { return line >= f.Caller.Line })
}

// withoutLambdas leaves out the edges to lambdas, which pyright and a run have no
// definition of.
func withoutLambdas(found []score.Found, g *graph.Graph) []score.Found {
	named, lambda := map[score.Place]bool{}, map[score.Place]bool{}
	for i := range g.Symbols {
		s := &g.Symbols[i]
		at := score.Place{Path: s.Path, Line: s.Line}
		switch {
		case s.Kind == graph.KindLiteral:
			lambda[at] = true
		case s.Kind.Callable() || s.Kind == graph.KindClass:
			named[at] = true
		}
	}
	return slices.DeleteFunc(found, func(f score.Found) bool { return lambda[f.Callee] && !named[f.Callee] })
}

func readFile[T any](path string, read func(io.Reader) (T, error)) (T, error) {
	f, err := os.Open(path)
	if err != nil {
		var none T
		return none, err
	}
	v, err := read(f)
	return v, errors.Join(err, f.Close())
}

// family is the languages that one linker resolves together.
var family = map[string][]string{"typescript": {"typescript", "tsx", "javascript", "jsx"}}

func speaks(language, of string) bool {
	if language == of {
		return true
	}
	return slices.Contains(family[of], language)
}

func callsOf(g *graph.Graph, language string) graph.Counts {
	sum := graph.Counts{Language: language}
	for _, c := range g.Counts {
		if !speaks(c.Language, language) {
			continue
		}
		sum.Compiler += c.Compiler
		sum.Exact += c.Exact
		sum.Dispatch += c.Dispatch
		sum.Import += c.Import
		sum.Name += c.Name
		sum.Unresolved += c.Unresolved
		sum.External += c.External
	}
	return sum
}

// unresolved counts calls without a target by why they have none.
func unresolved(g *graph.Graph, language string) []score.Count {
	reasons := map[string]int{}
	for _, u := range g.Unresolved {
		if u.Kind == graph.EdgeCall && speaks(g.Symbols[u.From].Language, language) {
			reasons[u.Reason]++
		}
	}
	return score.Largest(reasons, 10)
}

// writeDifferences lists what the graph and the key disagree on, so that a
// change shows which edges it moves.
func writeDifferences(path string, key *score.Key, r *score.Result) error {
	var b strings.Builder
	for _, e := range r.Lost {
		fmt.Fprintf(&b, "lost\t%s:%d\t%s:%d\t%s\n", e.Caller.Path, e.Caller.Line, e.Callee.Path, e.Callee.Line, key.Calls[e].Kind)
	}
	for _, e := range r.Wrong {
		fmt.Fprintf(&b, "wrong\t%s:%d\t%s:%d\t\n", e.Caller.Path, e.Caller.Line, e.Callee.Path, e.Callee.Line)
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
