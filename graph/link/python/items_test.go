package python_test

import (
	"slices"
	"strings"
	"testing"
)

// TestItems has one case for each thing that the resolution of Python must know and
// that TestCalls and TestValues do not name.
func TestItems(t *testing.T) {
	tests := []struct {
		item   string
		files  memoryTree
		want   []string
		absent []string
	}{
		{
			item: "a root that setup.cfg names",
			files: memoryTree{"setup.cfg": "[options]\npackage_dir =\n    = code\n", "code/shop/__init__.py": "", "code/shop/cart.py": "def add(): pass\n",
				"tests/test_a.py": "from shop.cart import add\ndef test_a(): add()\n", "old/shop/__init__.py": "", "old/shop/cart.py": "def add(): pass\n"},
			want: []string{"tests/test_a.py#test_a/function call/exact code/shop/cart.py#add/function"},
		},
		{
			item: "imports of every form",
			files: memoryTree{"p/__init__.py": "", "p/a.py": "def f(): pass\ndef g(): pass\n", "p/q/__init__.py": "from ..a import g\n",
				"p/b.py": "import p.a\nimport p.a as one\nfrom p import a as two\nfrom . import a\nfrom .a import f as three\nfrom .q import g\n" +
					"def c1(): p.a.f()\ndef c2(): one.f()\ndef c3(): two.f()\ndef c4(): a.f()\ndef c5(): three()\ndef c6(): g()\ndef c7():\n    from p.a import f\n    f()\n"},
			want: []string{"p/b.py#c1/function call/exact p/a.py#f/function", "p/b.py#c2/function call/exact p/a.py#f/function", "p/b.py#c3/function call/exact p/a.py#f/function",
				"p/b.py#c4/function call/exact p/a.py#f/function", "p/b.py#c5/function call/exact p/a.py#f/function", "p/b.py#c6/function call/exact p/a.py#g/function", "p/b.py#c7/function call/exact p/a.py#f/function"},
		},
		{
			item:  "a diamond of classes is linearised as Python does",
			files: memoryTree{"m.py": "class A:\n    def run(self): pass\nclass B(A): pass\nclass C(A):\n    def run(self): pass\nclass D(B, C): pass\ndef f(): D().run()\n"},
			want:  []string{"m.py#f/function call/exact m.py#C.run/method"}, absent: []string{"m.py#f/function call/exact m.py#A.run"},
		},
		{
			item:  "super in a class method and in a method of a diamond",
			files: memoryTree{"m.py": "class A:\n    @classmethod\n    def make(cls): return cls()\n    def run(self): pass\nclass B(A):\n    @classmethod\n    def make(cls): return super().make()\n    def run(self): super().run()\ndef f(): B.make().run()\n"},
			want:  []string{"m.py#B.make/method call/exact m.py#A.make/method", "m.py#B.run/method call/exact m.py#A.run/method", "m.py#f/function call/exact m.py#B.make/method"},
		},
		{
			item:   "a property that is read and one that is set, inherited too",
			files:  memoryTree{"m.py": "class A:\n    @property\n    def size(self): return 1\n    @size.setter\n    def size(self, v): pass\nclass B(A): pass\ndef r(b: B): return b.size\ndef w(b: B): b.size = 2\n"},
			want:   []string{"m.py#r/function call/exact m.py#A.size/property", "m.py#w/function call/exact m.py#A.size/property~setter"},
			absent: []string{"m.py#w/function call/exact m.py#A.size/property\n"},
		},
		{
			item:  "what a dataclass and its __post_init__ run",
			files: memoryTree{"m.py": "from dataclasses import dataclass, field\nclass Log:\n    def write(self): pass\n@dataclass\nclass Job:\n    log: Log\n    logs: list[Log] = field(default_factory=list)\n    def __post_init__(self): self.log.write()\ndef f():\n    j = Job(Log())\n    for l in j.logs: l.write()\n"},
			want:  []string{"m.py#f/function call/exact m.py#Job.__post_init__/method", "m.py#Job.__post_init__/method call/exact m.py#Log.write/method", "m.py#f/function call/exact m.py#Log.write/method"},
		},
		{
			item:  "context managers, also asynchronous ones",
			files: memoryTree{"m.py": "class Box:\n    async def __aenter__(self): return Item()\n    async def __aexit__(self, *a): pass\nclass Item:\n    def use(self): pass\nasync def f():\n    async with Box() as i: i.use()\n"},
			want:  []string{"m.py#f/function call/exact m.py#Box.__aenter__/method", "m.py#f/function call/exact m.py#Box.__aexit__/method", "m.py#f/function call/exact m.py#Item.use/method"},
		},
		{
			item:  "elements in comprehensions, of values, items, enumerate and zip",
			files: memoryTree{"m.py": "class A:\n    def one(self): pass\n    def two(self): pass\n    def three(self): pass\n    def four(self): pass\ndef f(xs: list[A], d: dict[str, A]):\n    [x.one() for x in xs]\n    {k: v.two() for k, v in d.items()}\n    for _, x in enumerate(xs): x.three()\n    for x, y in zip(xs, d.values()): y.four()\n"},
			want:  []string{"m.py#f/function call/exact m.py#A.one/method", "m.py#f/function call/exact m.py#A.two/method", "m.py#f/function call/exact m.py#A.three/method", "m.py#f/function call/exact m.py#A.four/method"},
		},
		{
			item:  "a partial of a function and of a method",
			files: memoryTree{"m.py": "from functools import partial\nclass A:\n    def go(self, n): pass\ndef add(a, b): pass\ninc = partial(add, 1)\ndef f(): inc(2)\ndef g(a: A): partial(a.go, 1)()\n"},
			want:  []string{"m.py#f/function call/dispatch m.py#add/function", "m.py#g/function call/exact m.py#A.go/method"},
		},
		{
			item:  "a callback is a reference where it is handed over",
			files: memoryTree{"m.py": "import signal\ndef stop(n, frame): pass\ndef f(): signal.signal(2, stop)\nclass A:\n    def on(self): pass\n    def f(self): signal.signal(2, self.on)\n"},
			want:  []string{"m.py#f/function reference/exact m.py#stop/function", "m.py#A.f/method reference/exact m.py#A.on/method"}, absent: []string{"m.py#f/function call"},
		},
		{
			item:  "types that are inferred from results and attributes",
			files: memoryTree{"m.py": "class A:\n    def go(self): return self\nclass Owner:\n    def __init__(self): self.a = make()\n    def run(self): self.a.go().go()\ndef make():\n    x = A()\n    return x\n"},
			want:  []string{"m.py#Owner.run/method call/exact m.py#A.go/method"},
		},
		{
			item:  "static and class methods through a class, an object and cls",
			files: memoryTree{"m.py": "class A:\n    @staticmethod\n    def s(): pass\n    @classmethod\n    def c(cls): cls.s()\ndef f(a: A):\n    A.s()\n    a.c()\n"},
			want:  []string{"m.py#A.c/method call/exact m.py#A.s/method", "m.py#f/function call/exact m.py#A.s/method", "m.py#f/function call/exact m.py#A.c/method"},
		},
		{
			item:  "operators of both kinds: comparing, containing, calling, negating truth",
			files: memoryTree{"m.py": "class A:\n    def __eq__(self, o): return True\n    def __contains__(self, o): return True\n    def __call__(self): pass\n    def __setitem__(self, k, v): pass\ndef eq(a: A): return a == 1\ndef has(a: A): return 1 in a\ndef run(a: A): a()\ndef put(a: A): a[1] = 2\n"},
			want: []string{"m.py#eq/function call/exact m.py#A.__eq__/method", "m.py#has/function call/exact m.py#A.__contains__/method",
				"m.py#run/function call/exact m.py#A.__call__/method", "m.py#put/function call/exact m.py#A.__setitem__/method"},
		},
		{
			item: "a fixture that another fixture and a test take by name",
			files: memoryTree{"conftest.py": "import pytest\nclass Db:\n    def ask(self): pass\n@pytest.fixture\ndef db(): return Db()\n@pytest.fixture\ndef table(db):\n    yield db\n",
				"test_a.py": "def test_a(table): table.ask()\n"},
			want: []string{"test_a.py#test_a/function call/exact conftest.py#table/function", "conftest.py#table/function call/exact conftest.py#db/function", "test_a.py#test_a/function call/exact conftest.py#Db.ask/method"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.item, func(t *testing.T) {
			in, out := linked(t, tt.files)
			got := edges(in, out)
			for _, w := range tt.want {
				if !slices.Contains(got, w) {
					t.Errorf("missing %s", w)
				}
			}
			for _, a := range tt.absent {
				if i := slices.IndexFunc(got, func(s string) bool { return strings.Contains(s+"\n", a) }); i >= 0 {
					t.Errorf("must not be: %s", got[i])
				}
			}
			if t.Failed() {
				t.Logf("edges:\n%s\nunresolved:\n%s", strings.Join(got, "\n"), strings.Join(unresolved(in, out), "\n"))
			}
		})
	}
}
