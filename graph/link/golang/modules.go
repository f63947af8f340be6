package golang

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/previdence/previdence/graph/link"
)

// A goModule is one go.mod of the tree, or the tree itself if it has none.
type goModule struct {
	dir      string // "." for the root
	path     string // "" if there is no go.mod
	replaced map[string]string
	required map[string]bool // module paths that it asks for at some version
	work     bool            // a go.work of the tree uses it
}

// modules is what the go.mod and go.work files of the tree say.
type modules struct {
	list     []*goModule // deepest directory first
	byPath   map[string]*goModule
	local    map[string]string // module path → directory, for modules that some go.mod or go.work takes from the tree
	vendors  []string          // directories that hold a vendor directory
	versions map[string]string // build list: the highest version that any go.mod asks for
	moved    map[string]string // module path → path@version that replaces it
	has      func(dir string) bool
}

// readModules reads every go.mod and go.work. One that cannot be parsed is as
// good as absent: its packages resolve by directory only.
func readModules(ctx context.Context, tree link.Tree, byDir map[string][]*file) (*modules, error) {
	m := &modules{
		byPath: map[string]*goModule{}, local: map[string]string{}, versions: map[string]string{}, moved: map[string]string{},
		has: func(dir string) bool { return len(byDir[dir]) > 0 },
	}
	var works []string
	vendors := map[string]bool{}
	for _, p := range tree.Paths() {
		switch path.Base(p) {
		case "go.mod":
			if err := m.readMod(ctx, tree, p); err != nil {
				return nil, err
			}
		case "go.work":
			works = append(works, p)
		}
		if i := strings.LastIndex("/"+p, "/vendor/"); i >= 0 && strings.HasSuffix(p, ".go") {
			vendors[path.Clean("./"+p[:max(i-1, 0)])] = true
		}
	}
	for dir := range vendors {
		m.vendors = append(m.vendors, dir)
	}
	slices.SortFunc(m.vendors, deepestFirst)
	for _, p := range works {
		if err := m.readWork(ctx, tree, p); err != nil {
			return nil, err
		}
	}
	if m.at(".") == nil {
		m.list = append(m.list, &goModule{dir: "."})
	}
	slices.SortFunc(m.list, func(a, b *goModule) int { return deepestFirst(a.dir, b.dir) })
	return m, nil
}

func deepestFirst(a, b string) int {
	if n := strings.Count(b, "/") - strings.Count(a, "/"); n != 0 {
		return n
	}
	if a == "." || b == "." {
		return strings.Compare(b, a)
	}
	return strings.Compare(a, b)
}

func (m *modules) at(dir string) *goModule {
	for _, mod := range m.list {
		if mod.dir == dir {
			return mod
		}
	}
	return nil
}

// readFile reads a file that may be missing.
func readFile(ctx context.Context, tree link.Tree, p string) ([]byte, error) {
	data, err := tree.Read(ctx, p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func (m *modules) readMod(ctx context.Context, tree link.Tree, p string) error {
	data, err := readFile(ctx, tree, p)
	if err != nil {
		return err
	}
	f, err := modfile.ParseLax(path.Base(p), data, nil)
	if err != nil || f.Module == nil {
		return nil //nolint:nilerr // an unreadable go.mod is data, not a failure
	}
	// ParseLax skips replacements; the strict parser is tried for them alone.
	if strict, err := modfile.Parse(path.Base(p), data, nil); err == nil {
		f = strict
	}
	mod := &goModule{dir: path.Dir(p), path: f.Module.Mod.Path, replaced: map[string]string{}, required: map[string]bool{}}
	m.list = append(m.list, mod)
	if m.byPath[mod.path] == nil {
		m.byPath[mod.path] = mod
	}
	shared := m
	if strings.Contains("/"+p, "/testdata/") || strings.Contains("/"+p, "/vendor/") {
		// What test data asks for is not what the tree is built with.
		shared = &modules{versions: map[string]string{}, moved: map[string]string{}, local: map[string]string{}}
	}
	for _, r := range f.Require {
		mod.required[r.Mod.Path] = true
		shared.require(r.Mod.Path, r.Mod.Version)
	}
	shared.replace(f.Replace, mod.dir, mod.replaced)
	return nil
}

func (m *modules) require(modPath, v string) {
	if old := m.versions[modPath]; old == "" || semver.Compare(v, old) > 0 {
		m.versions[modPath] = v
	}
}

// replace notes the replacements by directories of the tree and by other
// modules. Directories outside the tree are as good as absent.
func (m *modules) replace(list []*modfile.Replace, dir string, into map[string]string) {
	for _, r := range list {
		if r.New.Version != "" {
			m.moved[r.Old.Path] = r.New.Path + "@" + r.New.Version
			continue
		}
		target := path.Join(dir, strings.ReplaceAll(r.New.Path, `\`, "/"))
		if path.IsAbs(r.New.Path) || target == ".." || strings.HasPrefix(target, "../") {
			continue
		}
		into[r.Old.Path] = target
		if _, ok := m.local[r.Old.Path]; !ok {
			m.local[r.Old.Path] = target
		}
	}
}

func (m *modules) readWork(ctx context.Context, tree link.Tree, p string) error {
	data, err := readFile(ctx, tree, p)
	if err != nil {
		return err
	}
	f, err := modfile.ParseWork(path.Base(p), data, nil)
	if err != nil {
		return nil //nolint:nilerr // an unreadable go.work is data, not a failure
	}
	for _, u := range f.Use {
		if mod := m.at(path.Join(path.Dir(p), u.Path)); mod != nil {
			mod.work = true
			m.local[mod.path] = mod.dir
		}
	}
	m.replace(f.Replace, path.Dir(p), map[string]string{})
	return nil
}

// of returns the module that a directory belongs to.
func (m *modules) of(dir string) *goModule {
	for _, mod := range m.list {
		if inside(dir, mod.dir) {
			return mod
		}
	}
	return nil
}

// inside reports whether dir is root or lies below it.
func inside(dir, root string) bool {
	rest, below := strings.CutPrefix(dir, root)
	return root == "." || below && (rest == "" || rest[0] == '/')
}

// importPath is the path by which a directory is imported.
func (m *modules) importPath(dir string) string {
	if i := strings.LastIndex("/"+dir, "/vendor/"); i >= 0 {
		return dir[i+len("vendor/"):]
	}
	mod := m.of(dir)
	rest := strings.TrimPrefix(strings.TrimPrefix(dir, mod.dir), "/")
	if mod.dir == "." {
		rest = strings.TrimPrefix(dir, "./")
		if dir == "." {
			rest = ""
		}
	}
	if mod.path == "std" {
		return rest
	}
	return strings.Trim(mod.path+"/"+rest, "/")
}

// ignored reports whether the go command leaves the directory out of "./...":
// an element below the module is testdata or begins with "_" or ".".
func (m *modules) ignored(dir string) bool {
	mod := m.of(dir)
	rest := strings.TrimPrefix(strings.TrimPrefix(dir, mod.dir), "/")
	if mod.dir == "." {
		rest = dir
	}
	for e := range strings.SplitSeq(rest, "/") {
		if e == "testdata" || strings.HasPrefix(e, "_") || strings.HasPrefix(e, ".") && e != "." {
			return true
		}
	}
	return false
}

// resolve finds the directory of the tree that an import path means in the
// files of dir. owned says that the path certainly belongs to the tree, even
// if found is false; then target is where it should be.
func (m *modules) resolve(imp, dir string) (target string, found, owned bool) {
	if !fs.ValidPath(imp) {
		return "", false, false
	}
	mod := m.of(dir)
	for _, root := range m.vendors {
		if d := path.Join(root, "vendor", imp); mod.vendoredIn(root) && inside(dir, root) && m.has(d) {
			return d, true, true
		}
	}
	if d, ok := m.below(imp, mod.path, mod.dir); ok {
		if m.has(d) {
			return d, true, true
		}
		owned, target = mod.path != "" && mod.path != "std", d
	}
	for i, table := range []map[string]string{mod.replaced, m.local} {
		for p := imp; p != "."; p = path.Dir(p) {
			root, ok := table[p]
			if !ok || i == 1 && mod.required[p] && !mod.work {
				continue // it asks for a published version of that module
			}
			if d, ok := m.below(imp, p, root); ok {
				if m.has(d) {
					return d, true, true
				}
				owned, target = true, d
			}
		}
	}
	if std := m.byPath["std"]; std != nil && std != mod {
		if d := path.Join(std.dir, imp); m.has(d) && m.of(d) == std {
			return d, true, true
		}
	}
	return target, false, owned
}

// vendoredIn reports whether the vendor directory of root serves the module:
// its own, that of its workspace, or any above it if it has no go.mod.
func (mod *goModule) vendoredIn(root string) bool {
	return mod.dir == root || mod.work || mod.path == ""
}

// below maps an import path of a module to a directory, unless another module
// begins in between.
func (m *modules) below(imp, modPath, root string) (string, bool) {
	rest := imp
	if modPath != "" && modPath != "std" {
		var ok bool
		rest, ok = strings.CutPrefix(imp, modPath)
		if !ok || rest != "" && rest[0] != '/' {
			return "", false
		}
	}
	d := path.Join(root, strings.TrimPrefix(rest, "/"))
	if inner := m.of(d); inner.dir != root && inside(inner.dir, root) {
		return "", false
	}
	return d, true
}
