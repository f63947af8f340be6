package python_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	extract "github.com/previdence/previdence/graph/extract/python"
	"github.com/previdence/previdence/graph/link"
	"github.com/previdence/previdence/graph/link/python"
)

// A memoryTree is a tree of files by path.
type memoryTree map[string]string

func (m memoryTree) Paths() []string { return slices.Sorted(maps.Keys(m)) }

func (m memoryTree) Read(_ context.Context, path string) ([]byte, error) {
	s, ok := m[path]
	if !ok {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return []byte(s), nil
}

func input(t testing.TB, files memoryTree, workers int) link.Input {
	t.Helper()
	in := link.Input{Tree: files, Workers: workers}
	for _, path := range files.Paths() {
		if !strings.HasSuffix(path, ".py") && !strings.HasSuffix(path, ".pyi") {
			continue
		}
		r, err := extract.New().Extract(context.Background(), extract.Language, []byte(files[path]))
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, link.File{Path: path, Facts: r.Facts, Symbols: int32(len(in.Symbols))})
		ids := r.Facts.IDs(path)
		for i, s := range r.Facts.Symbols {
			in.Symbols = append(in.Symbols, graph.Symbol{ID: ids[i], Name: s.Name, Kind: s.Kind, Path: path, Line: int(s.Line)})
		}
	}
	return in
}

func linked(t testing.TB, files memoryTree) (link.Input, link.Output) {
	t.Helper()
	in := input(t, files, 1)
	out, err := python.New().Link(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	in.Symbols = append(in.Symbols, out.Symbols...)
	return in, out
}

// edges lists edges as "a.py#f/function kind/tier b.py#g/function", import
// edges left out unless asked for.
func edges(in link.Input, out link.Output, kinds ...graph.EdgeKind) []string {
	var list []string
	for _, e := range out.Edges {
		if len(kinds) == 0 && e.Kind == graph.EdgeImport || len(kinds) > 0 && !slices.Contains(kinds, e.Kind) {
			continue
		}
		from, to := string(in.Symbols[e.From].ID), string(in.Symbols[e.To].ID)
		list = append(list, strings.TrimPrefix(from, "python:")+" "+e.Kind.String()+"/"+e.Tier.String()+" "+strings.TrimPrefix(to, "python:"))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func unresolved(in link.Input, out link.Output) []string {
	var list []string
	for _, u := range out.Unresolved {
		s := fmt.Sprintf("%s:%d %s %s", in.Symbols[u.From].Path, u.Line, u.Kind, u.Name)
		if u.In != "" {
			s += " in " + u.In
		}
		if u.Broken {
			s += " broken"
		}
		list = append(list, s+": "+u.Reason)
	}
	slices.Sort(list)
	return list
}

// TestCalls holds one rule or trap per case: files, the edges that must be
// there, and parts that no edge may contain.
func TestCalls(t *testing.T) {
	tests := []struct {
		name   string
		files  memoryTree
		want   []string
		absent []string
	}{
		{
			name: "a relative import goes to its package, not to a decoy beside it",
			files: memoryTree{"p/__init__.py": "", "p/a/__init__.py": "", "p/a/b.py": "def f(): pass\n", "p/c/__init__.py": "",
				"p/c/f.py": "def f(): pass\n", "p/f.py": "def f(): pass\n", "f.py": "def f(): pass\n",
				"p/c/m.py": "from ..a.b import f\ndef g(): f()\n"},
			want:   []string{"p/c/m.py#g/function call/exact p/a/b.py#f/function"},
			absent: []string{"call/exact p/c/f.py", "call/exact p/f.py", "call/exact f.py"},
		},
		{
			name: "a local shadows an import",
			files: memoryTree{"a.py": "def f(): pass\n",
				"m.py": "from a import f\ndef g():\n    def f(): pass\n    f()\ndef h(f): f()\ndef k():\n    for f in x: f()\n"},
			want:   []string{"m.py#g/function call/exact m.py#g.f/function"},
			absent: []string{"a.py#f/function"},
		},
		{
			name:   "an import inside a function shadows the file's function",
			files:  memoryTree{"a.py": "def f(): pass\n", "m.py": "def f(): pass\ndef g():\n    from a import f\n    f()\n"},
			want:   []string{"m.py#g/function call/exact a.py#f/function"},
			absent: []string{"m.py#f/function"},
		},
		{
			name: "the same name in two packages",
			files: memoryTree{"p/__init__.py": "", "p/m.py": "def f(): pass\n", "q/__init__.py": "", "q/m.py": "def f(): pass\n",
				"main.py": "from p.m import f\nimport q.m\ndef g(): f()\ndef h(): q.m.f()\n"},
			want: []string{"main.py#g/function call/exact p/m.py#f/function", "main.py#h/function call/exact q/m.py#f/function"},
		},
		{
			name: "packages with the same path below two roots are ambiguous",
			files: memoryTree{"x/p/__init__.py": "", "x/p/m.py": "def f(): pass\n", "y/p/__init__.py": "", "y/p/m.py": "def f(): pass\n",
				"main.py": "from p.m import f\ndef g(): f()\n"},
			want:   []string{"main.py#g/function call/name x/p/m.py#f/function", "main.py#g/function call/name y/p/m.py#f/function"},
			absent: []string{"call/exact"},
		},
		{
			name: "the nearest root wins",
			files: memoryTree{"x/p/__init__.py": "", "x/p/m.py": "def f(): pass\n", "y/p/__init__.py": "", "y/p/m.py": "def f(): pass\n",
				"y/tests/test_m.py": "from p.m import f\ndef test_g(): f()\n"},
			want:   []string{"y/tests/test_m.py#test_g/function call/exact y/p/m.py#f/function"},
			absent: []string{"x/p/m.py#f"},
		},
		{
			name: "src layout",
			files: memoryTree{"src/p/__init__.py": "from .m import f as f\n", "src/p/m.py": "def f(): pass\n", "pyproject.toml": "",
				"tests/test_m.py": "import p\ndef test_g(): p.f()\n"},
			want: []string{"tests/test_m.py#test_g/function call/exact src/p/m.py#f/function"},
		},
		{
			name: "a package directory named by the project",
			files: memoryTree{"lib/py/m.py": "def f(): pass\n", "pyproject.toml": "[tool.setuptools.packages.find]\nwhere = [\"lib/py\"]\n",
				"main.py": "import m\ndef g(): m.f()\n"},
			want: []string{"main.py#g/function call/exact lib/py/m.py#f/function"},
		},
		{
			name:  "namespace packages",
			files: memoryTree{"ns/a/m.py": "def f(): pass\n", "main.py": "from ns.a import m\ndef g(): m.f()\n"},
			want:  []string{"main.py#g/function call/exact ns/a/m.py#f/function"},
		},
		{
			name:   "a directory that happens to be named like an installed package",
			files:  memoryTree{"examples/celery/src/app/__init__.py": "from celery import Celery\ndef g(): Celery()\n", "examples/celery/x.py": ""},
			absent: []string{"call/"},
		},
		{
			name:  "re-exports are followed through packages and renames",
			files: memoryTree{"p/__init__.py": "from .q import g as h\n", "p/q/__init__.py": "from .m import f as g\n", "p/q/m.py": "def f(): pass\n", "main.py": "from p import h\ndef k(): h()\n"},
			want:  []string{"main.py#k/function call/exact p/q/m.py#f/function"},
		},
		{
			name:  "a package's name wins over a submodule of the same name",
			files: memoryTree{"p/__init__.py": "from .run import run\n", "p/run.py": "def run(): pass\n", "main.py": "from p import run\ndef k(): run()\n"},
			want:  []string{"main.py#k/function call/exact p/run.py#run/function"},
		},
		{
			name: "a decorator without arguments is called with what it stands on",
			files: memoryTree{"a.py": "def deco(f): return f\ndef made(x):\n    return deco\n",
				"m.py": "from a import deco, made\n@deco\ndef f(): pass\n@deco\nclass C:\n    @deco\n    def m(self): pass\n@made(1)\ndef g(): pass\n"},
			want: []string{"m.py#f/function call/exact a.py#deco/function", "m.py#C/class call/exact a.py#deco/function",
				"m.py#C.m/method call/exact a.py#deco/function", "m.py#g/function call/exact a.py#made/function"},
			absent: []string{"m.py#C.m/method reference", "m.py#f/function reference"},
		},
		{
			name: "assigning to an inherited property makes no attribute beside it",
			files: memoryTree{"m.py": "class A:\n    @property\n    def p(self): return 1\n    @p.setter\n    def p(self, v): pass\n" +
				"class B(A):\n    def set(self):\n        self.p = 2\n    def get(self):\n        return self.p\n"},
			want: []string{"m.py#B.get/method call/exact m.py#A.p/property", "m.py#B.set/method call/exact m.py#A.p/property~setter"},
		},
		{
			name:   "an attribute that hides a method of a base stays one",
			files:  memoryTree{"m.py": "class A:\n    def f(self): pass\nclass B(A):\n    def __init__(self):\n        self.f = print\n    def go(self):\n        self.f()\n"},
			absent: []string{"m.py#B.go/method call/exact m.py#A.f/method"},
		},
		{
			name: "a parameter that is called leads to what is passed as it, through other parameters too",
			files: memoryTree{"a.py": "def run(f, *, then=None):\n    f()\n    then()\ndef twice(g):\n    run(g)\nclass Keeper:\n    def __init__(self, f):\n        self.f = f\n    def go(self):\n        self.f()\n",
				"m.py": "from a import Keeper, run, twice\ndef one(): pass\ndef two(): pass\ndef three(): pass\ndef four(): pass\ndef never(): pass\n" +
					"def main():\n    run(one, then=two)\n    twice(three)\n    Keeper(four)\n    never\n"},
			want: []string{"a.py#run/function dispatch/dispatch m.py#one/function", "a.py#run/function dispatch/dispatch m.py#two/function",
				"a.py#run/function dispatch/dispatch m.py#three/function", "a.py#Keeper.go/method dispatch/dispatch m.py#four/function"},
			absent: []string{"dispatch/dispatch m.py#never", "a.py#twice/function dispatch", "a.py#Keeper.__init__/method dispatch"},
		},
		{
			name:   "what follows unpacked arguments is passed at no certain place",
			files:  memoryTree{"m.py": "def run(f, g):\n    g()\ndef one(): pass\ndef main(rest):\n    run(*rest, one)\n"},
			absent: []string{"dispatch/dispatch m.py#one/function"},
		},
		{
			name: "a function that returns its argument gives each call its own",
			files: memoryTree{"m.py": "class A:\n    def f(self): pass\nclass B:\n    def f(self): pass\ndef keep(x): return x\n" +
				"def a():\n    keep(A()).f()\ndef b():\n    keep(B)().f()\n"},
			want:   []string{"m.py#a/function call/exact m.py#A.f/method", "m.py#b/function call/exact m.py#B.f/method"},
			absent: []string{"m.py#a/function call/exact m.py#B.f/method", "m.py#b/function call/exact m.py#A.f/method", "m.py#a/function dispatch"},
		},
		{
			name: "a call of a decorated function runs the function that stands for it, which runs what is decorated",
			files: memoryTree{"m.py": "def logged(f):\n    def wrapper():\n        return f()\n    return wrapper\n@logged\ndef one(): pass\n@logged\ndef two(): pass\n" +
				"def main():\n    one()\n"},
			want: []string{"m.py#main/function dispatch/dispatch m.py#logged.wrapper/function", "m.py#main/function call/import m.py#one/function",
				"m.py#logged.wrapper/function dispatch/dispatch m.py#one/function", "m.py#logged.wrapper/function dispatch/dispatch m.py#two/function"},
			absent: []string{"m.py#main/function call/import m.py#two", "m.py#main/function dispatch/dispatch m.py#two"},
		},
		{
			name:   "in a class a name means what stands above it",
			files:  memoryTree{"m.py": "def deco(f): return f\nclass C:\n    @deco\n    def deco(self): pass\n    @deco\n    def g(self): pass\n"},
			want:   []string{"m.py#C.deco/method call/exact m.py#deco/function", "m.py#C.g/method call/import m.py#C.deco/method"},
			absent: []string{"m.py#C.deco/method call/exact m.py#C.deco/method", "m.py#C.g/method call/exact m.py#deco/function"},
		},
		{
			name: "the truth and the text of an object are asked of it",
			files: memoryTree{"m.py": "class Bag:\n    def __len__(self): return 0\n    def __str__(self): return ''\nclass Flag:\n    def __bool__(self): return True\n    def __len__(self): return 0\n" +
				"def a(x: Bag):\n    if x: pass\ndef b(x: Flag):\n    return not x\ndef c(x: Bag):\n    return f'<{x}>'\ndef d(x: Bag):\n    return x or 1\ndef e(x: Bag):\n    return x is None\n"},
			want: []string{"m.py#a/function call/exact m.py#Bag.__len__/method", "m.py#b/function call/exact m.py#Flag.__bool__/method",
				"m.py#c/function call/exact m.py#Bag.__str__/method", "m.py#d/function call/exact m.py#Bag.__len__/method"},
			absent: []string{"m.py#b/function call/exact m.py#Flag.__len__", "m.py#e/function call", "m.py#c/function call/exact m.py#Bag.__len__"},
		},
		{
			name: "a descriptor of the class is read and written through its methods",
			files: memoryTree{"m.py": "class Slot:\n    def __get__(self, obj, owner): return 1\n    def __set__(self, obj, value): pass\nclass C:\n    x = Slot()\n" +
				"def read(c: C):\n    return c.x\ndef write(c: C):\n    c.x = 1\n"},
			want:   []string{"m.py#read/function call/exact m.py#Slot.__get__/method", "m.py#write/function call/exact m.py#Slot.__set__/method"},
			absent: []string{"m.py#read/function call/exact m.py#Slot.__set__", "m.py#write/function call/exact m.py#Slot.__get__"},
		},
		{
			name: "star imports honour __all__",
			files: memoryTree{"a.py": "__all__ = ['f', '_h']\ndef f(): pass\ndef g(): pass\ndef _h(): pass\n", "b.py": "def f2(): pass\ndef _p(): pass\n",
				"m.py": "from a import *\nfrom b import *\ndef k():\n    f()\n    g()\n    _h()\n    f2()\n    _p()\n"},
			want:   []string{"m.py#k/function call/exact a.py#f/function", "m.py#k/function call/exact a.py#_h/function", "m.py#k/function call/exact b.py#f2/function"},
			absent: []string{"a.py#g/function", "b.py#_p/function"},
		},
		{
			name: "conditional and guarded imports keep every candidate",
			files: memoryTree{"fast.py": "def f(): pass\n", "slow.py": "def f(): pass\n",
				"m.py": "try:\n    from fast import f\nexcept ImportError:\n    from slow import f\ndef g(): f()\n"},
			want: []string{"m.py#g/function call/import fast.py#f/function", "m.py#g/function call/import slow.py#f/function"},
		},
		{
			name:  "a guarded import that falls back to None is one definition",
			files: memoryTree{"fast.py": "def f(): pass\n", "m.py": "try:\n    from fast import f\nexcept ImportError:\n    f = None\ndef g(): f()\n"},
			want:  []string{"m.py#g/function call/exact fast.py#f/function"},
		},
		{
			name:  "names imported for type checking give types",
			files: memoryTree{"a.py": "class C:\n    def m(self): pass\n", "m.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import C\ndef g(c: 'C'): c.m()\n"},
			want:  []string{"m.py#g/function call/exact a.py#C.m/method", "m.py#g/function reference/exact a.py#C/class"},
		},
		{
			name:   "getattr leads nowhere",
			files:  memoryTree{"a.py": "class C:\n    def m(self): pass\ndef g(c: C, n): getattr(c, n)()\n"},
			absent: []string{"call/exact a.py#C.m", "call/name"},
		},
		{
			name: "a fixture is found by its name, the nearest first",
			files: memoryTree{"tests/conftest.py": "import pytest\n@pytest.fixture\ndef db(): pass\n@pytest.fixture\ndef app(db): pass\n",
				"tests/sub/conftest.py": "import pytest\n@pytest.fixture(name='app')\ndef make(app): pass\n",
				"tests/sub/test_a.py":   "def test_x(app, db): pass\ndef helper(db): pass\n", "other/test_b.py": "def test_y(db): pass\n"},
			want: []string{"tests/sub/test_a.py#test_x/function call/exact tests/sub/conftest.py#make/function",
				"tests/sub/test_a.py#test_x/function call/exact tests/conftest.py#db/function",
				"tests/conftest.py#app/function call/exact tests/conftest.py#db/function",
				"tests/sub/conftest.py#make/function call/exact tests/conftest.py#app/function"},
			absent: []string{"#helper/function", "#test_y/function"},
		},
		{
			name:  "what a fixture yields has its type",
			files: memoryTree{"test_a.py": "import pytest\nclass C:\n    def m(self): pass\n@pytest.fixture\ndef c():\n    yield C()\ndef test_x(c): c.m()\n"},
			want:  []string{"test_a.py#test_x/function call/exact test_a.py#C.m/method"},
		},
		{
			name:  "creating an object calls its class and what sets it up, inherited too",
			files: memoryTree{"a.py": "class A:\n    def __init__(self): pass\nclass B(A): pass\nclass C: pass\ndef f():\n    B()\n    C()\n"},
			want:  []string{"a.py#f/function call/exact a.py#B/class", "a.py#f/function call/exact a.py#A.__init__/method", "a.py#f/function call/exact a.py#C/class"},
		},
		{
			name:  "attributes of self have the types that are assigned or declared",
			files: memoryTree{"a.py": "class A:\n    def m(self): pass\nclass B:\n    def m(self): pass\nclass C:\n    b: B\n    def __init__(self, a: A):\n        self.a = a\n        self.n = A()\n    def f(self): self.a.m()\n    def g(self): self.b.m()\n    def h(self): self.n.m()\n"},
			want:  []string{"a.py#C.f/method call/exact a.py#A.m/method", "a.py#C.g/method call/exact a.py#B.m/method", "a.py#C.h/method call/exact a.py#A.m/method"},
		},
		{
			name:   "super follows the linearised bases",
			files:  memoryTree{"a.py": "class A:\n    def m(self): pass\nclass B(A):\n    def m(self): super().m()\nclass C(A):\n    def m(self): pass\nclass D(B, C):\n    def m(self): super().m()\n"},
			want:   []string{"a.py#B.m/method call/exact a.py#A.m/method", "a.py#D.m/method call/exact a.py#B.m/method", "a.py#D.m/method override/exact a.py#B.m/method", "a.py#B.m/method override/exact a.py#A.m/method"},
			absent: []string{"dispatch"},
		},
		{
			name:   "a call on a declared class may reach its subclasses",
			files:  memoryTree{"a.py": "class A:\n    def m(self): pass\nclass B(A):\n    def m(self): pass\ndef f(a: A): a.m()\ndef g(): A().m()\n"},
			want:   []string{"a.py#f/function call/exact a.py#A.m/method", "a.py#f/function dispatch/dispatch a.py#B.m/method", "a.py#g/function call/exact a.py#A.m/method"},
			absent: []string{"#g/function dispatch"},
		},
		{
			name:  "static methods, class methods, cls and properties",
			files: memoryTree{"a.py": "class A:\n    @staticmethod\n    def s(): pass\n    @classmethod\n    def c(cls): return cls()\n    @property\n    def p(self) -> 'A': return self\n    def m(self): pass\ndef f():\n    A.s()\n    A.c().m()\n    A().p.m()\n"},
			want: []string{"a.py#f/function call/exact a.py#A.s/method", "a.py#f/function call/exact a.py#A.c/method", "a.py#f/function call/exact a.py#A.m/method",
				"a.py#f/function call/exact a.py#A.p/property", "a.py#A.c/method call/exact a.py#A/class"},
		},
		{
			name:   "results are declared or inferred",
			files:  memoryTree{"a.py": "class A:\n    def m(self): pass\n    def me(self): return self\ndef d() -> A: ...\ndef i():\n    x = A()\n    return x\ndef rec(n): return rec(n - 1)\nasync def co() -> A: ...\ndef f(): d().m()\ndef g(): i().me().m()\ndef h(): rec(1).m()\nasync def k(): (await co()).m()\n"},
			want:   []string{"a.py#f/function call/exact a.py#A.m/method", "a.py#g/function call/exact a.py#A.m/method", "a.py#k/function call/exact a.py#A.m/method"},
			absent: []string{"#h/function call/exact a.py#A.m"},
		},
		{
			name:  "elements of lists, dicts and tuples",
			files: memoryTree{"a.py": "class A:\n    def m(self): pass\ndef f(xs: list[A]):\n    for x in xs: x.m()\ndef g(d: dict[str, A]): d['k'].m()\ndef h(d: dict[str, A]):\n    for k, v in d.items(): v.m()\ndef i(t: tuple[int, A]): t[1].m()\ndef j():\n    return [a.m() for a in [A()]]\ndef k(o: 'Optional[A]'):\n    if o: o.m()\n"},
			want: []string{"a.py#f/function call/exact a.py#A.m/method", "a.py#g/function call/exact a.py#A.m/method", "a.py#h/function call/exact a.py#A.m/method",
				"a.py#i/function call/exact a.py#A.m/method", "a.py#j/function call/exact a.py#A.m/method", "a.py#k/function call/exact a.py#A.m/method"},
		},
		{
			name:  "context managers give what they enter",
			files: memoryTree{"a.py": "from contextlib import contextmanager\nclass A:\n    def __enter__(self): return self\n    def m(self): pass\n@contextmanager\ndef cm():\n    yield A()\ndef f():\n    with A() as a: a.m()\ndef g():\n    with cm() as a: a.m()\n"},
			want:  []string{"a.py#f/function call/exact a.py#A.m/method", "a.py#g/function call/exact a.py#A.m/method", "a.py#g/function call/exact a.py#cm/function"},
		},
		{
			name:   "isinstance narrows where it holds",
			files:  memoryTree{"a.py": "class A:\n    def m(self): pass\nclass B:\n    def m(self): pass\ndef f(x):\n    if isinstance(x, A): x.m()\n    elif isinstance(x, B): x.m()\ndef g(x):\n    if not isinstance(x, A): return\n    x.m()\n"},
			want:   []string{"a.py#f/function call/exact a.py#A.m/method", "a.py#f/function call/exact a.py#B.m/method", "a.py#g/function call/exact a.py#A.m/method"},
			absent: []string{"#g/function call/exact a.py#B.m"},
		},
		{
			name:  "a union may be any of its types",
			files: memoryTree{"a.py": "class A:\n    def m(self): pass\nclass B:\n    def m(self): pass\ndef f(x: A | B): x.m()\n"},
			want:  []string{"a.py#f/function call/dispatch a.py#A.m/method", "a.py#f/function call/dispatch a.py#B.m/method"},
		},
		{
			name:  "partial, aliases and functions passed as values",
			files: memoryTree{"a.py": "from functools import partial\ndef f(x): pass\ng = f\ndef h():\n    p = partial(f, 1)\n    p()\ndef k(): g(1)\ndef l(): run(f)\n"},
			want:  []string{"a.py#h/function call/exact a.py#f/function", "a.py#k/function call/dispatch a.py#f/function", "a.py#k/function reference/exact a.py#g/variable", "a.py#l/function reference/exact a.py#f/function"},
		},
		{
			name:  "decorators that wrap keep the function, unknown ones weaken it",
			files: memoryTree{"a.py": "import functools, lib\ndef keep(f):\n    @functools.wraps(f)\n    def w(): return f()\n    return w\n@keep\ndef f(): pass\n@lib.route('/')\ndef g(): pass\n@functools.lru_cache\ndef h(): pass\ndef k():\n    f()\n    g()\n    h()\n"},
			want:  []string{"a.py#k/function call/exact a.py#f/function", "a.py#k/function call/import a.py#g/function", "a.py#k/function call/exact a.py#h/function"},
		},
		{
			name:  "type[C] and __class__ create objects",
			files: memoryTree{"a.py": "class A:\n    def __init__(self): pass\n    def m(self): self.__class__().m()\ndef f(t: type[A]): t().m()\n"},
			want:  []string{"a.py#f/function call/exact a.py#A/class", "a.py#f/function call/exact a.py#A.__init__/method", "a.py#f/function call/exact a.py#A.m/method", "a.py#A.m/method call/exact a.py#A/class"},
		},
		{
			name:  "a type variable of a base means what the class gives it",
			files: memoryTree{"a.py": "class P(Generic[T]):\n    def get(self) -> T: ...\nT = TypeVar('T')\nclass A:\n    def m(self): pass\nclass Q(P[A]): pass\ndef f(q: Q): q.get().m()\n"},
			want:  []string{"a.py#f/function call/exact a.py#A.m/method"},
		},
		{
			name: "only few methods of a name, in imported files, stand for an unknown object",
			files: memoryTree{"a.py": "class A:\n    def special(self): pass\n    def get(self): pass\n", "far.py": "class F:\n    def special(self): pass\n",
				"m.py": "import a\ndef f(x):\n    x.special()\n    x.get()\n"},
			want:   []string{"m.py#f/function call/name a.py#A.special/method"},
			absent: []string{"far.py", "A.get"},
		},
		{
			name:  "a stub stands for a module without source",
			files: memoryTree{"p/__init__.py": "", "p/native.pyi": "def f() -> A: ...\nclass A:\n    def m(self): ...\n", "m.py": "from p.native import f\ndef g(): f().m()\n"},
			want:  []string{"m.py#g/function call/exact p/native.pyi#f/function", "m.py#g/function call/exact p/native.pyi#A.m/method"},
		},
		{
			name:  "source wins over a stub beside it",
			files: memoryTree{"p.py": "def f(): pass\n", "p.pyi": "def f() -> int: ...\n", "m.py": "from p import f\ndef g(): f()\n"},
			want:  []string{"m.py#g/function call/exact p.py#f/function"}, absent: []string{"p.pyi"},
		},
		{
			name:  "dataclasses, enums and module constants",
			files: memoryTree{"a.py": "from dataclasses import dataclass\nfrom enum import Enum\nLIMIT = 1\nclass E(Enum):\n    A = 1\n    def m(self): pass\n@dataclass\nclass D:\n    e: E\n    def __post_init__(self): pass\ndef f(): D(E.A).e.m()\ndef g(): return LIMIT\n"},
			want: []string{"a.py#f/function call/exact a.py#D/class", "a.py#f/function call/exact a.py#D.__post_init__/method", "a.py#f/function call/exact a.py#E.m/method",
				"a.py#f/function reference/exact a.py#E.A/member", "a.py#f/function reference/exact a.py#D.e/field", "a.py#g/function reference/exact a.py#LIMIT/constant"},
		},
		{
			name:   "class names are not visible inside methods",
			files:  memoryTree{"a.py": "def f(): pass\nclass A:\n    def f(self): pass\n    def g(self): f()\n"},
			want:   []string{"a.py#A.g/method call/exact a.py#f/function"},
			absent: []string{"call/exact a.py#A.f"},
		},
		{
			name:   "a member of something outside is no edge",
			files:  memoryTree{"a.py": "import json\nclass A:\n    def loads(self): pass\ndef f(): json.loads('')\ndef g(s: str): s.loads()\n"},
			absent: []string{"call/"},
		},
		{
			name:  "a submodule is not hidden by one that a star import brings along",
			files: memoryTree{"p/__init__.py": "from .a import *\n", "p/a/__init__.py": "", "p/a/c.py": "def f(): pass\n", "p/c.py": "def f(): pass\n", "m.py": "import p\ndef g(): p.c.f()\n"},
			want:  []string{"m.py#g/function call/exact p/c.py#f/function"}, absent: []string{"p/a/c.py"},
		},
		{
			name:  "super with arguments starts behind the class it names",
			files: memoryTree{"a.py": "class A:\n    def m(self): pass\nclass B(A):\n    def m(self): pass\nclass C(B):\n    def m(self): super(B, self).m()\n"},
			want:  []string{"a.py#C.m/method call/exact a.py#A.m/method"}, absent: []string{"a.py#C.m/method call/exact a.py#B.m"},
		},
		{
			name:  "a descriptor stands for what it gives",
			files: memoryTree{"a.py": "class A:\n    def m(self): pass\nclass D:\n    def __get__(self, o, t) -> A: ...\n    def m(self): pass\nclass C:\n    d = D()\ndef f(c: C): c.d.m()\n"},
			want:  []string{"a.py#f/function call/exact a.py#A.m/method"}, absent: []string{"a.py#D.m"},
		},
		{
			name:  "an outside import with a fallback in the tree may be either",
			files: memoryTree{"a.py": "try:\n    from lib import f\nexcept ImportError:\n    def f(): pass\ndef g(): f()\n"},
			want:  []string{"a.py#g/function call/dispatch a.py#f/function"},
		},
		{
			name:  "with, for, indexing and operators call special methods",
			files: memoryTree{"a.py": "class A:\n    def __enter__(self): return self\n    def __exit__(self, *a): pass\n    def __iter__(self): yield 1\n    def __getitem__(self, i): pass\n    def __add__(self, o): pass\ndef f():\n    with A(): pass\ndef g(a: A):\n    for x in a: pass\ndef h(a: A): return a[1]\ndef i(a: A): return a + a\n"},
			want: []string{"a.py#f/function call/exact a.py#A.__enter__/method", "a.py#f/function call/exact a.py#A.__exit__/method", "a.py#g/function call/exact a.py#A.__iter__/method",
				"a.py#h/function call/exact a.py#A.__getitem__/method", "a.py#i/function call/exact a.py#A.__add__/method"},
		},
		{
			name:  "a mixin uses what the classes that take it in have",
			files: memoryTree{"a.py": "class Mixin:\n    def f(self): self.send()\nclass Base:\n    def send(self): pass\nclass Client(Mixin, Base): pass\nclass Other:\n    def send(self): pass\n"},
			want:  []string{"a.py#Mixin.f/method call/dispatch a.py#Base.send/method"}, absent: []string{"a.py#Other.send"},
		},
		{
			name: "what runs around a test by its name or by itself",
			files: memoryTree{"conftest.py": "import pytest\n@pytest.fixture(autouse=True)\ndef env(): pass\n@pytest.fixture(autouse=False)\ndef other(): pass\n",
				"test_a.py": "import unittest\nclass Base(unittest.TestCase):\n    def setUp(self): pass\nclass T(Base):\n    def test_x(self): pass\n    def plain(self): pass\ndef setup_module(): pass\ndef test_y(): pass\n"},
			want: []string{"test_a.py#T.test_x/method call/exact test_a.py#Base.setUp/method", "test_a.py#test_y/function call/exact test_a.py#setup_module/function",
				"test_a.py#test_y/function call/exact conftest.py#env/function"},
			absent: []string{"conftest.py#other", "#T.plain/method"},
		},
		{
			name:  "recursion and cycles of imports end",
			files: memoryTree{"a.py": "from b import g\ndef f(): g()\nclass X(X): pass\n", "b.py": "from a import f\nfrom a import *\ndef g(): f()\n"},
			want:  []string{"a.py#f/function call/exact b.py#g/function", "b.py#g/function call/exact a.py#f/function"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, out := linked(t, tt.files)
			got := edges(in, out)
			for _, w := range tt.want {
				if !slices.Contains(got, w) {
					t.Errorf("missing %s", w)
				}
			}
			for _, a := range tt.absent {
				if i := slices.IndexFunc(got, func(s string) bool { return strings.Contains(s, a) }); i >= 0 {
					t.Errorf("must not be: %s", got[i])
				}
			}
			if t.Failed() {
				t.Logf("edges:\n%s\nunresolved:\n%s", strings.Join(got, "\n"), strings.Join(unresolved(in, out), "\n"))
			}
		})
	}
}

func TestUnresolved(t *testing.T) {
	tests := []struct {
		name  string
		files memoryTree
		want  []string
	}{
		{
			name: "a module is gone and both importers are broken",
			files: memoryTree{"p/__init__.py": "", "p/a.py": "from .gone import f\ndef g(): f()\n",
				"p/b.py": "from p import gone\nimport p.gone\n"},
			want: []string{
				"p/a.py:1 import f in p/gone.py broken: no such module",
				"p/a.py:2 call f in p/gone.py broken: no such module",
				"p/b.py:1 import gone in p/__init__.py broken: no such name",
				"p/b.py:1 import gone in p/gone.py broken: no such name",
				"p/b.py:2 import p.gone in p/gone.py broken: no such module",
			},
		},
		{
			name:  "a name is gone",
			files: memoryTree{"p/__init__.py": "", "p/m.py": "def other(): pass\n", "p/a.py": "from p.m import f\nimport p.m\ndef g():\n    f()\n    p.m.gone()\n    return p.m.LIMIT\n"},
			want: []string{
				"p/a.py:1 import f in p/m.py broken: no such name",
				"p/a.py:4 call f in p/m.py broken: no such name",
				"p/a.py:5 call gone in p/m.py broken: no such name",
				"p/a.py:6 reference LIMIT in p/m.py broken: no such name",
			},
		},
		{
			name: "nothing is certain where a name may come into being",
			files: memoryTree{"p/__init__.py": "", "p/dyn.py": "def __getattr__(n): pass\n", "p/star.py": "from lib import *\n", "p/glob.py": "globals().update(x=1)\n", "p/bad.py": "def (:\n",
				"p/a.py":     "from p.dyn import f\nfrom p.star import g\nfrom p.glob import h\nfrom p.bad import i\nfrom p._version import version\nfrom p.x_pb2 import M\nfrom p.made import y\ntry:\n    from p.gone import k\nexcept ImportError:\n    k = None\n",
				".gitignore": "/p/made.py\n"},
			want: []string{
				"p/a.py:1 import f: import not found", "p/a.py:2 import g: import not found", "p/a.py:3 import h: import not found", "p/a.py:4 import i: import not found",
				"p/a.py:5 import version: import not found", "p/a.py:6 import M: import not found", "p/a.py:7 import y: import not found", "p/a.py:9 import k: import not found",
			},
		},
		{
			name: "a name that nothing defines, and names that something may define",
			files: memoryTree{"p/__init__.py": "from .m import *\nx = m\n", "p/m.py": "def f():\n    gone()\n    return LIMIT\n", "a.py": "from lib import *\nf()\n", "b.py": "exec(s)\nf()\n",
				"c.py": "from p.dyn import g\ng()\n", "p/dyn.py": "def __getattr__(n): ...\n", "d.py": "class C[T]:\n    def m(self, x: T): return __class__, reveal_type\nfor i in []: pass\nprint(i, __file__)\nexcept_ = lambda k: k\n"},
			want: []string{"a.py:2 call f: value of the name unknown", "b.py:1 reference exec: computed at run time", "b.py:2 call f: value of the name unknown",
				"c.py:1 import g: import not found", "c.py:2 call g: value of the name unknown",
				"p/m.py:2 call gone in p/m.py broken: undefined name", "p/m.py:3 reference LIMIT in p/m.py broken: undefined name"},
		},
		{
			name: "a test that expects the failure, and a package with a finder of its own",
			files: memoryTree{"p/__init__.py": "", "e/__init__.py": "import sys\nclass F:\n    def install(self): sys.meta_path.append(self)\n", "a.py": "import e.x\n",
				"test_a.py": "import pytest\ndef test_x():\n    with pytest.raises(ImportError):\n        from p import gone\n"},
			want: []string{"a.py:1 import e.x: import not found", "test_a.py:4 import gone: import not found"},
		},
		{
			name: "a name that the file itself assigns is not gone",
			files: memoryTree{"p/__init__.py": "", "p/m.py": "", "a.py": "from p import m\ndef g():\n    m.flag = 1\n    return m.flag\ndef h(): return m.other\n",
				"b.py": "import sys\nsys.modules['b.c'] = 1\n"},
			want: []string{"a.py:5 reference other in p/m.py broken: no such name"},
		},
		{
			name: "stubs, names made by an enumeration, and replaced modules are never certain",
			files: memoryTree{"p/__init__.py": "import sys\nsys.modules['p.x'] = 1\n", "a.py": "import p.x\nfrom q import F\n", "q.py": "import enum\n@enum.global_enum\nclass E(enum.Flag):\n    F = 1\n",
				"s.pyi": "from t import gone\n", "t.py": "", "u.py": "", "u.pyi": "def f(): ...\n", "v.py": "from u import f\n"},
			want: []string{"a.py:1 import p.x: import not found", "a.py:2 import F: import not found", "s.pyi:1 import gone: import not found", "v.py:1 import f: import not found"},
		},
		{
			name:  "what lies outside the tree is not listed",
			files: memoryTree{"a.py": "import requests\nfrom os import gone\nrequests.get()\ngone()\nprint(len([]))\n[].append(1)\n{}.get(1)\n'x'.join([])\n"},
			want:  nil,
		},
		{
			name:  "getattr, monkeypatching and computed imports are counted",
			files: memoryTree{"test_a.py": "import importlib\ndef f(o, n):\n    getattr(o, n)\n    getattr(o, 'size')\n    importlib.import_module(n)\ndef test_x(monkeypatch):\n    monkeypatch.setattr('m.run', None)\n"},
			want: []string{"test_a.py:3 reference getattr: attribute looked up by name", "test_a.py:4 reference size: attribute looked up by name",
				"test_a.py:5 reference import_module: computed at run time", "test_a.py:7 reference run: replaced at run time"},
		},
		{
			name:  "calls that cannot fit",
			files: memoryTree{"a.py": "def f(a, b=1): pass\ndef k(a, *, c): pass\nclass C:\n    def __init__(self, x): pass\n    def m(self): pass\n    @classmethod\n    def n(cls, y): pass\ndef g(c: C):\n    f()\n    f(1, 2, 3)\n    f(1, z=2)\n    f(1, a=2)\n    k(1, 2)\n    C()\n    c.m(1)\n    C.n()\n"},
			want: []string{
				"a.py:10 call f in python:a.py#f/function broken: call does not fit the signature",
				"a.py:11 call f in python:a.py#f/function broken: call does not fit the signature",
				"a.py:12 call f in python:a.py#f/function broken: call does not fit the signature",
				"a.py:13 call k in python:a.py#k/function broken: call does not fit the signature",
				"a.py:14 call C in python:a.py#C.__init__/method broken: call does not fit the signature",
				"a.py:15 call m in python:a.py#C.m/method broken: call does not fit the signature",
				"a.py:16 call n in python:a.py#C.n/method broken: call does not fit the signature",
				"a.py:9 call f in python:a.py#f/function broken: call does not fit the signature",
			},
		},
		{
			name: "calls that cannot fit in tests that expect something else, in tests that may be skipped, and of methods that some class overrides",
			files: memoryTree{"a.py": "import pytest\ndef f(a): pass\nclass A:\n    def m(self): pass\nclass B(A):\n    def m(self, x=1): pass\nclass C(A): pass\nclass D:\n    def m(self): pass\nclass E(D):\n    def m(self, x=1): pass\n" +
				"def test_a(a: A, d: D):\n    f()\n    with pytest.raises(ValueError):\n        f(1, 2)\n    with pytest.raises(TypeError):\n        f(1, 2, 3)\n    pytest.raises(ValueError, f, 1, 2)\n    pytest.raises(TypeError, f, 1, 2)\n    a.m(1)\n    d.m(1)\n    D().m(1)\n    pytest.raises(TypeError, lambda: f())\n@pytest.mark.skipif(A, reason='')\ndef test_b():\n    f()\n@pytest.mark.xfail\ndef test_c():\n    f()\n"},
			want: []string{
				"a.py:13 call f in python:a.py#f/function broken: call does not fit the signature",
				"a.py:15 call f in python:a.py#f/function broken: call does not fit the signature",
				"a.py:18 call f in python:a.py#f/function broken: call does not fit the signature",
				"a.py:20 call m in python:a.py#A.m/method broken: call does not fit the signature",
				"a.py:22 call m in python:a.py#D.m/method broken: call does not fit the signature",
				"a.py:26 call f in python:a.py#f/function broken: call does not fit the signature",
			},
		},
		{
			name: "what takes the rest takes no more than that",
			files: memoryTree{"a.py": "def f(a, *r, k, **o): pass\ndef n(a, **o): pass\ndef p(a, /, **o): pass\ndef r(*a): pass\nclass C:\n    def __init__(self, x, **o): pass\n    def m(*a, **o): pass\ndef g(c: C, xs):\n" +
				"    f(1)\n    f(k=1)\n    n(1, 2)\n    n(b=1)\n    r(b=1)\n    C(y=1)\n    f(1, 2, 3, k=4, z=5, r=6)\n    n(1, b=2)\n    p(1, a=2)\n    r(1, 2)\n    n(o=1, a=2)\n    C(1, y=2)\n    c.m(1, 2, z=3)\n    n(*xs)\n"},
			want: []string{
				"a.py:10 call f in python:a.py#f/function broken: call does not fit the signature",
				"a.py:11 call n in python:a.py#n/function broken: call does not fit the signature",
				"a.py:12 call n in python:a.py#n/function broken: call does not fit the signature",
				"a.py:13 call r in python:a.py#r/function broken: call does not fit the signature",
				"a.py:14 call C in python:a.py#C.__init__/method broken: call does not fit the signature",
				"a.py:9 call f in python:a.py#f/function broken: call does not fit the signature",
			},
		},
		{
			name: "a name of a function that stands for something else from a line on",
			files: memoryTree{"a.py": "import lib\nclass C:\n    def m(self): pass\nclass D:\n    def m(self, x): pass\n" +
				"def sure(c, d: C):\n    c.m(1)\n    c = C()\n    c.m(1)\n    d = D()\n    d.m()\n    if lib.x:\n        c.m(2)\n    c = D()\n    c.m()\n    def later():\n        d.m()\n" +
				"def unsure(a, b, c, d):\n    if lib.x:\n        a = C()\n    a.m(1)\n    b = lib.f(b)\n    b.m(1)\n    def other():\n        nonlocal c\n        c = D()\n    c = C()\n    other()\n    c.m(1)\n    for d in d:\n        d.m(1)\n        d = C()\n"},
			want: []string{
				"a.py:11 call m in python:a.py#D.m/method broken: call does not fit the signature",
				"a.py:13 call m in python:a.py#C.m/method broken: call does not fit the signature",
				"a.py:15 call m in python:a.py#D.m/method broken: call does not fit the signature",
				"a.py:17 call m in python:a.py#D.m/method broken: call does not fit the signature",
				"a.py:9 call m in python:a.py#C.m/method broken: call does not fit the signature",
			},
		},
		{
			name: "calls that fit, or of which nothing is certain",
			files: memoryTree{"a.py": "import lib, pytest\ndef f(a, b=1): pass\ndef v(*a, **k): pass\n@lib.d\ndef d(a): pass\nclass C:\n    def __init__(self, x): pass\n    def m(self): pass\n    @staticmethod\n    def s(y): pass\nclass S(C):\n    def m(self, extra): pass\nclass L(lib.B):\n    def m(self): pass\nclass T(metaclass=lib.M):\n    def __init__(self, x): pass\n" +
				"if lib.x:\n    def w(): pass\nelse:\n    def w(a): pass\ndef g(c: C, xs):\n    f(1)\n    f(1, b=2)\n    f(*xs)\n    f(**xs)\n    v(1, z=2)\n    d()\n    C(x=1)\n    c.m(1)\n    C.m(c)\n    C.s(1)\n    L(1, 2)\n    T()\n    w(1)\ndef test_raises():\n    with pytest.raises(TypeError):\n        f()\n"},
			want: nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, out := linked(t, tt.files)
			if got := unresolved(in, out); !slices.Equal(got, tt.want) {
				t.Errorf("unresolved\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
			}
		})
	}
}

func TestImportEdges(t *testing.T) {
	in, out := linked(t, memoryTree{"p/__init__.py": "", "p/m.py": "def f(): pass\n", "a.py": "import p.m\nfrom p import m\nfrom p.m import f\ndef g():\n    import p\n"})
	want := []string{
		"a.py#/module import/exact p/__init__.py#/module",
		"a.py#/module import/exact p/m.py#/module",
		"a.py#/module import/exact p/m.py#f/function",
		"a.py#g/function import/exact p/__init__.py#/module",
	}
	if got := edges(in, out, graph.EdgeImport); !slices.Equal(got, want) {
		t.Errorf("import edges\n got %q\nwant %q", got, want)
	}
}

func TestCounts(t *testing.T) {
	_, out := linked(t, memoryTree{"a.py": "import lib\ndef f(): pass\ndef g(x):\n    f()\n    lib.h()\n    print()\n    x()\n"})
	want := []graph.Counts{{Language: "python", Exact: 1, Unresolved: 1, External: 2}}
	if !reflect.DeepEqual(out.Counts, want) {
		t.Errorf("counts %+v, want %+v", out.Counts, want)
	}
	if _, out := linked(t, memoryTree{"a.txt": ""}); out.Counts != nil || out.Edges != nil {
		t.Errorf("no Python file gave %+v", out)
	}
}

func TestDynamicCaveat(t *testing.T) {
	_, out := linked(t, memoryTree{"a.py": "getattr(x, n)\nexec(s)\n"})
	if len(out.Caveats) != 1 || out.Caveats[0].ID != "python.dynamic" || out.Caveats[0].Count != 2 || !slices.Equal(out.Caveats[0].Examples, []string{"a.py"}) {
		t.Errorf("caveats %+v", out.Caveats)
	}
}

// bigTree is a tree whose files depend on one another in many ways.
func bigTree() memoryTree {
	files := memoryTree{"p/__init__.py": "from .m0 import C0 as C0\n"}
	for i := range 30 {
		files[fmt.Sprintf("p/m%d.py", i)] = fmt.Sprintf(`from . import m%[2]d
from .m%[2]d import C%[2]d, f%[2]d
from .m%[3]d import *
class C%[1]d(C%[2]d):
    def __init__(self, o: "C%[3]d"):
        self.o = o
        self.n = f%[2]d()
    def m(self):
        self.o.m()
        self.n.m()
        return super().m()
def f%[1]d():
    return m%[2]d.f%[2]d() or C%[1]d(None)
`, i, (i+1)%30, (i+7)%30)
	}
	return files
}

func TestWorkersDoNotMatter(t *testing.T) {
	files := bigTree()
	var first link.Output
	for _, workers := range []int{1, 8, 3} {
		out, err := python.New().Link(context.Background(), input(t, files, workers))
		if err != nil {
			t.Fatal(err)
		}
		if workers == 1 {
			first = out
			continue
		}
		if !reflect.DeepEqual(first, out) {
			t.Fatalf("%d workers gave another answer than one", workers)
		}
	}
	if len(first.Edges) < 300 {
		t.Errorf("only %d edges", len(first.Edges))
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := python.New().Link(ctx, input(t, bigTree(), 2)); err == nil {
		t.Error("a cancelled context must end in an error")
	}
}

// FuzzLink splits its input into three files of a package. Whatever they hold,
// linking ends, and every edge joins two symbols that exist.
func FuzzLink(f *testing.F) {
	for path, src := range bigTree() {
		if path < "p/m3" {
			f.Add(src)
		}
	}
	f.Add("from .b import *\nx = y = x\n#---\nfrom .a import x\ndef f(): return f()\n#---\nclass A(A, B): pass\nclass B(A):\n    def m(self): return super().m().n\n")
	f.Add("T = TypeVar('T', bound='T')\ndef f(a: T) -> T: return f(a)\nf(f)(f)\n#---\nfrom . import a, b, gone\na.b.c()\n")
	f.Fuzz(func(t *testing.T, src string) {
		files := memoryTree{"p/__init__.py": ""}
		for i, part := range strings.SplitN(src, "#---\n", 3) {
			files["p/"+string(rune('a'+i))+".py"] = part
		}
		in, out := linked(t, files)
		for _, e := range out.Edges {
			if e.From < 0 || int(e.From) >= len(in.Symbols) || e.To < 0 || int(e.To) >= len(in.Symbols) || e.Kind.String() == "" || e.Tier.String() == "" {
				t.Fatalf("edge %+v of %d symbols", e, len(in.Symbols))
			}
		}
		for _, u := range out.Unresolved {
			if u.From < 0 || int(u.From) >= len(in.Symbols) || u.Broken && u.In == "" {
				t.Fatalf("unresolved %+v", u)
			}
		}
	})
}
