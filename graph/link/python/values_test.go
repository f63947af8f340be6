package python_test

import (
	"slices"
	"strings"
	"testing"
)

func TestValues(t *testing.T) {
	tests := []struct {
		name   string
		source string // of m.py
		want   []string
		absent []string // parts of edges that must not be
	}{
		{
			name:   "a lambda is called through its name, as a result and as an argument",
			source: "def helper(): pass\nadd = lambda: helper()\ndef make():\n    return lambda x: x\ndef run(f): f()\ndef a(): add()\ndef b(): make()(1)\ndef c(): run(lambda: 1)\n",
			want: []string{"a/function call/dispatch add.lambda/literal", "add.lambda/literal call/exact helper/function", "add/variable call/exact helper/function",
				"b/function call/exact make.lambda/literal", "run/function dispatch/dispatch c.lambda/literal"},
			absent: []string{"a/function call/exact helper"},
		},
		{
			name:   "a lambda that nothing calls has no edges of its own",
			source: "import outside\ndef helper(): pass\ndef a(): outside.keep(lambda: helper())\n",
			want:   []string{"a/function call/exact helper/function", "a/function reference/exact a.lambda/literal"},
			absent: []string{"a.lambda/literal call"},
		},
		{
			name:   "a default of a lambda belongs to what the lambda stands in",
			source: "def helper(): pass\ndef a(): return lambda x=helper(): x\n",
			want:   []string{"a/function call/exact helper/function"},
			absent: []string{"lambda/literal call"},
		},
		{
			name:   "of two decorators the outer one wraps what the inner one gives",
			source: "def outer(f):\n    def one(): return f()\n    return one\ndef inner(f):\n    def two(): return f()\n    return two\n@outer\n@inner\ndef task(): pass\ndef main(): task()\n",
			want: []string{"main/function dispatch/dispatch outer.one/function", "outer.one/function dispatch/dispatch inner.two/function",
				"inner.two/function dispatch/dispatch task/function"},
			absent: []string{"main/function dispatch/dispatch inner.two", "outer.one/function dispatch/dispatch task"},
		},
		{
			name:   "a decorator that calls what it gets, and one that a call makes",
			source: "def at_once(f):\n    f()\n    return f\ndef named(name):\n    def deco(f): return f\n    return deco\n@at_once\ndef a(): pass\n@named('b')\ndef b(): pass\n",
			want:   []string{"at_once/function dispatch/dispatch a/function", "b/function call/exact named.deco/function", "b/function call/exact named/function"},
		},
		{
			name:   "methods of an object that is passed, and what syntax runs on it",
			source: "class Bag:\n    def __iter__(self): return self\n    def __next__(self): return 1\n    def size(self): return 0\n    @property\n    def label(self): return ''\nclass Other:\n    def size(self): return 1\ndef use(x):\n    for i in x: print(i)\n    x.label\n    return x.size()\ndef main(): use(Bag())\n",
			want: []string{"use/function dispatch/dispatch Bag.__iter__/method", "use/function dispatch/dispatch Bag.__next__/method", "use/function dispatch/dispatch Bag.size/method",
				"use/function dispatch/dispatch Bag.label/property"},
			absent: []string{"Other.size/method"},
		},
		{
			name:   "an object that is passed and called, and what that call passes on",
			source: "class Job:\n    def __call__(self, then): then()\ndef done(): pass\ndef run(job): job(done)\ndef main(): run(Job())\n",
			want:   []string{"run/function dispatch/dispatch Job.__call__/method", "Job.__call__/method dispatch/dispatch done/function"},
		},
		{
			name:   "entries under constant keys and positions",
			source: "def one(): pass\ndef two(): pass\nd = {1: one, '1': two}\nl = [one, two]\ndef a(): d[1]()\ndef b(): d['1']()\ndef c(): l[1]()\ndef e(k): d[k]()\n",
			want:   []string{"a/function call/exact one/function", "b/function call/exact two/function", "c/function call/exact two/function", "e/function call/dispatch one/function", "e/function call/dispatch two/function"},
			absent: []string{"a/function call/exact two", "b/function call/exact one", "c/function call/exact one"},
		},
		{
			name: "what is put into a container is in it, wherever that happens",
			source: "def one(): pass\ndef two(): pass\nd = {}\nl = []\ndef fill():\n    d['a'] = one\n    l.append(two)\ndef a():\n    d['a']()\n    for f in l: f()\n" +
				"class Bus:\n    def __init__(self): self.hooks = {}\n    def on(self): self.hooks.setdefault('x', []).append(one)\n    def fire(self):\n        for h in self.hooks['x']: h()\n",
			want:   []string{"a/function call/exact one/function", "a/function call/exact two/function", "Bus.fire/method call/exact one/function"},
			absent: []string{"Bus.fire/method call/exact two"},
		},
		{
			name:   "a local container of the same name is another one",
			source: "def one(): pass\nd = {}\ndef fill():\n    d = {}\n    d['a'] = one\ndef a(): d['a']()\n",
			absent: []string{"a/function call"},
		},
		{
			name:   "slices, starred targets and unpacked mappings",
			source: "def one(): pass\ndef two(): pass\ndef three(): pass\nl = [one, two]\ndef a(): l[0:1][0]()\ndef b():\n    x, *y, z = one, two, three\n    y[0]()\n    z()\nd = {**{'k': one}}\ndef c(): d['k']()\n",
			want:   []string{"a/function call/dispatch one/function", "b/function call/exact two/function", "b/function call/exact three/function", "c/function call/exact one/function"},
			absent: []string{"b/function call/exact one"},
		},
		{
			name:   "raising a class makes an object of it",
			source: "class Gone(Exception):\n    def __init__(self): pass\ndef a(): raise Gone\ndef b(e): raise e\n",
			want:   []string{"a/function call/exact Gone/class", "a/function call/exact Gone.__init__/method"},
			absent: []string{"b/function call"},
		},
		{
			name:   "built-in functions call what they get, and compare what they sort",
			source: "class Item:\n    def __lt__(self, o): return True\n    def __hash__(self): return 1\ndef key(x): return x\ndef a(xs): return sorted(xs, key=key)\ndef b(xs): return list(map(key, xs))\ndef c(): return sorted([(1, Item())])\ndef d(x: Item): return {x: 1}\ndef e(map): map(key)\n",
			want:   []string{"a/function dispatch/dispatch key/function", "b/function dispatch/dispatch key/function", "c/function call/exact Item.__lt__/method", "d/function call/exact Item.__hash__/method"},
			absent: []string{"e/function dispatch"},
		},
		{
			name:   "del runs another method than reading",
			source: "class Table:\n    def __getitem__(self, k): pass\n    def __delitem__(self, k): pass\ndef a(t: Table): del t['x']\n",
			want:   []string{"a/function call/exact Table.__delitem__/method"}, absent: []string{"a/function call/exact Table.__getitem__"},
		},
		{
			name:   "an object of a class outside may be one of a class that derives from it",
			source: "from logging import Handler\nclass Mail(Handler):\n    def emit(self, r): pass\nclass Other:\n    def emit(self, r): pass\ndef a(h: Handler): h.emit(1)\n",
			want:   []string{"a/function dispatch/dispatch Mail.emit/method"}, absent: []string{"Other.emit/method"},
		},
		{
			name:   "a declared type that says nothing about what runs leaves it to the value",
			source: "from typing import Any, Callable, cast\ndef one(): pass\nhooks: list[Callable] = [one]\ndef keep(f: Callable) -> Callable: return f\ndef a():\n    for h in hooks: h()\ndef b(): keep(one)()\ndef c(): cast(Any, one)()\nclass Big:\n    def go(self): pass\nbox: Big = one()\ndef d(): box.go()\n",
			want:   []string{"a/function call/dispatch one/function", "b/function call/dispatch one/function", "c/function call/dispatch one/function", "d/function call/exact Big.go/method"},
		},
		{
			name:   "a weak reference gives its object",
			source: "import weakref\nclass App:\n    def send(self): pass\ndef a():\n    get = weakref.ref(App())\n    get().send()\n",
			want:   []string{"a/function call/exact App.send/method"},
		},
		{
			name:   "a subclass overrides a method by another name for one of its own",
			source: "class Base:\n    def tag(self): pass\nclass Plain(Base):\n    def write(self): pass\n    tag = write\ndef a(b: Base): b.tag()\n",
			want:   []string{"a/function dispatch/dispatch Plain.write/method"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, out := linked(t, memoryTree{"m.py": tt.source})
			var got []string
			for _, e := range edges(in, out) {
				got = append(got, strings.ReplaceAll(e, "m.py#", ""))
			}
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
