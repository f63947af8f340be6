package python_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
)

// reexports lists re-exports as "path#name signature", a star before those that
// are not for others.
func reexports(out []graph.Symbol) []string {
	var list []string
	for _, s := range out {
		if s.Kind != graph.KindReexport {
			continue
		}
		text := strings.TrimPrefix(string(s.ID), "python:") + " " + s.Signature
		if !s.Exported {
			text = "*" + text
		}
		list = append(list, text)
	}
	return list
}

func TestReexports(t *testing.T) {
	x := "def f(): pass\ndef g(): pass\n"
	tests := []struct {
		name  string
		files memoryTree
		want  []string
	}{
		{"a package passes on what it imports from the tree", memoryTree{"p/__init__.py": "from .x import f, g as h\n", "p/x.py": x},
			[]string{"p/__init__.py#f/reexport from .x import f", "p/__init__.py#h/reexport from .x import g as h"}},
		{"__all__ says what is for others", memoryTree{"p/__init__.py": "from .x import f, g\n__all__ = ['g']\n", "p/x.py": x},
			[]string{"*p/__init__.py#f/reexport from .x import f", "p/__init__.py#g/reexport from .x import g"}},
		{"a star import passes on what __all__ lists", memoryTree{"p/__init__.py": "from .x import *\n__all__ = ['g', 'own']\ndef own(): pass\n", "p/x.py": x},
			[]string{"p/__init__.py#g/reexport from .x import *"}},
		{"a module that is no package has none", memoryTree{"p/__init__.py": "", "p/m.py": "from .x import f\n", "p/x.py": x}, nil},
		{"own submodules are there anyway", memoryTree{"p/__init__.py": "from . import x\nimport p.x\n", "p/x.py": x}, nil},
		{"what lies outside is passed on if __all__ lists it", memoryTree{"p/__init__.py": "from json import dumps, loads\n__all__ = ['dumps']\n"},
			[]string{"p/__init__.py#dumps/reexport from json import dumps"}},
		{"an import that may fail and its substitute are one name", memoryTree{"p/__init__.py": "try:\n    from .x import f\nexcept ImportError:\n    from .y import f\n", "p/x.py": x, "p/y.py": x},
			[]string{"p/__init__.py#f/reexport from .x import f"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, out := linked(t, tt.files)
			if got := reexports(out.Symbols); !slices.Equal(got, tt.want) {
				t.Errorf("got\n %s\nwant\n %s", strings.Join(got, "\n "), strings.Join(tt.want, "\n "))
			}
		})
	}
}

func TestReexportsStandBetween(t *testing.T) {
	in, out := linked(t, memoryTree{
		"p/__init__.py":   "from .q import f\nfrom .x import gone\n",
		"p/q/__init__.py": "from .x import *\n__all__ = ['f']\n",
		"p/q/x.py":        "def f(): pass\n",
		"p/x.py":          "",
		"m.py":            "import p\nfrom p import f\ndef g(): p.f()\n",
	})
	got := edges(in, out, graph.EdgeImport, graph.EdgeReference, graph.EdgeCall)
	for _, want := range []string{
		"m.py#/module import/exact p/__init__.py#f/reexport",
		"m.py#/module import/exact p/q/x.py#f/function",
		"m.py#g/function call/exact p/q/x.py#f/function",
		"m.py#g/function reference/exact p/__init__.py#f/reexport",
		"p/__init__.py#f/reexport import/exact p/q/__init__.py#f/reexport",
		"p/__init__.py#f/reexport import/exact p/q/x.py#f/function",
		"p/q/__init__.py#f/reexport import/exact p/q/x.py#f/function",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("missing %s", want)
		}
	}
	for _, e := range got {
		if strings.HasPrefix(e, "p/__init__.py#/module") && strings.Contains(e, "x.py#f/") {
			t.Errorf("the package itself takes the name: %s", e)
		}
	}
	if t.Failed() {
		t.Logf("edges:\n%s", strings.Join(got, "\n"))
	}
	for _, u := range out.Unresolved {
		if u.Name == "gone" && in.Symbols[u.From].Kind != graph.KindReexport {
			t.Errorf("a missing name belongs to the re-export, not to %s", in.Symbols[u.From].ID)
		}
	}
}

// A re-export that only changes where it takes its name from keeps its
// signature.
func TestReexportDigests(t *testing.T) {
	digests := func(source string) graph.Digests {
		_, out := linked(t, memoryTree{"p/__init__.py": source, "p/x.py": "f = 1\n", "p/y.py": "f = 1\n"})
		if len(out.Symbols) != 1 {
			t.Fatalf("%q: %d re-exports", source, len(out.Symbols))
		}
		return out.Symbols[0].Digests
	}
	a, b := digests("from .x import f\n"), digests("from .y import f\n")
	if a.Signature != b.Signature || a.Body == b.Body {
		t.Error("another source is another body under the same signature")
	}
	if a != digests("# one\nfrom .x import (\n    f,  # two\n)\n") {
		t.Error("layout and comments are no change")
	}
}

func TestNothingIsBrokenForCertain(t *testing.T) {
	tests := []struct {
		name  string
		files memoryTree
	}{
		{"below a condition on the platform", memoryTree{"a.py": "", "m.py": "import sys, a\nif sys.platform == 'win32':\n    a.gone()\n    from a import gone\n"}},
		{"below a condition on the version, kept in a name", memoryTree{"a.py": "", "m.py": "import sys, a\nPY2 = sys.version_info[0] == 2\ndef f():\n    if PY2:\n        return a.gone, unicode_name\n"}},
		{"where hasattr asked", memoryTree{"a.py": "", "m.py": "import a\nx = a.gone if hasattr(a, 'gone') else None\n"}},
		{"super of another class", memoryTree{"m.py": "class A:\n    def __init__(self): pass\nclass B(A):\n    def __init__(self, x): pass\nclass C(B):\n    def __init__(self):\n        super(B, self).__init__(1)\n"}},
		{"super in a class that another combines", memoryTree{"m.py": "class A:\n    def f(self): pass\nclass B(A):\n    def f(self, x): super().f(x)\nclass M(A):\n    def f(self, x): pass\nclass D(B, M): pass\n"}},
		{"a name from the star import of a submodule", memoryTree{"p/__init__.py": "from .s import *\n", "p/s.py": "from .t import *\n", "p/t.py": "for late in (): pass\ndef f():\n    global made\n    made = 1\n",
			"m.py": "import p\nfrom p import late, made, t, s\np.late\np.t.f()\n"}},
		{"a submodule that the star import of a package brings", memoryTree{"p/__init__.py": "__all__ = ['s']\n", "p/s.py": "x = 1\n", "m.py": "from p import *\ns.x\n"}},
		{"a namespace that is filled", memoryTree{"p/__init__.py": "for n in 'ab':\n    globals()[n] = 1\n", "m.py": "from p import a\n"}},
		{"a namespace that is filled under another name", memoryTree{"p/__init__.py": "g = globals()\nfor n in 'ab':\n    g[n] = 1\n", "m.py": "from p import a\n"}},
		{"a namespace that is handed on", memoryTree{"p/__init__.py": "from q import fill\nfill(locals())\n", "m.py": "from p import a\n"}},
		{"a tree that changes how modules are found", memoryTree{"p/__init__.py": "", "p/ext/__init__.py": "", "hook.py": "import sys\nsys.meta_path.append(object())\n",
			"m.py": "import p.ext.made\nfrom p.ext import other\nfrom p.ext.more import x\n"}},
		{"an error caught as Python 2 wrote it", memoryTree{"m.py": "try:\n    import a\nexcept ImportError, e:\n    print(e)\n"}},
		{"a namespace that is updated", memoryTree{"p/__init__.py": "globals().update(a=1)\n", "m.py": "from p import a\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, out := linked(t, tt.files)
			for _, u := range unresolved(in, out) {
				if strings.Contains(u, " broken") {
					t.Errorf("broken: %s", u)
				}
			}
		})
	}
}

func TestNamespaceThatIsOnlyRead(t *testing.T) {
	for _, init := range []string{
		"here = locals()\n__all__ = ['f']\nfor n in __all__:\n    setattr(here[n], '__module__', 'p')\ndef f(): pass\n",
		"def f(): return 'x' in globals(), '%(a)s' % globals(), dict(**globals())\n",
		"x = globals().get('y')\n",
	} {
		in, out := linked(t, memoryTree{"p/__init__.py": init, "m.py": "from p import gone\nimport p\np.lost()\n"})
		got := unresolved(in, out)
		for _, want := range []string{
			"m.py:1 import gone in p/__init__.py broken: no such name",
			"m.py:3 call lost in p/__init__.py broken: no such name",
		} {
			if !slices.Contains(got, want) {
				t.Errorf("%q\nmissing %s in\n%s", init, want, strings.Join(got, "\n"))
			}
		}
	}
}
