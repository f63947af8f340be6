package python

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/link"
)

// A place is a symbol, scope, binding or expression of one file.
type place struct {
	file int32
	at   int32
}

var nowhere = place{-1, graph.None}

// A module is what an import statement can name.
type module struct {
	file int32  // index of its file; -1 for a namespace package or a file that was not parsed
	dir  string // directory of its submodules, for packages
	pkg  bool   // a package, with or without a file
	// opaque is set if the module lies in the tree but its content is not known.
	opaque bool
	path   string // of the file, or the directory
}

// namespace reports whether the module is a directory without a file.
func (m module) namespace() bool { return m.pkg && m.file < 0 && !m.opaque }

type scopedName struct {
	scope int32
	name  string
}

// A file is one Python file with its bindings by name.
type file struct {
	link.File
	module     module
	names      map[scopedName][]int32 // bindings without attributes and narrowings
	attributes map[scopedName][]int32 // self.x = …, by class scope
	narrow     map[scopedName][]int32
	again      map[scopedName][]int32 // where a function's name stops being what it was
	literals   map[int32]int32        // lambdas by the scope that they open
	elements   map[scopedName][]int32 // what is put into the container of a name: "a[]", by a's scope
	stars      []int32                // star imports at file level
	all        map[string]bool        // __all__; nil if it has none
	allOpen    bool
	dynamic    bool // changes its own namespace: exec, globals()
	hooks      bool // changes how modules are found
	raises     map[int32]bool
}

// A project is the whole tree, ready for look-ups. After readClasses it is
// only read.
type project struct {
	in       link.Input
	files    []*file
	byPath   map[string]int32
	present  map[string]bool // every path of the tree
	dirs     map[string]bool // directories with Python files at any depth
	hooks    bool            // some file changes how modules are found: any package may have more
	native   bool            // the tree holds sources that compile to modules
	ignored  []string        // patterns of .gitignore: such files may be generated
	roots    []root
	classes  map[place]*class
	order    []place // classes in order
	methods  map[string][]place
	heirs    map[string][]place // classes by the last name of a base as it is written
	imports  [][]resolution     // by file: what each import names
	deps     [][]int32          // by file: files that it imports
	fixtures map[int32]map[string]place
	// reexports are the names that a file passes on, by file and name; passed
	// are the same by import. made are their symbols.
	reexports []map[string]*reexport
	passed    []map[int32]*reexport
	made      []graph.Symbol
	replaced  map[place][]place // by class: methods that replace one from outside
	callables bool              // some class of the tree has a __call__
	tests     map[place]bool    // unittest methods that only the tree shows to be tests
}

func newProject(ctx context.Context, in link.Input) (*project, error) {
	p := &project{
		in: in, byPath: map[string]int32{}, present: map[string]bool{}, dirs: map[string]bool{},
		classes: map[place]*class{}, methods: map[string][]place{}, heirs: map[string][]place{}, fixtures: map[int32]map[string]place{},
	}
	for i := range in.Files {
		f := newFile(in.Files[i])
		p.files = append(p.files, f)
		p.hooks = p.hooks || f.hooks
		p.byPath[f.Path] = int32(i)
	}
	for _, name := range in.Tree.Paths() {
		p.addPath(name)
	}
	for i, f := range p.files {
		p.addPath(f.Path)
		f.module = p.moduleAt(int32(i))
	}
	if err := p.readConfig(ctx); err != nil {
		return nil, err
	}
	p.resolveImports()
	p.readReexports()
	return p, nil
}

func (p *project) addPath(name string) {
	p.present[name] = true
	switch path.Ext(name) {
	case ".py", ".pyi":
		for d := path.Dir(name); ; d = path.Dir(d) {
			if d == "." {
				d = ""
			}
			if p.dirs[d] {
				break
			}
			p.dirs[d] = true
			if d == "" {
				break
			}
		}
	case ".pyx", ".pxd", ".c", ".cc", ".cpp", ".rs", ".so", ".pyd", ".f90":
		p.native = true
	}
}

func dirOf(name string) string {
	d := path.Dir(name)
	if d == "." {
		return ""
	}
	return d
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

func (p *project) moduleAt(i int32) module {
	name := p.files[i].Path
	base := path.Base(name)
	if base == "__init__.py" || base == "__init__.pyi" {
		return module{file: i, dir: dirOf(name), pkg: true, path: name}
	}
	return module{file: i, path: name}
}

// newFile indexes the bindings of a file.
func newFile(lf link.File) *file {
	f := &file{File: lf, names: map[scopedName][]int32{}, attributes: map[scopedName][]int32{}, narrow: map[scopedName][]int32{}, again: map[scopedName][]int32{}}
	for i := range lf.Facts.Bindings {
		b := &lf.Facts.Bindings[i]
		k := scopedName{b.Scope, b.Name}
		switch b.Kind {
		case graph.BindAttribute:
			f.attributes[k] = append(f.attributes[k], int32(i))
		case graph.BindNarrow:
			f.narrow[k] = append(f.narrow[k], int32(i))
		case graph.BindAgain:
			f.again[k] = append(f.again[k], int32(i))
		case graph.BindGlobal, graph.BindNonlocal:
		default:
			f.names[k] = append(f.names[k], int32(i))
		}
	}
	for i := range lf.Facts.Symbols {
		if s := &lf.Facts.Symbols[i]; s.Kind == graph.KindLiteral {
			if f.literals == nil {
				f.literals = map[int32]int32{}
			}
			f.literals[s.Scope] = int32(i)
		}
	}
	for i := range lf.Facts.Imports {
		if m := &lf.Facts.Imports[i]; m.Name == "*" && m.From == 0 {
			f.stars = append(f.stars, int32(i))
		}
	}
	if list, ok := lf.Facts.Notes["python.all"]; ok {
		f.all = map[string]bool{}
		for _, n := range strings.Split(list, "\n") {
			f.all[n] = true
		}
		f.allOpen = lf.Facts.Notes["python.all.dynamic"] != ""
	}
	f.noteElements()
	f.noteCalls()
	return f
}

// stub reports whether the file only declares types.
func (f *file) stub() bool { return strings.HasSuffix(f.Path, ".pyi") }

func (p *project) facts(at place) *graph.Facts { return p.files[at.file].Facts }

func (p *project) symbol(at place) *graph.SymbolFact { return &p.facts(at).Symbols[at.at] }

// index is the symbol's index in the input.
func (p *project) index(at place) int32 { return p.files[at.file].Symbols + at.at }

// child finds the module name inside a directory: a regular package, then a
// file, then a stub, then a package without a file.
func (p *project) child(dir, name string) (module, bool) {
	sub := join(dir, name)
	for _, candidate := range []string{sub + "/__init__.py", sub + ".py", sub + "/__init__.pyi", sub + ".pyi"} {
		if i, ok := p.byPath[candidate]; ok {
			return p.files[i].module, true
		}
		if p.present[candidate] {
			m := module{file: -1, opaque: true, path: candidate}
			if strings.HasPrefix(path.Base(candidate), "__init__.") {
				m.pkg, m.dir = true, sub
			}
			return m, true
		}
	}
	if p.dirs[sub] {
		return module{file: -1, dir: sub, pkg: true, path: sub}, true
	}
	return module{}, false
}

// regular reports whether a directory is a package with a file of its own.
func (p *project) regular(dir string) bool {
	return p.present[join(dir, "__init__.py")] || p.present[join(dir, "__init__.pyi")]
}

// mayBeMade reports whether a module that is not in the tree may come into
// being when the project is built: native code, generated or ignored files.
func (p *project) mayBeMade(dir, name string) bool {
	if strings.HasSuffix(name, "_pb2") || strings.HasSuffix(name, "_pb2_grpc") || strings.Contains(name, "version") ||
		strings.Contains(name, "generated") || p.native && strings.HasPrefix(name, "_") {
		return true
	}
	full := join(dir, name)
	for _, ext := range []string{".pyx", ".c", ".cc", ".cpp", ".so", ".pyd", ".rs", ".in", ".py.in", ".tmpl", ".py.tmpl", ".j2", ".proto", ".ipynb"} {
		if p.present[full+ext] {
			return true
		}
	}
	return slices.ContainsFunc(p.ignored, func(pattern string) bool { return ignores(pattern, full) })
}

// ignores reports whether a .gitignore pattern covers the module's file, its
// directory, or one around it.
func ignores(pattern, full string) bool {
	pattern = strings.Trim(strings.TrimPrefix(pattern, "**/"), "/")
	for name := full; name != ""; name = dirOf(name) {
		for _, candidate := range []string{name, name + ".py", path.Base(name), path.Base(name) + ".py"} {
			if ok, err := path.Match(pattern, candidate); err == nil && ok {
				return true
			}
		}
	}
	return false
}
