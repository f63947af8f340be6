package golang

import (
	"cmp"
	"context"
	"go/ast"
	"go/build/constraint"
	"go/token"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/previdence/previdence/graph"
	extract "github.com/previdence/previdence/graph/extract/golang"
	"github.com/previdence/previdence/graph/link"
)

// A file is one Go file of the tree.
type file struct {
	in      *link.File
	path    string
	dir     string // "." for the root
	pkgName string
	test    bool // its name ends in _test.go
	build   constraint.Expr
	syntax  *ast.File
	pos     *token.File
	start   int // the position of its first byte, also once pos is gone
}

// base is the name of the file in its directory.
func (f *file) base() string { return path.Base(f.path) }

// symbol is the index of the file itself.
func (f *file) symbol() int32 { return f.in.Symbols }

// line is the line of p, ignoring //line comments.
func (f *file) line(p token.Pos) int32 { return int32(f.pos.PositionFor(p, false).Line) }

// enclosing is the innermost symbol around p that is no literal.
func (f *file) enclosing(p token.Pos) int32 {
	return f.in.Symbols + f.around(int32(int(p)-f.start))
}

// around is the innermost symbol of the file's facts around a byte that is no
// literal.
func (f *file) around(at int32) int32 {
	best, size := int32(0), int32(-1)
	for i := range f.in.Facts.Symbols {
		s := &f.in.Facts.Symbols[i]
		if i > 0 && s.Kind != graph.KindLiteral && s.Start <= at && at < s.End && (size < 0 || s.End-s.Start < size) {
			best, size = int32(i), s.End-s.Start
		}
	}
	return best
}

// A tree is the Go part of one tree and what was found in it so far.
type tree struct {
	in        link.Input
	workers   int
	files     []*file
	byDir     map[string][]*file
	dirs      []string        // sorted
	unread    map[string]bool // directories with a Go file that could not be read whole
	modules   *modules
	packages  map[string]int32      // package symbol by directory
	testOnly  []bool                // by symbol: it stands in a _test.go file
	platforms map[string][]Platform // that have linked a file, by its path
	first     Platform              // which most of the tree is linked for
	out       link.Output
	counts    graph.Counts
	found     found
}

// load parses what has no syntax yet and sorts the files into directories.
func (t *tree) load(ctx context.Context) error {
	t.byDir, t.unread = map[string][]*file{}, map[string]bool{}
	t.testOnly = make([]bool, len(t.in.Symbols))
	for i := range t.in.Files {
		in := &t.in.Files[i]
		f := &file{
			in: in, path: in.Path, dir: path.Dir(in.Path), pkgName: in.Facts.Package,
			test: strings.HasSuffix(in.Path, "_test.go"),
		}
		if c := in.Facts.Notes[extract.NoteBuild]; c != "" {
			if x, err := constraint.Parse("//go:build " + c); err == nil {
				f.build = x
			}
		}
		if f.test {
			for j := range in.Facts.Symbols {
				t.testOnly[in.Symbols+int32(j)] = true
			}
		}
		if len(in.Facts.Gaps) > 0 {
			t.unread[f.dir] = true
		}
		t.files = append(t.files, f)
		t.byDir[f.dir] = append(t.byDir[f.dir], f)
	}
	for dir, files := range t.byDir {
		t.dirs = append(t.dirs, dir)
		slices.SortFunc(files, func(a, b *file) int { return cmp.Compare(a.path, b.path) })
	}
	slices.Sort(t.dirs)
	t.markUnread()
	var err error
	t.modules, err = readModules(ctx, t.in.Tree, t.byDir)
	return err
}

// markUnread finds the Go files of the tree that no facts were made of.
func (t *tree) markUnread() {
	known := make(map[string]bool, len(t.files))
	for _, f := range t.files {
		known[f.path] = true
	}
	for _, p := range t.in.Tree.Paths() {
		if strings.HasSuffix(p, ".go") && !known[p] {
			t.unread[path.Dir(p)] = true
		}
	}
}

// parse gives the file a syntax tree of its own. Two files with one blob may
// share a Syntax; the second parses again, since positions tell files apart.
func (f *file) parse(ctx context.Context, tree link.Tree) error {
	if s, ok := f.in.Syntax.(*extract.Syntax); ok && s != nil {
		if file, pos, ok := s.Take(); ok {
			f.syntax, f.pos = file, pos
			return nil
		}
	}
	src, err := tree.Read(ctx, f.path)
	if err != nil {
		return err
	}
	f.syntax, f.pos, _ = extract.Parse(src).Take()
	return ctx.Err()
}

// release lets the syntax go. Function bodies are cut out, since the type
// checker keeps the declarations of a package that tests are added to later.
func (f *file) release() {
	if f.syntax != nil {
		stripBodies(f.syntax)
	}
	f.syntax, f.pos = nil, nil
}

// each runs f for 0 to n-1 on some workers and waits.
func each(workers, n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// packageFile is the first file, by path, of the package of a directory that
// can be imported; nil if there is none.
func packageFile(files []*file, platforms []Platform) *file {
	name := importable(files, platforms)
	for _, f := range files {
		if !f.test && f.pkgName == name && name != "" {
			return f
		}
	}
	return nil
}

// importable is the package name that most files of a directory carry, leaving
// out tests and files for other platforms unless there are only such.
func importable(files []*file, platforms []Platform) string {
	count := map[string]int{}
	for _, f := range files {
		if f.test || f.pkgName == "" {
			continue
		}
		count[f.pkgName]++
		for _, p := range platforms {
			if p.selects(f.base(), f.build) {
				count[f.pkgName] += len(files)
			}
		}
	}
	best := ""
	for name, n := range count {
		if best == "" || n > count[best] || n == count[best] && name < best {
			best = name
		}
	}
	return best
}
