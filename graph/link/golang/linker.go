// Package golang links Go: it type-checks every package of the tree and turns
// what the type checker knows into edges.
//
// Input is the parsed files of one tree; output is edges, unresolved references,
// counts and caveats. Packages are checked with go/types from the blobs alone:
// modules, go.work, local replacements and vendor directories are read from the
// tree, build constraints are applied for a stated platform, and the standard
// library and dependencies come from GOROOT and the module cache when they are
// there. Without a GOROOT the standard library is known by an outline of what it
// declares. What is missing is replaced by a stand-in that knows nothing, and
// counted in a caveat.
//
// What one package adds is kept under a digest of what decides it, so that the next
// tree has only those packages checked that changed (docs/adr/0023).
//
// A [SyntaxLinker] does without types and is another linker, of facts with references
// (docs/adr/0028).
//
// Link runs no go command, no cgo and no program at all, and downloads nothing.
// An edge never ends outside the tree. An interface call leads to the methods
// of those types of the tree that implement it and that are created somewhere; if
// all that is written to its variable is understood, the other types are latent;
// a call of a function value leads to the functions and function literals that
// were put into exactly that variable, field or parameter. What no program of the
// tree makes possible has a tier of its own. Code outside tests reaches into tests
// that way only. Nothing is reported as broken when a
// stand-in, a gap or a file for another platform could be the reason.
package golang

import (
	"context"
	"os"
	"path/filepath"

	"github.com/previdence/previdence/graph"
	extract "github.com/previdence/previdence/graph/extract/golang"
	"github.com/previdence/previdence/graph/link"
)

// version counts the changes of what is linked from unchanged facts.
//
//	1: first
//	2: a call through an interface only refers to the method of the interface
//	3: types, methods and functions that do not fit where a literal, an interface or another function type wants them
//	4: calls of function values lead to function literals
//	5: caveats about go:linkname and functions without a body
//	6: tiers test and latent: calls that no program of the tree makes
//	7: without a Go distribution the standard library is known by its outline
//	8: a call through an interface leads to what its variable holds; the other types are latent
//	9: results of functions of the tree are understood too
const version = 9

// A Platform is a target of the go command: {"linux", "amd64"}.
type Platform struct {
	OS   string
	Arch string
}

// DefaultPlatform does not depend on the machine, so that the same tree gives
// the same graph everywhere.
var DefaultPlatform = Platform{OS: "linux", Arch: "amd64"}

// Options say what a linker may see besides the tree.
type Options struct {
	Platforms   []Platform // each sees the tree on its own; the edges are joined. Empty: linux/amd64
	GOROOT      string     // source of the standard library. Empty: found by the environment
	ModuleCache string     // downloaded modules. Empty: found by the environment
	Detached    bool       // use neither, nor the outline: everything outside the tree is a stand-in
}

// A Linker links Go. It keeps the checked packages of the standard library and
// of dependencies for its later calls; it is safe for concurrent use.
type Linker struct {
	platforms []Platform
	shelves   []*shelf // one per platform
}

// New returns a linker.
func New(opts Options) *Linker {
	l := &Linker{platforms: opts.Platforms}
	if len(l.platforms) == 0 {
		l.platforms = []Platform{DefaultPlatform}
	}
	goroot, cache := opts.GOROOT, opts.ModuleCache
	if opts.Detached {
		goroot, cache = "", ""
	} else {
		if goroot == "" {
			goroot = findGOROOT()
		}
		if cache == "" {
			cache = findModuleCache()
		}
	}
	for _, p := range l.platforms {
		l.shelves = append(l.shelves, newShelf(goroot, !opts.Detached, cache, p))
	}
	return l
}

// findGOROOT looks where the go command lies, without running it. A GOROOT that is
// set counts alone, as for that command: a folder without sources gives none.
func findGOROOT() string {
	if dir := os.Getenv("GOROOT"); dir != "" {
		return sourceRoot(dir)
	}
	var candidates []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		real, err := filepath.EvalSymlinks(filepath.Join(dir, "go"))
		if err == nil && filepath.IsAbs(dir) {
			candidates = append(candidates, filepath.Dir(filepath.Dir(real)))
		}
	}
	candidates = append(candidates, "/usr/local/go", "/usr/lib/go")
	for _, dir := range candidates {
		if root := sourceRoot(dir); root != "" {
			return root
		}
	}
	return ""
}

// sourceRoot is dir if it holds the source of the standard library, else "".
func sourceRoot(dir string) string {
	if info, err := os.Stat(filepath.Join(dir, "src", "fmt")); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

func findModuleCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	if list := filepath.SplitList(os.Getenv("GOPATH")); len(list) > 0 && list[0] != "" {
		return filepath.Join(list[0], "pkg", "mod")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "go", "pkg", "mod")
}

// Languages lists Go.
func (*Linker) Languages() []string { return []string{extract.Language} }

// Version changes whenever the edges of unchanged facts would change.
func (*Linker) Version() uint32 { return version }

// Link resolves the references of all Go files of one tree. It takes over the
// syntax trees of in.Files; a later call with the same files parses them again.
func (l *Linker) Link(ctx context.Context, in link.Input) (link.Output, error) {
	t := &tree{in: in, workers: max(in.Workers, 1), platforms: map[string][]Platform{}, first: l.platforms[0]}
	if err := t.load(ctx); err != nil {
		return link.Output{}, err
	}
	t.addPackages(l.platforms)
	if len(t.files) > 0 {
		// Before anything is looked up: what comes into the cache meanwhile makes
		// the description wrong to the safe side.
		t.out.Outside = l.shelves[0].describe(l.shelves[0].version, t.modules.buildList())
	}
	for i, p := range l.platforms {
		b := &build{
			tree: t, platform: p, shelf: l.shelves[i],
			standIns: map[string]bool{}, outside: map[string]bool{},
		}
		if err := b.run(ctx); err != nil {
			return link.Output{}, err
		}
	}
	t.found.missing = l.shelves[0].missing(t.modules, t.found.standIns)
	t.found.outlined = l.shelves[0].outlinedAmong(t.modules, t.found.outside)
	return t.output(), nil
}

// addPackages makes the symbol of every package that can be imported.
func (t *tree) addPackages(platforms []Platform) {
	t.packages = map[string]int32{}
	for _, dir := range t.dirs {
		f := packageFile(t.byDir[dir], platforms)
		if f == nil {
			continue
		}
		id := graph.NewSymbolID(extract.Language, dir, "", "", graph.KindPackage, "")
		first := &t.in.Symbols[f.in.Symbols]
		t.packages[dir] = int32(len(t.in.Symbols) + len(t.out.Symbols))
		t.out.Symbols = append(t.out.Symbols, graph.Symbol{
			ID: id, Name: f.pkgName, Kind: graph.KindPackage, Language: extract.Language,
			Path: f.path, Line: first.Line, EndLine: first.Line, Exported: true,
		})
	}
}
