package golang

import (
	"context"
	"go/types"
	"path"
	"slices"
	"strings"

	extract "github.com/previdence/previdence/graph/extract/golang"
	"github.com/previdence/previdence/graph/link"
)

// Declared is what the packages of one tree declare, without what their
// functions do.
type Declared struct {
	Packages map[string]*types.Package // by directory; those that were asked for and could be checked
	Dirs     map[string]string         // import path → directory, of every package of the tree that they need
}

// Declarations type-checks the packages of some directories and what they
// import, without function bodies and tests, as [Linker.Link] does for the first
// platform. What is missing is a stand-in, whose names have invalid types.
func (l *Linker) Declarations(ctx context.Context, tree link.Tree, dirs []string, workers int) (Declared, error) {
	d := &declaring{shelf: l.shelves[0], platform: l.platforms[0], tree: tree, names: map[string][]string{}, found: map[string]*dependency{}}
	if err := d.list(ctx); err != nil {
		return Declared{}, err
	}
	for _, dir := range dirs {
		d.want(dir)
	}
	for d.next < len(d.order) {
		if err := d.read(ctx, d.order[d.next]); err != nil {
			return Declared{}, err
		}
		d.next++
	}
	if err := d.check(ctx, max(workers, 1)); err != nil {
		return Declared{}, err
	}
	out := Declared{Packages: map[string]*types.Package{}, Dirs: map[string]string{}}
	for dir, p := range d.found {
		out.Dirs[p.path] = dir
		if p.pkg != nil && slices.Contains(dirs, dir) {
			out.Packages[dir] = p.pkg
		}
	}
	return out, nil
}

// A declaring is one call of [Linker.Declarations].
type declaring struct {
	shelf    *shelf
	platform Platform
	tree     link.Tree
	modules  *modules
	names    map[string][]string    // files that may be selected, by directory
	found    map[string]*dependency // by directory
	order    []string               // directories in the order found; read up to next
	next     int
}

// list finds the directories that hold packages.
func (d *declaring) list(ctx context.Context) (err error) {
	has := map[string][]*file{} // only whether there is one counts
	for _, p := range d.tree.Paths() {
		if !strings.HasSuffix(p, ".go") {
			continue
		}
		dir, name := path.Dir(p), path.Base(p)
		has[dir] = append(has[dir], nil)
		if !strings.HasSuffix(name, "_test.go") && d.platform.selectsName(name) {
			d.names[dir] = append(d.names[dir], name)
		}
	}
	d.modules, err = readModules(ctx, d.tree, has)
	return err
}

func (d *declaring) want(dir string) {
	if d.found[dir] == nil && len(d.names[dir]) > 0 {
		d.found[dir] = &dependency{path: d.modules.importPath(dir), dir: dir, imports: map[string]*dependency{}}
		d.order = append(d.order, dir)
	}
}

// read parses a package of the tree and asks for those of the tree that it
// imports.
func (d *declaring) read(ctx context.Context, dir string) error {
	p := d.found[dir]
	for _, name := range d.names[dir] {
		src, err := d.tree.Read(ctx, path.Join(dir, name))
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			continue // too large or gone: what it declares is undefined, and so unknown
		}
		f, at, _ := extract.Parse(src).Take()
		if f.Package.IsValid() && d.platform.selects(name, fileConstraint(f)) {
			p.add(f, at, len(src))
		}
	}
	p.files = onePackage(p.files)
	for _, imp := range sortedKeys(p.imports) {
		if to, found, _ := d.modules.resolve(imp, dir); found {
			d.want(to)
		}
	}
	return nil
}

// check loads what lies outside the tree and checks the packages, those below
// first.
func (d *declaring) check(ctx context.Context, workers int) error {
	number := map[string]int{}
	outside := map[string]bool{}
	for i, dir := range d.order {
		number[dir] = i
		for imp := range d.found[dir].imports {
			if _, found, owned := d.modules.resolve(imp, dir); !found && !owned {
				outside[imp] = true
			}
		}
	}
	outer, err := d.shelf.get(ctx, sortedKeys(outside), d.modules, workers)
	if err != nil {
		return err
	}
	cost, deps := make([]int64, len(d.order)), make([][]int, len(d.order))
	for i, dir := range d.order {
		p := d.found[dir]
		cost[i] = p.size
		for _, imp := range sortedKeys(p.imports) {
			p.imports[imp] = outer[imp]
			if to, found, _ := d.modules.resolve(imp, dir); found {
				if p.imports[imp] = d.found[to]; to != dir && d.found[to] != nil {
					deps[i] = append(deps[i], number[to])
				}
			}
		}
		slices.Sort(deps[i])
		deps[i] = slices.Compact(deps[i])
	}
	inOrder(ctx, workers, cost, deps, func(i int) {
		if p := d.found[d.order[i]]; p.bearable() {
			p.check(d.platform)
		}
	})
	return ctx.Err()
}

// bearable reports whether the type checker can be let near a package of the
// tree: whoever opens a pull request writes it.
func (d *dependency) bearable() bool {
	d.weights = map[string]int{}
	return weigh(d.files, d.weights, func(imp string) map[string]int {
		if on := d.imports[imp]; on != nil {
			return on.weights
		}
		return nil
	})
}
