package python_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/python"
)

func facts(t testing.TB, src string) *graph.Facts {
	t.Helper()
	r, err := python.New().Extract(context.Background(), python.Language, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return r.Facts
}

// outline lists symbols as "kind Container.Name".
func outline(f *graph.Facts) []string {
	var out []string
	for i, s := range f.Symbols[1:] {
		name := s.Name
		if c := f.Containers(int32(i + 1)); c != "" {
			name = c + "." + name
		}
		out = append(out, s.Kind.String()+" "+name)
	}
	return out
}

func symbol(t *testing.T, f *graph.Facts, name string) *graph.SymbolFact {
	t.Helper()
	for i := range f.Symbols {
		if f.Symbols[i].Name == name {
			return &f.Symbols[i]
		}
	}
	t.Fatalf("no symbol %q in %q", name, outline(f))
	return nil
}

func TestSymbols(t *testing.T) {
	tests := []struct {
		name string
		src  string
		want []string
	}{
		{"functions nest", "def f():\n    def g(): pass\n", []string{"function f", "function f.g"}},
		{"a method belongs to its class", "class C:\n    def m(self): pass\n", []string{"class C", "method C.m"}},
		{"class attributes are fields", "class C:\n    a = 1\n    b: int\n", []string{"class C", "field C.a", "field C.b"}},
		{"self.x is one field however often it is assigned", "class C:\n    def __init__(self):\n        self.x = 1\n    def m(self):\n        self.x = 2\n",
			[]string{"class C", "method C.__init__", "method C.m", "field C.x"}},
		{"self.x of a declared attribute is no second field", "class C:\n    x: int\n    def m(self):\n        self.x = 2\n",
			[]string{"class C", "field C.x", "method C.m"}},
		{"a tuple assigned to self makes two fields", "class C:\n    def m(self):\n        self.x, self.y = f()\n",
			[]string{"class C", "method C.m", "field C.x", "field C.y"}},
		{"an attribute of something else is no field", "class C:\n    def m(self, o):\n        o.x = 2\n", []string{"class C", "method C.m"}},
		{"property, setter and the attribute behind it", "class C:\n    @property\n    def p(self): return self._p\n    @p.setter\n    def p(self, v): self._p = v\n",
			[]string{"class C", "property C.p", "property C.p", "field C._p"}},
		{"enum members", "from enum import Enum\nclass E(Enum):\n    A = 1\n    _b = 2\n", []string{"enum E", "member E.A", "field E._b"}},
		{"a protocol is an interface", "class P(Protocol[T]):\n    def m(self): ...\n", []string{"interface P", "method P.m"}},
		{"capitals and Final are constants", "MAX = 1\nlimit: Final = 2\nname = 3\n", []string{"constant MAX", "constant limit", "variable name"}},
		{"a variable assigned twice is one symbol", "x = 1\nx = 2\n", []string{"variable x"}},
		{"variables below if and try", "try:\n    import a\nexcept ImportError:\n    a = None\nif 1:\n    b = 2\n", []string{"variable a", "variable b"}},
		{"unpacking defines each name", "a, *b = f()\n(c, [d]) = g()\n", []string{"variable a", "variable b", "variable c", "variable d"}},
		{"locals are no symbols", "def f(p):\n    x = 1\n    for y in p: pass\n    with p as z: pass\n", []string{"function f"}},
		{"global makes the file's variable", "def f():\n    global x\n    x = 1\n", []string{"function f", "variable x"}},
		{"type alias statement", "type X = int | str\nY: TypeAlias = int\n", []string{"type X", "type Y"}},
		{"async, decorated", "@d\nasync def f(): pass\n", []string{"function f"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := outline(facts(t, tt.src)); !slices.Equal(got, tt.want) {
				t.Errorf("symbols\n got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestSpansAndSignature(t *testing.T) {
	src := "x = 1  # not above\n# about f\n# more\n@dec(1)\nasync def f(a, /, b: int | None = 1, # c\n        *args: str, k, **kw: \"X\") -> dict[str, A]:\n    return 1\n"
	f := facts(t, src)
	s := symbol(t, f, "f")
	if got := src[s.Start:s.End]; !strings.HasPrefix(got, "# about f") || !strings.HasSuffix(got, "return 1") {
		t.Errorf("span %q", got)
	}
	if s.Line != 5 || s.EndLine != 7 {
		t.Errorf("lines %d to %d, want 5 to 7", s.Line, s.EndLine)
	}
	want := `async def f(a, /, b: int | None = 1, *args: str, k, **kw: "X") -> dict[str, A]`
	if s.Signature != want {
		t.Errorf("signature\n got %s\nwant %s", s.Signature, want)
	}
	if s.ResultText != "dict[str, A]" || s.Flags&graph.FlagAsync == 0 {
		t.Errorf("result %q, flags %b", s.ResultText, s.Flags)
	}
	var params []string
	for _, p := range s.Params {
		params = append(params, fmt.Sprintf("%s/%d/%t/%s", p.Name, p.Kind, p.Optional, p.TypeText))
	}
	wantParams := []string{"a/0/false/", "b/0/true/int | None", "args/2/true/str", "k/1/false/", "kw/3/true/\"X\""}
	if !slices.Equal(params, wantParams) {
		t.Errorf("params\n got %q\nwant %q", params, wantParams)
	}
}

// references lists refs as "kind name from".
func references(f *graph.Facts) []string {
	var out []string
	for _, r := range f.Refs {
		out = append(out, r.Kind.String()+" "+r.Name+" "+f.Symbols[r.From].Name)
	}
	return out
}

func TestReferences(t *testing.T) {
	tests := []struct {
		name string
		src  string
		want []string
	}{
		{"a local variable makes none", "def f(a):\n    b = a\n    return b\n", nil},
		{"a name from outside does", "def f():\n    return G\n", []string{"reference G f"}},
		{"a nested function does", "def f():\n    def g(): pass\n    return g\n", []string{"reference g f"}},
		{"a closure's variable does not", "def f():\n    a = 1\n    def g(): return a\n", nil},
		{"a class name is not visible in its methods", "class C:\n    x = 1\n    def m(self): return x\n", []string{"reference x m"}},
		{"a comprehension's variable does not", "y = [z for z in q]\n", []string{"reference q y"}},
		{"a global is a reference", "def f():\n    global x\n    x = 1\n", []string{"reference x f"}},
		{"call and its arguments", "def f():\n    g(h, k=m.n)\n", []string{"reference h f", "reference m f", "reference n f", "call g f"}},
		{"inheritance", "class C(A, m.B[T], metaclass=M): pass\n", []string{"inherit A C", "reference m C", "reference T C", "inherit B C", "reference M C"}},
		{"decorators belong to what they decorate", "@a\n@b.c(1)\ndef f(): pass\n", []string{"reference a f", "reference b f", "call c f"}},
		{"annotations, also in strings", "def f(a: 'List[A]') -> \"B | None\": pass\n", []string{"reference List f", "reference A f", "reference B f"}},
		{"the arguments of Literal are no types", "x: Literal['A'] = 1\n", []string{"reference Literal x"}},
		{"a variable holds the calls of its value", "x = f()\n", []string{"call f x"}},
		{"isinstance reads its arguments once", "def f(a):\n    if isinstance(a, C): pass\n", []string{"reference C f", "call isinstance f"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := references(facts(t, tt.src)); !slices.Equal(got, tt.want) {
				t.Errorf("references\n got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestImports(t *testing.T) {
	src := `import a.b.c as d, e.f
from ..a.b import c as x, y
from . import z
from m import *
if TYPE_CHECKING:
    from t import T
try:
    import fast
except ImportError:
    import slow
def f():
    from g import h
    importlib.import_module("dyn.mod")
`
	var got []string
	for _, i := range facts(t, src).Imports {
		got = append(got, fmt.Sprintf("%s|%s|%s type=%t dynamic=%t guarded=%t line=%d", i.Module, i.Name, i.Alias, i.TypeOnly, i.Dynamic, i.Guarded, i.Line))
	}
	want := []string{
		"a.b.c||d type=false dynamic=false guarded=false line=1",
		"e||e type=false dynamic=false guarded=false line=1",
		"e.f|| type=false dynamic=false guarded=false line=1",
		"..a.b|c|x type=false dynamic=false guarded=false line=2",
		"..a.b|y|y type=false dynamic=false guarded=false line=2",
		".|z|z type=false dynamic=false guarded=false line=3",
		"m|*| type=false dynamic=false guarded=false line=4",
		"t|T|T type=true dynamic=false guarded=false line=6",
		"fast||fast type=false dynamic=false guarded=true line=8",
		"slow||slow type=false dynamic=false guarded=true line=10",
		"g|h|h type=false dynamic=false guarded=false line=12",
		"dyn.mod|| type=false dynamic=true guarded=true line=13",
	}
	if !slices.Equal(got, want) {
		t.Errorf("imports\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func TestAllAndExported(t *testing.T) {
	f := facts(t, "__all__ = ['a', '_b']\n__all__ += ['c']\n__all__.extend(('d',))\ndef a(): pass\ndef _b(): pass\ndef _c(): pass\nclass C:\n    def _p(self): pass\n    def __init__(self): pass\n")
	if got := f.Notes[python.NoteAll]; got != "a\n_b\nc\nd" || f.Notes[python.NoteAllDynamic] != "" {
		t.Errorf("all = %q, dynamic %q", got, f.Notes[python.NoteAllDynamic])
	}
	for name, want := range map[string]bool{"a": true, "_b": true, "_c": false, "_p": false, "__init__": true} {
		if got := symbol(t, f, name).Exported; got != want {
			t.Errorf("%s exported = %t, want %t", name, got, want)
		}
	}
	if facts(t, "__all__ = [n for n in x]\n").Notes[python.NoteAllDynamic] != "1" {
		t.Error("a computed __all__ must be noted")
	}
}

func TestTestsAreRecognised(t *testing.T) {
	f := facts(t, `import pytest, unittest
def test_a(): pass
@pytest.fixture
def test_data(): pass
def helper():
    def test_inner(): pass
class TestB:
    def test_b(self): pass
class Plain:
    def test_c(self): pass
class Case(unittest.TestCase):
    def test_d(self): pass
class Derived(Case):
    def test_e(self): pass
`)
	want := map[string]graph.TestRule{"test_a": graph.TestByPath, "test_data": graph.TestNo, "test_inner": graph.TestNo,
		"test_b": graph.TestByPath, "test_c": graph.TestNo, "test_d": graph.TestAlways, "test_e": graph.TestAlways}
	for name, rule := range want {
		if got := symbol(t, f, name).Test; got != rule {
			t.Errorf("%s: rule %d, want %d", name, got, rule)
		}
	}
}

func TestDigests(t *testing.T) {
	const base = "# above\n@dec\ndef f(a, b=1):\n    \"\"\"doc\"\"\"\n    if a:\n        x = g('s', [1, 2])\n    return x\n"
	tests := []struct {
		name    string
		src     string
		changed string // of s(ignature) b(ody) a(ttributes) d(oc) r(aw)
	}{
		{"nothing", base, ""},
		{"a comment inside", strings.Replace(base, "if a:", "if a:  # why", 1), "dr"},
		{"a comment above is doc", strings.Replace(base, "# above", "# other", 1), "d"},
		{"the docstring", strings.Replace(base, "\"\"\"doc\"\"\"", "\"\"\"other\"\"\"", 1), "dr"},
		{"quotes, spaces, trailing comma", strings.Replace(base, "g('s', [1, 2])", "g(\n            \"s\",\n            [1,2],\n        )", 1), "r"},
		{"indentation has a meaning", strings.Replace(base, "        x = g", "        pass\n    x = g", 1), "br"},
		{"a statement moved out of a block", "# above\n@dec\ndef f(a, b=1):\n    \"\"\"doc\"\"\"\n    if a:\n        x = g('s', [1, 2])\n        return x\n", "br"},
		{"a default", strings.Replace(base, "b=1", "b=2", 1), "sr"},
		{"a decorator", strings.Replace(base, "@dec", "@other", 1), "ar"},
	}
	want := symbol(t, facts(t, base), "f").Digests
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := symbol(t, facts(t, tt.src), "f").Digests
			var changed string
			for _, c := range []struct {
				letter string
				differ bool
			}{{"s", got.Signature != want.Signature}, {"b", got.Body != want.Body}, {"a", got.Attributes != want.Attributes},
				{"d", got.Doc != want.Doc}, {"r", got.Raw != want.Raw}} {
				if c.differ {
					changed += c.letter
				}
			}
			if changed != tt.changed {
				t.Errorf("changed %q, want %q", changed, tt.changed)
			}
		})
	}
}

func TestNestedSymbolsStayOutOfDigests(t *testing.T) {
	a := facts(t, "import os\nclass C:\n    a = 1\n    # m\n    def m(self): return 1\nx = 1\nrun()\n")
	b := facts(t, "import os, sys\nclass C:\n    a = 2\n    # n\n    def m(self): return 2\nx = 2\nrun()\n")
	if a.Symbols[1].Digests != b.Symbols[1].Digests {
		t.Error("a changed method or field changed its class")
	}
	if a.Symbols[0].Digests.Body != b.Symbols[0].Digests.Body {
		t.Error("a changed variable, method or private import changed the module")
	}
	c := facts(t, "import os\nclass C:\n    a = 1\n    # m\n    def m(self): return 1\nx = 1\nrun(1)\n")
	if a.Symbols[0].Digests.Body == c.Symbols[0].Digests.Body {
		t.Error("a changed top-level statement did not change the module")
	}
	if d := symbol(t, a, "x").Digests.Body; d == symbol(t, b, "x").Digests.Body || d == (graph.Digest{}) {
		t.Error("a changed value did not change its variable")
	}
}

func TestImportsStayOutOfTheModule(t *testing.T) {
	plain := facts(t, "def f(): pass\nrun()\n").Symbols[0].Digests
	for _, imports := range []string{
		"import a\n", "import a.b as c\n", "from a import b\n", "from a import b as b\n", "from .a import *\n",
		"from __future__ import annotations\n", "from a import (\n    b,\n    c as d,\n)\n",
	} {
		d := facts(t, imports+"def f(): pass\nrun()\n").Symbols[0].Digests
		if d.Body != plain.Body {
			t.Errorf("%q changed the module's body", imports)
		}
		if d.Raw == plain.Raw {
			t.Errorf("%q left the module's bytes as they were", imports)
		}
	}
	inside := facts(t, "def f():\n    import a\nrun()\n")
	if symbol(t, inside, "f").Digests.Body == symbol(t, facts(t, "def f():\n    import b\nrun()\n"), "f").Digests.Body {
		t.Error("an import is part of the function that it stands in")
	}
}

// TestUncertainty holds where a missing name does no certain harm: f() stands
// in a scope that narrows "?", or "skip" where a call that does not fit does harm.
func TestUncertainty(t *testing.T) {
	tests := []struct {
		name, src string
		want      string
	}{
		{"a condition on the platform", "if sys.platform == 'win32':\n    f()\n", "?"},
		{"its other branch", "if sys.version_info >= (3, 8):\n    pass\nelse:\n    f()\n", "?"},
		{"a name that keeps the condition", "WIDE = sys.maxunicode > 1 and os.name == 'nt'\nif WIDE:\n    f()\n", "?"},
		{"a usual name for it", "if is_py2:\n    f()\n", "?"},
		{"what follows a return on a condition", "def g():\n    if os.name != 'nt':\n        return\n    f()\n", "?"},
		{"hasattr", "x = f() if hasattr(m, 'f') else None\n", "?"},
		{"a try that catches the failure", "try:\n    f()\nexcept (AttributeError, OSError):\n    pass\n", "?"},
		{"a skipped test", "@pytest.mark.skipif(True, reason='')\ndef test_g():\n    f()\n", "skip"},
		{"a method of a skipped class", "@unittest.skip('')\nclass C:\n    def test_g(self):\n        f()\n", "skip"},
		{"a test that may fail", "@pytest.mark.xfail\ndef test_g():\n    f()\n", "?"},
		{"any other condition", "if x:\n    f()\n", ""},
		{"a try that catches something else", "try:\n    f()\nexcept OSError:\n    pass\n", ""},
		{"what stands before the return", "def g():\n    f()\n    if os.name != 'nt':\n        return\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := facts(t, tt.src)
			if got := uncertain(f, "f"); got != tt.want {
				t.Errorf("uncertain = %q in\n%s", got, tt.src)
			}
		})
	}
}

// uncertain is the name that a scope around a call of callee narrows to say so.
func uncertain(f *graph.Facts, callee string) string {
	for _, r := range f.Refs {
		if r.Kind != graph.EdgeCall || r.Name != callee {
			continue
		}
		e := f.Exprs[r.Expr]
		for s := e.Scope; s != graph.None; s = f.Scopes[s].Parent {
			for _, b := range f.Bindings {
				if b.Scope == s && b.Kind == graph.BindNarrow && (b.Name == "?" || b.Name == "skip") && b.At <= e.Start {
					return b.Name
				}
			}
		}
	}
	return ""
}

func TestGaps(t *testing.T) {
	f := facts(t, "def f():\n    return 1\n\ndef (:\n\ndef g(): pass\n")
	if len(f.Gaps) == 0 {
		t.Error("a syntax error must be a gap")
	}
	if got := outline(f); !slices.Contains(got, "function f") {
		t.Errorf("what stands before the error is lost: %q", got)
	}
}

func FuzzExtract(f *testing.F) {
	for _, s := range []string{
		"", "def f(a, *b, c=1, **d) -> 'X[int]': return a\n", "class C[T](B, metaclass=M):\n    x: int = 1\n    def m(self): self.y = [z for z in q if isinstance(z, C)]\n",
		"match x:\n    case A(b=c) as d: pass\n    case [a, *r] | {'k': v, **kw}: pass\n    case a.b: pass\n", "try: import a\nexcept (B, C) as e: pass\n",
		"with a as (b, c), d() as e.f: pass\n", "async def f():\n    async for x in y: yield x\n", "__all__ = ['a'] + b\n", "x: 'List[\"A\"]'\n", "def (:\n", "f(**\n", "lambda *a, b=1: (yield)\n",
		"type X[T] = int\n", "import a.b as c, d\nfrom .. import *\n", "global x\nnonlocal y\ndel z\n", "f'{x!r:{y}}' \"a\"\n", "a = b = c, *d = e\n", "@a\n@b()\n", "self.x = 1", "if (y := f()) and not isinstance(x.y, (A, B)): return\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		fs := facts(t, src)
		checkFacts(t, fs, int32(len(src)))
	})
}

// checkFacts holds what every linker relies on: indexes point into the facts,
// spans lie in the file, IDs are unique.
func checkFacts(t *testing.T, f *graph.Facts, size int32) {
	t.Helper()
	in := func(what string, i int32, n int, none bool) {
		if i == graph.None && none {
			return
		}
		if i < 0 || int(i) >= n {
			t.Fatalf("%s: index %d of %d", what, i, n)
		}
	}
	exprs, symbols, scopes := len(f.Exprs), len(f.Symbols), len(f.Scopes)
	for i := range f.Symbols {
		s := &f.Symbols[i]
		in("parent", s.Parent, i+1, true)
		in("result", s.Result, exprs, true)
		in("scope", s.Scope, scopes, true)
		if s.Start < 0 || s.End < s.Start || s.End > size || s.Line < 1 || s.EndLine < s.Line {
			t.Fatalf("symbol %q: bytes %d to %d of %d, lines %d to %d", s.Name, s.Start, s.End, size, s.Line, s.EndLine)
		}
		for _, e := range slices.Concat(s.Returns, s.Bases, s.Decorators) {
			in("expression of a symbol", e, exprs, true)
		}
	}
	for i, e := range f.Exprs {
		in("base", e.Base, i, true)
		in("expression scope", e.Scope, scopes, false)
		for _, a := range e.Args {
			in("argument", a, i, true)
		}
		if e.Start < 0 || e.End < e.Start || e.End > size {
			t.Fatalf("expression: bytes %d to %d of %d", e.Start, e.End, size)
		}
	}
	for i, s := range f.Scopes {
		in("scope parent", s.Parent, max(i, 1), true)
		in("scope symbol", s.Symbol, symbols, false)
	}
	for _, b := range f.Bindings {
		in("binding scope", b.Scope, scopes, false)
		in("binding symbol", b.Symbol, symbols, true)
		in("binding import", b.Import, len(f.Imports), true)
		in("binding type", b.Type, exprs, true)
		in("binding value", b.Value, exprs, true)
	}
	for _, r := range f.Refs {
		in("reference expression", r.Expr, exprs, true)
		in("reference from", r.From, symbols, false)
		in("reference call", r.Args, exprs, true)
	}
	seen := map[graph.SymbolID]bool{}
	for _, id := range f.IDs("a.py") {
		if seen[id] {
			t.Fatalf("ID %s twice", id)
		}
		seen[id] = true
	}
}

func TestMainBlock(t *testing.T) {
	src := "import a\nx = 1\ndef main(): pass\nif __name__ == '__main__':\n    y = 2\n    main()\nelse:\n    a.f()\n"
	f := facts(t, src)
	if got, want := outline(f), []string{"variable x", "function main", "function __main__", "variable y"}; !slices.Equal(got, want) {
		t.Fatalf("symbols %q, want %q", got, want)
	}
	block := symbol(t, f, "__main__")
	if block.Line != 4 || block.EndLine != 6 || block.Exported {
		t.Errorf("lines %d-%d, exported %t", block.Line, block.EndLine, block.Exported)
	}
	for _, r := range f.Refs {
		if name := f.Symbols[r.From].Name; r.Kind == graph.EdgeCall && (r.Name == "main") != (name == "__main__") {
			t.Errorf("%s is called from %q", r.Name, name)
		}
	}
	other := facts(t, strings.Replace(src, "    main()\n", "    main(1)\n", 1))
	if f.Symbols[0].Digests.Body != other.Symbols[0].Digests.Body {
		t.Error("the block changed the module")
	}
	if d := symbol(t, other, "__main__").Digests; d.Body == block.Digests.Body || d.Signature != block.Digests.Signature {
		t.Error("another block is another body under the same signature")
	}
	if n := len(facts(t, "def f():\n    if __name__ == '__main__': pass\nif __name__ == 'x': pass\n").Symbols); n != 2 {
		t.Errorf("%d symbols: only the file's own test makes a block", n)
	}
}
