package golang

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"go/ast"
	"go/build/constraint"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	extract "github.com/previdence/previdence/graph/extract/golang"
)

// A shelf holds the checked packages from outside the tree: the standard
// library, shared by all calls, and dependencies, shared by calls with the same
// build list. Only declarations are checked, never bodies. All linkers of a
// process that look in the same places have one shelf: to load it costs more
// than to link a small tree.
type shelf struct {
	goroot   string // "" if there is none
	outline  bool   // without a goroot, the outline of the standard library serves
	cache    string // "" if there is none
	platform Platform
	version  string // of the standard library when the shelf was made

	mu    sync.Mutex
	std   map[string]*dependency
	lists map[string]map[string]*dependency // by digest of the build list
}

// A dependency is one package that is checked for what it declares: one from
// outside the tree, or one of the tree in [Linker.Declarations].
type dependency struct {
	path    string // import path; "vendor/…" for what the standard library vendors
	dir     string // on this machine, or in the tree
	std     bool
	outline bool // known by the outline of the standard library
	files   []*ast.File
	at      []*token.File
	size    int64
	imports map[string]*dependency // by path as written; nil values are missing packages
	pkg     *types.Package         // nil if it could not be checked
	tainted bool                   // something below it is missing
	weights map[string]int         // of the types it declares; nil outside the tree
}

// shelves are those of this process.
var shelves struct {
	sync.Mutex
	known map[places]*shelf
}

// places say where a shelf looks. Another version of the standard library at
// the same place is another shelf.
type places struct {
	goroot, version, cache string
	platform               Platform
}

func newShelf(goroot string, outline bool, cache string, p Platform) *shelf {
	s := &shelf{goroot: goroot, outline: outline && goroot == "", cache: cache, platform: p, std: map[string]*dependency{}, lists: map[string]map[string]*dependency{}}
	s.version = s.goVersion()
	shelves.Lock()
	defer shelves.Unlock()
	at := places{goroot, s.version, cache, p}
	if known := shelves.known[at]; known != nil {
		return known
	}
	if shelves.known == nil {
		shelves.known = map[places]*shelf{}
	}
	shelves.known[at] = s
	return s
}

// get returns the packages with these import paths, as far as they are here.
// Paths that belong to the tree are never looked for outside it.
func (s *shelf) get(ctx context.Context, paths []string, m *modules, workers int) (map[string]*dependency, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &loading{shelf: s, modules: m, list: s.list(m)}
	found := make(map[string]*dependency, len(paths))
	for _, p := range paths {
		found[p] = l.find(p, false)
	}
	l.read(workers)
	if err := l.check(ctx, workers); err != nil {
		return nil, err
	}
	for p, d := range found {
		if d == nil || d.pkg == nil {
			delete(found, p)
		}
	}
	return found, nil
}

// list returns the dependencies that were loaded for the same build list.
func (s *shelf) list(m *modules) map[string]*dependency {
	key := s.listKey(m)
	if s.lists[key] == nil {
		s.lists[key] = map[string]*dependency{}
	}
	return s.lists[key]
}

// listKey digests what decides the packages outside the tree.
func (s *shelf) listKey(m *modules) string {
	var lines []string
	for p, v := range m.versions {
		lines = append(lines, "require "+p+" "+v)
	}
	for p, v := range m.moved {
		lines = append(lines, "replace "+p+" "+v)
	}
	for p := range m.byPath {
		lines = append(lines, "tree "+p)
	}
	slices.Sort(lines)
	// A package that was loaded while another one was missing does not serve
	// once that is here.
	lines = append(lines, s.describe(s.version, m.buildList()))
	h := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(h[:])
}

// A loading is one round of filling a shelf.
type loading struct {
	shelf   *shelf
	modules *modules
	list    map[string]*dependency
	fresh   []*dependency // in the order found; read up to next
	next    int
}

// find returns the package, which may have to be read yet, or nil.
func (l *loading) find(imp string, fromStd bool) *dependency {
	s := l.shelf
	if !fs.ValidPath(imp) || imp == "C" || imp == "unsafe" {
		return nil
	}
	if l.modules.byPath["std"] == nil {
		names := []string{imp}
		if fromStd {
			names = []string{"vendor/" + imp, imp}
		}
		for _, n := range names {
			if d := s.std[n]; d != nil {
				return d
			}
			if d := s.standard(n); d != nil {
				s.std[n] = d
				l.fresh = append(l.fresh, d)
				return d
			}
		}
	}
	if s.cache == "" || fromStd {
		return nil
	}
	if d := l.list[imp]; d != nil {
		return d
	}
	dir := l.locate(imp)
	if dir == "" {
		return nil
	}
	d := &dependency{path: imp, dir: dir}
	l.list[imp] = d
	l.fresh = append(l.fresh, d)
	return d
}

// standard is a package of the standard library that was not read yet, or nil.
func (s *shelf) standard(imp string) *dependency {
	if s.goroot != "" {
		if dir := filepath.Join(s.goroot, "src", filepath.FromSlash(imp)); hasGo(dir) {
			return &dependency{path: imp, dir: dir, std: true}
		}
		return nil
	}
	if _, ok := outlined()[imp]; ok && s.outline {
		return &dependency{path: imp, std: true, outline: true, tainted: true}
	}
	return nil
}

// locate finds the directory of a package in the module cache, by the longest
// module path of the build list.
func (l *loading) locate(imp string) string {
	for p := imp; p != "."; p = path.Dir(p) {
		if l.modules.byPath[p] != nil {
			return ""
		}
		v, ok := l.modules.version(p)
		if !ok {
			continue
		}
		root := l.shelf.moduleDir(v)
		if root == "" {
			continue
		}
		if dir := filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(imp, p))); hasGo(dir) {
			return dir
		}
	}
	return ""
}

func hasGo(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
			return true
		}
	}
	return false
}

// read parses the fresh packages and those they import, round by round.
func (l *loading) read(workers int) {
	for l.next < len(l.fresh) {
		round := l.fresh[l.next:]
		l.next = len(l.fresh)
		each(workers, len(round), func(i int) { round[i].parse(l.shelf.platform) })
		for _, d := range round {
			for imp := range d.imports {
				d.imports[imp] = nil
			}
			for _, imp := range sortedKeys(d.imports) {
				d.imports[imp] = l.find(imp, d.std)
				if d.imports[imp] == nil && imp != "unsafe" && imp != "C" {
					d.tainted = true
				}
			}
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// parse reads the files that the platform selects. Bodies are dropped at once.
func (d *dependency) parse(p Platform) {
	d.imports = map[string]*dependency{}
	if d.outline {
		src := outlined()[d.path]
		f, at, _ := extract.Parse([]byte(src)).Take()
		d.add(f, at, len(src))
		return
	}
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || !p.selectsName(name) {
			continue
		}
		src, err := os.ReadFile(filepath.Join(d.dir, name))
		if err != nil {
			continue
		}
		f, at, _ := extract.Parse(src).Take()
		if !f.Package.IsValid() || !p.selects(name, fileConstraint(f)) {
			continue
		}
		d.add(f, at, len(src))
	}
	d.files = onePackage(d.files)
}

// add takes a file over, without its bodies.
func (d *dependency) add(f *ast.File, at *token.File, size int) {
	d.size += int64(size)
	stripBodies(f)
	f.Comments = nil
	d.files, d.at = append(d.files, f), append(d.at, at)
	for _, spec := range f.Imports {
		if imp, err := strconv.Unquote(spec.Path.Value); err == nil {
			d.imports[imp] = nil
		}
	}
}

// onePackage keeps the files of the package name that most of them carry.
func onePackage(files []*ast.File) []*ast.File {
	count := map[string]int{}
	best := ""
	for _, f := range files {
		count[f.Name.Name]++
	}
	for name, n := range count {
		if best == "" || n > count[best] || n == count[best] && name < best {
			best = name
		}
	}
	return slices.DeleteFunc(files, func(f *ast.File) bool { return f.Name.Name != best })
}

func fileConstraint(f *ast.File) constraint.Expr {
	for _, g := range f.Comments {
		if g.Pos() >= f.Package {
			break
		}
		for _, c := range g.List {
			if constraint.IsGoBuild(c.Text) {
				if x, err := constraint.Parse(c.Text); err == nil {
					return x
				}
			}
		}
	}
	return nil
}

func stripBodies(f *ast.File) {
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
	}
}

// check type-checks the fresh packages, those below first.
func (l *loading) check(ctx context.Context, workers int) error {
	number := make(map[*dependency]int, len(l.fresh))
	for i, d := range l.fresh {
		number[d] = i
	}
	cost, deps := make([]int64, len(l.fresh)), make([][]int, len(l.fresh))
	for i, d := range l.fresh {
		cost[i] = d.size
		for _, imp := range sortedKeys(d.imports) {
			if n, ok := number[d.imports[imp]]; ok && d.imports[imp] != nil {
				deps[i] = append(deps[i], n)
			}
		}
	}
	inOrder(ctx, workers, cost, deps, func(i int) { l.fresh[i].check(l.shelf.platform) })
	if err := ctx.Err(); err != nil {
		l.forget()
		return err
	}
	return nil
}

// forget takes the packages of an interrupted round off the shelf again.
func (l *loading) forget() {
	for _, table := range []map[string]*dependency{l.shelf.std, l.list} {
		for k, d := range table {
			if slices.Contains(l.fresh, d) {
				delete(table, k)
			}
		}
	}
}

var errMissing = errors.New("not on this machine")

func (d *dependency) check(p Platform) {
	defer func() {
		if recover() != nil {
			d.pkg = nil // go/types gave up; users see a stand-in
		}
		d.files, d.at = nil, nil
	}()
	if len(d.files) == 0 {
		return
	}
	conf := config(p)
	conf.IgnoreFuncBodies = true
	conf.Error = func(error) {}
	conf.Importer = importerFunc(func(imp string) (*types.Package, error) {
		if imp == "unsafe" {
			return types.Unsafe, nil
		}
		on := d.imports[imp]
		if on == nil || on.pkg == nil {
			return standIn(imp, guessName(imp)), errMissing
		}
		d.tainted = d.tainted || on.tainted
		return on.pkg, nil
	})
	fset := token.NewFileSet()
	fset.AddExistingFiles(d.at...)
	pkg, _ := conf.Check(d.path, fset, d.files, nil)
	d.pkg = pkg
}

// config holds what all checks have in common.
func config(p Platform) *types.Config {
	return &types.Config{
		FakeImportC: true, DisableUnusedImportCheck: true,
		Sizes: types.SizesFor("gc", p.Arch),
	}
}

type importerFunc func(string) (*types.Package, error)

// Import implements [types.Importer].
func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// standIn is an empty package. Returned together with an error it makes
// go/types silent about everything that is looked up in it.
func standIn(imp, name string) *types.Package { return types.NewPackage(imp, name) }

// guessName is the usual package name of an import path: its last element
// without a version, a "go-" in front or a "-go" behind.
func guessName(imp string) string {
	name := path.Base(imp)
	if isMajor(name) && path.Dir(imp) != "." {
		name = path.Base(path.Dir(imp))
	}
	if before, after, ok := strings.Cut(name, ".v"); ok && isMajor("v"+after) {
		name = before
	}
	name = strings.TrimPrefix(name, "go-")
	for _, end := range []string{"-go", ".go", "-golang"} {
		name = strings.TrimSuffix(name, end)
	}
	if i := strings.LastIndexAny(name, "-."); i >= 0 {
		name = name[i+1:]
	}
	if !token.IsIdentifier(name) {
		return "_standin"
	}
	return name
}

func isMajor(s string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "v"))
	return err == nil && n >= 0 && strings.HasPrefix(s, "v")
}
