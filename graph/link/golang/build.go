package golang

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"
)

// A build is the tree as one platform sees it.
type build struct {
	*tree
	platform Platform
	shelf    *shelf
	units    []*unit
	live     *liveness                // known once the units are walked
	owner    map[*types.Package]*unit // read-only once the units are known
	byTarget map[string]*unit         // importable units by directory

	mu       sync.Mutex
	err      error
	standIns map[string]bool        // import paths
	outside  map[string]bool        // import paths
	outer    map[string]*dependency // loaded so far, by import path
	memory   map[string][]byte      // parts of earlier builds, by key
	fresh    map[string][]byte      // parts to keep
}

// A unitKind tells the packages of one directory apart.
type unitKind uint8

const (
	plain    unitKind = iota + 1 // a package, and the tests that belong to it
	external                     // the package of the tests with a name of its own
)

// A unit is what is checked as one package.
type unit struct {
	number  int
	kind    unitKind
	dir     string
	path    string // import path
	name    string
	files   []*file
	tests   []*file // in-package tests, added to the same package later
	imports map[string]source
	self    *unit // of an external unit: the package it tests

	pkg      *types.Package
	symbols  map[token.Pos]int32 // by the position of the defining name
	fset     *token.FileSet
	checker  *types.Checker
	info     *types.Info
	errors   []types.Error
	cgo      bool // a file imports "C"
	tainted  bool // a stand-in is involved, here or below
	exported bool // the same for importers: without the tests
	checked  bool // pkg can be imported
	failed   bool // the type checker gave up or was not let near it
	reads    bitset
	placed   []*file            // by position
	rec      *record            // of the step that is being checked
	parts    []*part            // of the steps that were
	weights  map[string]int     // of the types it declares
	lost     map[token.Pos]bool // names that an error explains
	names    map[string]string  // of stand-ins, by import path

	keys     [2]string      // by step; "" if what it finds cannot be kept
	recalled [2]bool        // by step: its part was kept, the types may not be there
	unsound  bool           // it or one below failed, which no key covers
	view     *types.Package // what importers see once tests are added to pkg
	conf     *types.Config
	needed   sync.Once
}

// The steps of a unit.
const (
	stepFiles = iota
	stepTests
)

// A source is where an imported package comes from; the zero source is a
// stand-in.
type source struct {
	unit    *unit
	outside bool   // it lies outside the tree, if anywhere
	missing string // directory of the tree that should hold it and does not
	test    bool   // only tests import it
}

// run checks and walks all units, production code first: a name declared in a
// test must not satisfy anything outside the tests.
func (b *build) run(ctx context.Context) error {
	b.group()
	b.connect()
	b.makeKeys()
	if err := b.recall(ctx); err != nil {
		return err
	}
	if err := b.checkPlain(ctx); err != nil {
		return err
	}
	if err := b.checkTests(ctx); err != nil {
		return err
	}
	if err := b.checkExternal(ctx); err != nil {
		return err
	}
	if b.err != nil {
		return b.err
	}
	b.letTypesGo()
	b.keepParts(ctx)
	b.collect()
	return ctx.Err()
}

// letTypesGo frees what the type checker made: the parts do without.
func (b *build) letTypesGo() {
	b.owner = nil
	for _, u := range b.units {
		u.pkg, u.view, u.checker, u.info, u.fset, u.conf = nil, nil, nil, nil, nil, nil
		u.symbols, u.placed, u.weights, u.lost = nil, nil, nil, nil
	}
}

// wanted are the directories that the go command builds: all but the ignored,
// and those that the others import nevertheless.
func (b *build) wanted() map[string]bool {
	wanted := map[string]bool{}
	var work []string
	for _, dir := range b.dirs {
		if !b.modules.ignored(dir) {
			wanted[dir] = true
			work = append(work, dir)
		}
	}
	for len(work) > 0 {
		dir := work[len(work)-1]
		work = work[:len(work)-1]
		for _, f := range b.byDir[dir] {
			for i := range f.in.Facts.Imports {
				to, found, _ := b.modules.resolve(f.in.Facts.Imports[i].Module, dir)
				if found && !wanted[to] {
					wanted[to] = true
					work = append(work, to)
				}
			}
		}
	}
	return wanted
}

// group sorts the files that the platform selects into units.
func (b *build) group() {
	b.byTarget, b.owner = map[string]*unit{}, map[*types.Package]*unit{}
	wanted := b.wanted()
	for _, dir := range b.dirs {
		if !wanted[dir] {
			continue
		}
		units := b.groupDir(dir)
		main := units[importable(b.byDir[dir], []Platform{b.platform})]
		for i, name := range sortedKeys(units) {
			u := units[name]
			if u == main {
				b.byTarget[dir] = u
			} else if i > 0 || main != nil {
				u.path += "#" + name // no two packages share a path
			}
			u.number = len(b.units)
			u.pkg = types.NewPackage(u.path, "")
			b.owner[u.pkg] = u
			b.units = append(b.units, u)
		}
	}
}

// groupDir sorts the files of one directory by package name. A test belongs to
// the package of its name; one named "p_test" tests p from outside.
func (b *build) groupDir(dir string) map[string]*unit {
	units := map[string]*unit{}
	at := func(name string, kind unitKind) *unit {
		if units[name] == nil {
			units[name] = &unit{kind: kind, dir: dir, name: name, path: b.modules.importPath(dir)}
		}
		return units[name]
	}
	var tests []*file
	for _, f := range b.byDir[dir] {
		switch {
		case f.pkgName == "" || !b.platform.selects(f.base(), f.build):
		case f.test:
			tests = append(tests, f)
		default:
			u := at(f.pkgName, plain)
			u.files = append(u.files, f)
		}
	}
	for _, f := range tests {
		kind := plain
		if strings.HasSuffix(f.pkgName, "_test") {
			kind = external
		}
		if u := at(f.pkgName, kind); u.kind == external {
			u.files = append(u.files, f)
		} else {
			u.tests = append(u.tests, f)
		}
	}
	for name, u := range units {
		if u.kind == external {
			u.self = units[strings.TrimSuffix(name, "_test")]
		}
	}
	return units
}

// connect finds out what every import means.
func (b *build) connect() {
	b.outside = map[string]bool{}
	for _, u := range b.units {
		u.imports = map[string]source{}
		for _, f := range u.files {
			b.connectFile(u, f, false)
		}
		for _, f := range u.tests {
			b.connectFile(u, f, true)
		}
		u.tainted = u.cgo // what C defines is not known
	}
}

func (b *build) connectFile(u *unit, f *file, test bool) {
	for i := range f.in.Facts.Imports {
		imp := f.in.Facts.Imports[i].Module
		u.cgo = u.cgo || imp == "C"
		if old, ok := u.imports[imp]; imp == "C" || imp == "unsafe" || ok && (!old.test || test) {
			continue
		}
		s := source{test: test}
		dir, found, owned := b.modules.resolve(imp, u.dir)
		switch {
		case found:
			s.unit = b.byTarget[dir]
			if u.kind == external && u.self != nil && dir == u.dir {
				s.unit = u.self
			}
			if s.unit == nil && dir != u.dir {
				s.missing = dir
			}
		case owned:
			s.missing = dir
		default:
			s.outside = true
			b.outside[imp] = true
		}
		u.imports[imp] = s
	}
}

// below lists the units that u needs before it can be checked.
func (u *unit) below(tests bool) []int {
	var out []int
	for _, imp := range sortedKeys(u.imports) {
		s := u.imports[imp]
		if s.unit != nil && s.unit != u && (tests || !s.test) {
			out = append(out, s.unit.number)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (u *unit) size() int64 {
	var n int64
	for _, f := range u.files {
		n += int64(f.in.Facts.Symbols[0].End)
	}
	return n
}

// checkPlain checks the packages without their tests, in dependency order.
func (b *build) checkPlain(ctx context.Context) error {
	cost, deps := make([]int64, len(b.units)), make([][]int, len(b.units))
	for i, u := range b.units {
		if u.kind == plain {
			cost[i], deps[i] = u.size(), u.below(false)
		}
	}
	circular := inOrder(ctx, b.workers, cost, deps, func(i int) {
		if u := b.units[i]; u.kind == plain {
			b.step(ctx, u, stepFiles)
		}
	})
	for _, i := range circular {
		b.found.circular = append(b.found.circular, b.units[i].dir)
	}
	return ctx.Err()
}

// checkTests adds the in-package tests to their packages. That changes the
// package, so nobody may read it at the same time.
func (b *build) checkTests(ctx context.Context) error {
	b.closeOver()
	var tested []*unit
	for _, u := range b.units {
		if u.kind == plain && len(u.tests) > 0 {
			tested = append(tested, u)
		}
	}
	workers := b.workers
	if len(b.found.circular) > 0 {
		workers = 1 // what a package in an import cycle can see is not known
	}
	apart(ctx, workers, len(tested), func(i, j int) bool {
		u, v := tested[i], tested[j]
		return u.reads.has(v.number) || v.reads.has(u.number)
	}, func(i int) { b.step(ctx, tested[i], stepTests) })
	return ctx.Err()
}

// closeOver notes for every unit the units that it can see, with its tests.
func (b *build) closeOver() {
	var visit func(u *unit) bitset
	production := make([]bitset, len(b.units))
	visit = func(u *unit) bitset {
		if production[u.number] != nil {
			return production[u.number]
		}
		set := newBitset(len(b.units))
		production[u.number] = set
		for _, d := range u.below(false) {
			set.add(d)
			set.union(visit(b.units[d]))
		}
		return set
	}
	for _, u := range b.units {
		u.reads = slices.Clone(visit(u))
		for _, d := range u.below(true) {
			u.reads.add(d)
			u.reads.union(visit(b.units[d]))
		}
	}
}

// checkExternal checks the test packages, which nobody imports.
func (b *build) checkExternal(ctx context.Context) error {
	var list []*unit
	for _, u := range b.units {
		if u.kind == external {
			list = append(list, u)
		}
	}
	slices.SortStableFunc(list, func(a, b *unit) int { return int(b.size() - a.size()) })
	for _, u := range list {
		if u.self != nil && !b.isRecalled(u, stepFiles) {
			b.declareTests(ctx, u.self) // one by one: it changes the package
		}
	}
	each(b.workers, len(list), func(i int) {
		if ctx.Err() == nil {
			b.step(ctx, list[i], stepFiles)
		}
	})
	return ctx.Err()
}

// check checks files of a unit, walks them and lets their syntax go.
func (b *build) check(ctx context.Context, u *unit, files []*file) {
	defer func() {
		if recover() != nil { // go/types met source it cannot bear
			u.failed, u.tainted = true, true
		}
		for _, f := range files {
			f.release()
		}
		u.errors = nil
	}()
	if u.failed || len(files) == 0 {
		return
	}
	b.prepare(u)
	u.rec = newRecord()
	syntax := make([]*ast.File, len(files))
	for i, f := range files {
		if err := f.parse(ctx, b.in.Tree); err != nil {
			b.fail(err)
			u.failed = true
			return
		}
		syntax[i] = f.syntax
		u.place(f)
		b.nameStandIns(u, f)
	}
	if !u.weigh(syntax) {
		u.failed, u.tainted = true, true
		return
	}
	u.conf.IgnoreFuncBodies = false
	_ = u.checker.Files(syntax) // errors arrive by the callback
	u.checked = true
	b.explain(u, files)
	for _, f := range files {
		newWalker(b, u, f).walk()
	}
	u.parts = append(u.parts, b.summarise(u, files))
	u.forget(len(u.tests) == 0 || files[0].test)
	u.hideTests()
}

// place enters a file into the file set and its symbols into the index.
func (u *unit) place(f *file) {
	u.fset.AddExistingFiles(f.pos)
	i, _ := slices.BinarySearchFunc(u.placed, f.pos.Base(), func(g *file, base int) int { return g.start - base })
	f.start = f.pos.Base()
	u.placed = slices.Insert(u.placed, i, f)
	base := token.Pos(f.pos.Base())
	for j := range f.in.Facts.Symbols[1:] {
		u.symbols[base+token.Pos(f.in.Facts.Symbols[1+j].NameAt)] = f.in.Symbols + int32(1+j)
	}
}

// forget drops what the next step does not need. The maps are made anew, since
// cleared ones keep their memory.
func (u *unit) forget(last bool) {
	if last {
		u.checker, u.info, u.fset = nil, nil, nil
		return
	}
	*u.info = *newInfo()
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
		Implicits: map[ast.Node]types.Object{},
	}
}

// fail remembers the first error of reading the tree.
func (b *build) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
}

// prepare makes the checker of a unit, once.
func (b *build) prepare(u *unit) {
	if u.checker != nil {
		return
	}
	u.lost = map[token.Pos]bool{}
	conf := config(b.platform)
	conf.Error = func(err error) {
		if e, ok := err.(types.Error); ok && !e.Soft { //nolint:errorlint // go/types documents this type
			u.errors = append(u.errors, e)
		}
	}
	conf.Importer = importerFunc(func(imp string) (*types.Package, error) { return b.open(u, imp) })
	u.info = newInfo()
	u.symbols, u.fset = map[token.Pos]int32{}, token.NewFileSet()
	u.conf = conf
	u.checker = types.NewChecker(conf, u.fset, u.pkg, u.info)
}

// open is the importer of a unit.
func (b *build) open(u *unit, imp string) (*types.Package, error) {
	if imp == "unsafe" {
		return types.Unsafe, nil
	}
	s := u.imports[imp]
	outer := b.loaded(imp)
	switch {
	case s.unit != nil && s.unit == u.self && s.unit.checked && !s.unit.failed:
		u.tainted = u.tainted || s.unit.tainted
		return s.unit.pkg, nil
	case s.unit != nil && s.unit.checked && !s.unit.failed:
		u.tainted = u.tainted || s.unit.exported
		return s.unit.visible(), nil
	case s.outside && outer != nil:
		u.tainted = u.tainted || outer.tainted
		return outer.pkg, nil
	}
	u.tainted = true
	return standIn(imp, u.standInName(imp)), errMissing
}

// visible is what importers see of a package.
func (u *unit) visible() *types.Package {
	if u.view != nil {
		return u.view
	}
	return u.pkg
}

// hideTests keeps what importers see of a package from the names that its tests
// are going to add to it.
func (u *unit) hideTests() {
	if u.view != nil || len(u.tests) == 0 || !u.checked {
		return
	}
	u.view = types.NewPackage(u.pkg.Path(), u.pkg.Name())
	scope := u.pkg.Scope()
	for _, name := range scope.Names() {
		u.view.Scope().Insert(scope.Lookup(name))
	}
	u.view.MarkComplete()
}

// A bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset    { return make(bitset, (n+63)/64) }
func (s bitset) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s bitset) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s bitset) union(o bitset) {
	for i := range s {
		s[i] |= o[i]
	}
}
