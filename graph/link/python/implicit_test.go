package python_test

import (
	"slices"
	"strings"
	"testing"
)

func TestWhatRunsUnnamed(t *testing.T) {
	tests := []struct {
		name         string
		files        memoryTree
		want, absent []string
	}{
		{
			name: "comparisons call special methods",
			files: memoryTree{"m.py": "class C:\n    def __eq__(self, o): pass\n    def __lt__(self, o): pass\n    def __contains__(self, o): pass\n" +
				"def f():\n    return C() == 1\ndef g():\n    return 1 < 2 and 1 < C() < 3\ndef h():\n    return 1 not in C()\ndef k():\n    return C() is None\n"},
			want: []string{"m.py#f/function call/exact m.py#C.__eq__/method", "m.py#g/function call/exact m.py#C.__lt__/method",
				"m.py#h/function call/exact m.py#C.__contains__/method"},
			absent: []string{"m.py#f/function call/exact m.py#C.__lt__", "m.py#k/function call/exact m.py#C.__eq__"},
		},
		{
			name: "built-in functions call special methods",
			files: memoryTree{"m.py": "class C:\n    def __len__(self): pass\n    def __iter__(self): pass\ndef f(): return len(C())\ndef g(): return sorted(C())\n",
				"n.py": "from m import C\ndef len(x): pass\ndef f(): return len(C())\n"},
			want:   []string{"m.py#f/function call/exact m.py#C.__len__/method", "m.py#g/function call/exact m.py#C.__iter__/method"},
			absent: []string{"n.py#f/function call/exact m.py#C.__len__"},
		},
		{
			name: "assigning an element or a property calls the method that sets it",
			files: memoryTree{"m.py": "class C:\n    def __getitem__(self, i): pass\n    def __setitem__(self, i, v): pass\n    @property\n    def p(self): pass\n    @p.setter\n    def p(self, v): pass\n" +
				"    def m(self): self.p = 1\ndef f():\n    c = C()\n    c[0] = 1\n    c.p = 2\ndef g():\n    c = C()\n    return c[0], c.p\n"},
			want: []string{"m.py#f/function call/exact m.py#C.__setitem__/method", "m.py#f/function call/exact m.py#C.p/property~setter",
				"m.py#g/function call/exact m.py#C.__getitem__/method", "m.py#g/function call/exact m.py#C.p/property",
				"m.py#C.m/method call/exact m.py#C.p/property~setter"},
			absent: []string{"m.py#f/function call/exact m.py#C.__getitem__", "m.py#g/function call/exact m.py#C.__setitem__", "m.py#g/function call/exact m.py#C.p/property~setter"},
		},
		{
			name: "a decorated function inside another is handed to its decorator",
			files: memoryTree{"m.py": "import web\ndef f(app):\n    @app.route('/')\n    def view(): work()\n    def unused(): work()\ndef work(): pass\n" +
				"@web.route\ndef outer(): pass\n"},
			want:   []string{"m.py#f/function reference/exact m.py#f.view/function"},
			absent: []string{"m.py#f/function reference/exact m.py#f.unused", "reference/exact m.py#outer"},
		},
		{
			name: "an object that is handed on may be called",
			files: memoryTree{"m.py": "import web\nclass App:\n    def __call__(self): pass\n    def client(self): return web.Client(self)\n    def tell(self): self.signal.send(self)\n    def keep(self): Plain(self)\nclass Plain: pass\n" +
				"def f(): web.run(App())\ndef g(): web.run(app=App())\ndef h(): web.run(Plain())\n"},
			want: []string{"m.py#App.client/method dispatch/dispatch m.py#App.__call__/method", "m.py#f/function dispatch/dispatch m.py#App.__call__/method",
				"m.py#g/function dispatch/dispatch m.py#App.__call__/method"},
			absent: []string{"m.py#h/function dispatch", "m.py#App.tell/method dispatch", "m.py#App.keep/method dispatch"},
		},
		{
			name: "what a context variable gives has its type",
			files: memoryTree{"m.py": "from contextvars import ContextVar\nclass C:\n    def m(self): pass\nv: ContextVar[C] = ContextVar('v')\n" +
				"def f(): v.get(None).m()\n"},
			want: []string{"m.py#f/function call/exact m.py#C.m/method"},
		},
		{
			name: "a base from outside may call what replaces its methods",
			files: memoryTree{"m.py": "import web\nclass Client(web.Client):\n    def open(self, x):\n        return super().open(x)\n    def other(self): pass\n" +
				"def f():\n    c = Client()\n    c.get('/')\nclass Alone:\n    def open(self): pass\ndef g(): Alone().get()\n"},
			want:   []string{"m.py#f/function dispatch/dispatch m.py#Client.open/method"},
			absent: []string{"dispatch/dispatch m.py#Client.other", "m.py#g/function dispatch"},
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
			for _, e := range got {
				for _, a := range tt.absent {
					if strings.Contains(e, a) {
						t.Errorf("must not be: %s", e)
					}
				}
			}
			if t.Failed() {
				t.Logf("edges:\n%s", strings.Join(got, "\n"))
			}
		})
	}
}
