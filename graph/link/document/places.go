package document

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/link"
)

// places knows the files of the tree, and by which names code calls the packages
// and modules in them.
type places struct {
	files    map[string]bool
	folders  map[string]bool
	endings  map[string]bool   // of file names: "go", "md"
	modules  map[string]int32  // by path, the symbol of a parsed file
	packages map[string]bool   // names of Go packages and Python modules
	goNames  map[string]string // by folder, the last part of the Go module's path declared there
}

func newPlaces(symbols []graph.Symbol, paths []string) *places {
	p := &places{files: map[string]bool{}, folders: map[string]bool{".": true}, endings: map[string]bool{},
		modules: map[string]int32{}, packages: map[string]bool{}, goNames: map[string]string{}}
	for _, f := range paths {
		p.files[f] = true
		if e := path.Ext(f); e != "" {
			p.endings[e[1:]] = true
		}
		for d := path.Dir(f); !p.folders[d]; d = path.Dir(d) {
			p.folders[d] = true
		}
	}
	for i := range symbols {
		s := &symbols[i]
		if s.Kind != graph.KindModule {
			continue
		}
		p.modules[s.Path] = int32(i)
		switch s.Language {
		case "go":
			p.packages[path.Base(path.Dir(s.Path))] = true
		case "python":
			for _, name := range pythonNames(s.Path) {
				p.packages[name] = true
			}
		}
	}
	return p
}

// readModules learns the names of Go modules: the package in a module's root is
// called by the module's path, not by the folder.
func (p *places) readModules(ctx context.Context, tree link.Tree) error {
	for _, f := range tree.Paths() {
		if path.Base(f) != "go.mod" {
			continue
		}
		data, err := tree.Read(ctx, f)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", f, err)
		}
		module := modfile.ModulePath(data)
		if base := path.Base(module); module != "" && isMajor(base) {
			module = path.Dir(module)
		}
		if module != "" {
			p.goNames[path.Dir(f)] = path.Base(module)
			p.packages[path.Base(module)] = true
		}
	}
	return nil
}

// isMajor reports whether an element of a module path is a major version: "v2".
func isMajor(s string) bool {
	return len(s) > 1 && s[0] == 'v' && strings.Trim(s[1:], "0123456789") == ""
}

// holds reports whether the qualifiers name what contains a symbol: types from
// the inside out, then the package or module.
func (p *places) holds(s *graph.Symbol, qualifiers []string) bool {
	var containers []string
	if s.Container != "" {
		containers = strings.Split(s.Container, ".")
	}
	for len(containers) > 0 && len(qualifiers) > 0 {
		n, k := len(containers)-1, len(qualifiers)-1
		if containers[n] != qualifiers[k] {
			return false
		}
		containers, qualifiers = containers[:n], qualifiers[:k]
	}
	if len(qualifiers) == 0 {
		return true
	}
	switch fenceOf(s.Language) {
	case "go":
		return len(qualifiers) == 1 && p.isGoPackage(path.Dir(s.Path), qualifiers[0])
	case "python":
		return inOrder(qualifiers, pythonNames(s.Path))
	case "ecmascript":
		return len(qualifiers) == 1 && isScriptModule(s.Path, qualifiers[0])
	}
	return false
}

func (p *places) isGoPackage(dir, name string) bool {
	if module, ok := p.goNames[dir]; ok {
		return name == module || name == strings.TrimPrefix(module, "go-") || name == strings.TrimSuffix(module, "-go")
	}
	base := path.Base(dir)
	if isMajor(base) {
		base = path.Base(path.Dir(dir))
	}
	return name == base
}

// pythonNames are the packages and the module that lead to a file. Names that
// its packages pass on are called without those in between.
func pythonNames(file string) []string {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	var out []string
	if dir := path.Dir(file); dir != "." {
		out = strings.Split(dir, "/")
	}
	if stem != "__init__" {
		out = append(out, stem)
	}
	return out
}

// inOrder reports whether all of want stand in have, in that order.
func inOrder(want, have []string) bool {
	for _, h := range have {
		if len(want) > 0 && want[0] == h {
			want = want[1:]
		}
	}
	return len(want) == 0
}

// isScriptModule reports whether a file, or for an index file its folder, has
// this name.
func isScriptModule(file, name string) bool {
	stem, _, _ := strings.Cut(path.Base(file), ".")
	return stem == name || stem == "index" && path.Base(path.Dir(file)) == name
}

// link resolves a link to a file.
func (l *linking) link(f *link.File, im graph.Import) {
	target := path.Join(path.Dir(f.Path), im.Module)
	rooted := strings.HasPrefix(im.Module, "/")
	if rooted {
		target = path.Join(".", im.Module[1:])
	}
	if target == ".." || strings.HasPrefix(target, "../") {
		return // a page of the site that shows the repository
	}
	file, found := l.places.find(target)
	if to, ok := l.places.modules[file]; ok {
		l.edge(f, im.From, im.Line, to, graph.EdgeImport, graph.TierExact)
		return
	}
	if found || rooted || l.places.beyond(target) {
		return
	}
	l.unresolved(f, im.From, graph.Unresolved{Line: im.Line, Kind: graph.EdgeImport, Name: im.Module, In: target,
		Broken: isFileName(target), Reason: reasonNoFile})
}

// path resolves the path of a file in text, from the document or from the root.
// One that leads nowhere says nothing.
func (l *linking) path(f *link.File, im graph.Import) {
	for _, target := range []string{path.Join(path.Dir(f.Path), im.Module), path.Clean(im.Module)} {
		if to, ok := l.places.modules[target]; ok {
			l.edge(f, im.From, im.Line, to, graph.EdgeReference, graph.TierExact)
			return
		}
	}
}

// find returns the file that a link leads to, as a repository's site or a
// generator of documents reads it.
func (p *places) find(target string) (file string, found bool) {
	if p.files[target] {
		return target, true
	}
	stem := strings.TrimSuffix(target, ".html")
	for _, ending := range []string{".md", ".mdx", ".markdown", ".rst", ".adoc", "/README.md", "/index.md", "/index.mdx", "/index.rst"} {
		if p.files[stem+ending] {
			return stem + ending, true
		}
	}
	return "", p.folders[target]
}

// beyond reports whether a target lies behind a file of the tree: in a submodule
// or behind a symbolic link.
func (p *places) beyond(target string) bool {
	for d := path.Dir(target); d != "."; d = path.Dir(d) {
		if p.files[d] {
			return true
		}
	}
	return false
}

// isFileName reports whether a target can only be a file of the tree. Without an
// ending it may be a page that a site has, and HTML may be made from something
// else.
func isFileName(target string) bool {
	ending := strings.TrimPrefix(path.Ext(target), ".")
	if ending == "" || len(ending) > 8 || strings.Trim(strings.ToLower(ending[:1]), "abcdefghijklmnopqrstuvwxyz") != "" {
		return false
	}
	return !strings.HasPrefix(ending, "htm") && ending != "php" && ending != "aspx"
}
