// Gorun makes the answer key of what really ran in a Go repository: which function
// called which while its tests ran. It runs nothing itself:
//
//	gorun -repo DIR -work WORK                   # writes WORK/overlay.json and what it names
//	PREVIDENCE_TRACE=TRACE go test -C DIR -overlay=WORK/overlay.json -count=1 -vet=off -trimpath=false ./...
//	gorun -repo DIR -trace TRACE >KEY
//
// Input is a folder with a go.mod; output is a key as package bench/score reads
// it. The overlay has each function and function literal begin with a call that
// notes who called it; the folder stays as it is. A pair is a call without anything
// between: what the standard library calls back has no caller, nor does what a go
// statement starts. The caller is the outermost function around the call. The key
// judges every function that ran, so a precision against it is a lower bound: what
// the tests did not do is no error.
package main

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

//go:embed tracer/tracer.go
var tracerSource string

// tracerFolder is where the overlay shows package tracer.
const tracerFolder = "internal/previdencetracer"

func main() {
	repo := flag.String("repo", ".", "folder with the go.mod")
	work := flag.String("work", "", "folder to write the overlay to")
	trace := flag.String("trace", "", "what the tests wrote; the key goes to stdout")
	flag.Parse()
	if err := run(os.Stdout, *repo, *work, *trace); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, repo, work, trace string) error {
	if (work == "") == (trace == "") {
		return errors.New("give -work to write an overlay, or -trace to read what the tests wrote")
	}
	s, err := readSources(repo)
	if err != nil {
		return err
	}
	if work != "" {
		return s.write(work)
	}
	f, err := os.Open(trace)
	if err != nil {
		return err
	}
	k := key{sources: s, edges: map[edge]bool{}, judged: map[place]bool{}}
	if err := errors.Join(k.read(f), f.Close()); err != nil {
		return err
	}
	return k.write(w)
}

// A place is the line that a function is declared in.
type place struct {
	path string // relative to the root, slash-separated
	line int
}

// A function is one declaration or literal with a body.
type function struct {
	place
	kind      string
	outermost int // number of the function around all
	end       int // last line
}

// sources are the files below root and the functions in them.
type sources struct {
	root      string
	module    string
	files     []string
	functions []function
	byFile    map[string][]int  // outermost functions by path
	overlay   map[string]string // text by the file that it stands for
}

// readSources rewrites all files of the module that lies in repo.
func readSources(repo string) (*sources, error) {
	root, err := filepath.Abs(repo)
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	s := &sources{root: root, module: modfile.ModulePath(text), byFile: map[string][]int{}, overlay: map[string]string{}}
	s.overlay[filepath.Join(root, tracerFolder, "tracer.go")] = tracerSource
	return s, filepath.WalkDir(root, s.visit)
}

// write writes the overlay that go test is given.
func (s *sources) write(work string) error {
	work, err := filepath.Abs(work)
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for i, path := range slices.Sorted(maps.Keys(s.overlay)) {
		replace[path] = filepath.Join(work, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(replace[path], []byte(s.overlay[path]), 0o600); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(work, "overlay.json"), text, 0o600)
}

func (s *sources) visit(path string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	name := d.Name()
	if d.IsDir() {
		_, nested := os.Stat(filepath.Join(path, "go.mod"))
		if path != s.root && (nested == nil || name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		return nil
	}
	if !strings.HasSuffix(name, ".go") || !d.Type().IsRegular() {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed, err := s.rewrite(path, string(text))
	if changed != "" {
		s.overlay[path] = changed
	}
	return err
}

// rewrite has every function begin with a call of the tracer. Nothing moves to
// another line. A file without functions gives "".
func (s *sources) rewrite(path, text string) (string, error) {
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, path, text, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(s.root, path)
	if err != nil {
		return "", err
	}
	rel = filepath.ToSlash(rel)
	s.files = append(s.files, rel)
	type insertion struct {
		at   int
		text string
	}
	var insertions []insertion
	offset := func(p token.Pos) int { return positions.PositionFor(p, false).Offset }
	line := func(p token.Pos) int { return positions.PositionFor(p, false).Line }
	for _, decl := range file.Decls {
		outermost := len(s.functions)
		ast.Inspect(decl, func(n ast.Node) bool {
			f := function{outermost: outermost, kind: "literal"}
			var body *ast.BlockStmt
			switch n := n.(type) {
			case *ast.FuncDecl:
				f.place, f.kind, body = place{rel, line(n.Name.Pos())}, "function", n.Body
				if n.Recv != nil {
					f.kind = "method"
				}
			case *ast.FuncLit:
				f.place, body = place{rel, line(n.Pos())}, n.Body
			default:
				return true
			}
			if body == nil {
				return false
			}
			f.end = line(body.End())
			number := len(s.functions)
			s.functions = append(s.functions, f)
			if _, declared := n.(*ast.FuncDecl); declared {
				s.byFile[rel] = append(s.byFile[rel], number)
			}
			insertions = append(insertions, insertion{offset(body.Lbrace) + 1, fmt.Sprintf(" previdenceTracer.Enter(%d);", number)})
			return true
		})
	}
	if len(insertions) == 0 {
		return "", nil
	}
	insertions = append(insertions, insertion{offset(file.Name.End()), fmt.Sprintf("; import previdenceTracer %q", s.module+"/"+tracerFolder)})
	slices.SortFunc(insertions, func(a, b insertion) int { return cmp.Compare(b.at, a.at) })
	for _, i := range insertions {
		text = text[:i.at] + i.text + text[i.at:]
	}
	return text, nil
}

type edge struct {
	caller place
	callee int
}

// A key is what the trace says.
type key struct {
	*sources
	edges  map[edge]bool
	judged map[place]bool
}

func (k *key) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		id, site, _ := strings.Cut(lines.Text(), "\t")
		callee, err := strconv.Atoi(id)
		if err != nil || callee < 0 || callee >= len(k.functions) {
			return fmt.Errorf("trace: %q", lines.Text())
		}
		k.judged[k.functions[k.functions[callee].outermost].place] = true
		if caller, ok := k.around(site); ok {
			k.edges[edge{caller, callee}] = true
		}
	}
	return lines.Err()
}

// around is the outermost function around a line.
func (k *key) around(site string) (place, bool) {
	i := strings.LastIndexByte(site, ':')
	if i < 0 {
		return place{}, false
	}
	rel, err := filepath.Rel(k.root, site[:i])
	n, err2 := strconv.Atoi(site[i+1:])
	if err != nil || err2 != nil {
		return place{}, false
	}
	for _, f := range k.byFile[filepath.ToSlash(rel)] {
		if fn := k.functions[f]; fn.line <= n && n <= fn.end {
			return fn.place, true
		}
	}
	return place{}, false
}

func (k *key) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "# calls between functions, seen by an overlay of the sources while the tests ran")
	order := func(a, b place) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line)) }
	rows := map[string]bool{}
	for _, e := range slices.SortedFunc(maps.Keys(k.edges), func(a, b edge) int {
		return cmp.Or(order(a.caller, b.caller), order(k.functions[a.callee].place, k.functions[b.callee].place), cmp.Compare(a.callee, b.callee))
	}) {
		to := k.functions[e.callee]
		at := fmt.Sprintf("E\t%s\t%d\t%s\t%d", e.caller.path, e.caller.line, to.path, to.line)
		if !rows[at] { // two literals of one line are one
			rows[at] = true
			fmt.Fprintf(b, "%s\tdynamic\t%s\n", at, to.kind)
		}
	}
	for _, f := range slices.Sorted(slices.Values(k.files)) {
		fmt.Fprintf(b, "F\t%s\n", f)
	}
	for _, p := range slices.SortedFunc(maps.Keys(k.judged), order) {
		fmt.Fprintf(b, "J\t%s\t%d\n", p.path, p.line)
	}
	return b.Flush()
}
