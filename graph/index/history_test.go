package index

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph/factcache"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// places are where the files of a history lie. Some of them decide what the
// files beside them mean.
var places = []string{
	"go.mod", "pay/pay.go", "pay/check.go", "pay/pay_test.go", "low/low.go",
	"app/__init__.py", "app/a.py", "app/b.py", "tests/test_a.py",
	"package.json", "tsconfig.json", "web/x.ts", "web/y.ts", "web/y/index.ts", "web/z.js", "web/v.tsx",
	"README.md", "docs/guide.md",
}

// contents are what a file may hold, whatever its place says.
var contents = []string{
	"", "module example.org/m\n\ngo 1.24\n", "module example.org/other\n\ngo 1.20\n",
	"package pay\n\nfunc Send(n int) error { return check(n) }\n",
	"package pay\n\nimport \"example.org/m/low\"\n\ntype T struct{ low.I }\n\nfunc Send(n int) error { var t T; t.Low(); return check(n) }\n",
	"package pay\n\nfunc check(int) error { return nil }\n", "package pay\n\nfunc check(n string) {}\n\nfunc broken( {\n",
	"package pay\n\nimport \"testing\"\n\nfunc TestSend(t *testing.T) { Send(1) }\n",
	"//go:build windows\n\npackage pay\n\nfunc check(int) error { return Send(0) }\n",
	"package low\n\ntype I interface{ Low() int }\n\ntype Real struct{}\n\nfunc (Real) Low() int { return 1 }\n",
	"from .b import helper\n\n\ndef run():\n    return helper()\n", "from app import *\n\n\nclass B(A):\n    def run(self):\n        return self.help()\n",
	"def helper():\n    return 1\n\n\nclass A:\n    def help(self):\n        return helper()\n", "def helper(:\n", "from app.a import run\n\n\ndef test_run():\n    assert run() == 1\n",
	`{"name": "m", "devDependencies": {"jest": "1"}}`, `{"name": "m", "type": "module", "main": "web/z.js"}`,
	`{"compilerOptions": {"baseUrl": ".", "paths": {"~/*": ["web/*"]}}}`,
	"import { y } from './y'\nexport function x(): number { return y() }\n", "import { y } from '~/y'\nexport const x = () => y()\n",
	"export function y(): number { return 1 }\n", "export * from './y/index'\nexport { x as y } from './x'\n",
	"const { y } = require('./y')\nmodule.exports = () => y()\n", "import { x } from './x'\nexport const V = () => <b>{x()}</b>\n",
	"# Pay\n\nCall `pay.Send`. See [the code](pay/pay.go#L3) and [the guide](docs/guide.md#pay).\n", "# Pay\n\n[x](../web/x.ts) and `helper`.\n",
	"from .b import A\n\n\ndef keep(f):\n    def inner(): return f()\n    return inner\n\n\n@keep\ndef run():\n    return use(A(), lambda: 1)\n\n\ndef use(x, f):\n    return x.help(), f()\n",
	"export class Y { z() { return 1 } }\nexport function y(): Y { return new Y() }\n",
	"import { Y, y } from './y'\ndeclare module './y' { interface Y { given(): number } }\nY.prototype.given = () => 2\nexport function x(): number { return y().given() }\n",
	"const part = require('./z')\nfunction Queue() {}\nQueue.prototype = { push() { part.run() } }\nmodule.exports = { x: () => new Queue().push() }\n",
}

// folders are moved as a whole, there and back.
var folders = [][2]string{{"pay/", "inner/pay/"}, {"app/", "src/app/"}, {"web/", "ui/web/"}, {"inner/pay/", "pay/"}, {"src/app/", "app/"}, {"ui/web/", "web/"}}

// edit makes the next tree of a history from three numbers. It never changes
// the trees that are there.
func edit(history []map[string]string, verb, a, b byte) map[string]string {
	files := maps.Clone(history[len(history)-1])
	paths := slices.Sorted(maps.Keys(files))
	move := func(from, to string) {
		files[to] = files[from]
		delete(files, from)
	}
	switch verb % 6 {
	case 0: // new content
		files[places[int(a)%len(places)]] = contents[int(b)%len(contents)]
	case 1: // one file under another name
		if from, to := paths[int(a)%len(paths)], places[int(b)%len(places)]; from != to {
			move(from, to)
		}
	case 2: // one folder elsewhere
		names := folders[int(a)%len(folders)]
		for _, p := range paths {
			if rest, ok := strings.CutPrefix(p, names[0]); ok {
				move(p, names[1]+rest)
			}
		}
	case 3:
		if len(paths) > 1 {
			delete(files, paths[int(a)%len(paths)])
		}
	case 4: // back to an earlier tree
		return maps.Clone(history[int(a)%len(history)])
	case 5: // the same content twice
		files[places[int(b)%len(places)]] = files[paths[int(a)%len(paths)]]
	}
	return files
}

// FuzzAHistoryGivesTheGraphsOfItsTrees commits edits, renames, moves, deletions
// and reverts. After each commit the graph of a builder that has seen the whole
// history, and that of a new one with the facts kept on disk, must be the graph
// that a clean build gives.
func FuzzAHistoryGivesTheGraphsOfItsTrees(f *testing.F) {
	f.Add([]byte{0, 0, 1, 4, 0, 4, 9, 0, 2, 6, 3, 0, 0, 4, 0, 0, 4, 2, 0})   // Go: an interface of a new package; without go.mod; back
	f.Add([]byte{3, 2, 0, 0, 2, 3, 0, 0, 1, 8, 4, 1, 0, 0, 2, 8})            // Go: a folder moves, a file is excluded by its platform
	f.Add([]byte{7, 0, 6, 11, 0, 7, 12, 1, 1, 6, 0, 5, 10, 4, 1, 0})         // Python: inheritance through a star import, a renamed module
	f.Add([]byte{5, 2, 1, 0, 0, 7, 13, 2, 4, 0, 3, 1, 0, 4, 2, 0})           // Python: another root, a file that does not parse
	f.Add([]byte{3, 0, 6, 26, 0, 7, 12, 1, 6, 8, 4, 0, 0, 3, 7, 0})          // Python: what is passed, wrapped and put away, beside what it is
	f.Add([]byte{1, 0, 10, 17, 0, 11, 19, 0, 13, 21, 3, 15, 0, 2, 2, 0})     // TypeScript: paths, a folder that is imported, a moved root
	f.Add([]byte{2, 0, 11, 28, 0, 12, 27, 0, 12, 20, 3, 12, 0, 4, 2, 0})     // TypeScript: a module that another file adds to, without it, back
	f.Add([]byte{6, 0, 14, 29, 0, 11, 28, 0, 12, 27, 1, 11, 13, 4, 1, 0})    // JavaScript: a prototype that is set whole, beside a module that is added to
	f.Add([]byte{4, 0, 16, 24, 0, 17, 25, 1, 10, 1, 5, 3, 2, 4, 0, 0})       // documents, and a file of one language under the name of another
	f.Add([]byte{2, 5, 1, 11, 5, 11, 6, 3, 0, 0, 3, 0, 0, 3, 0, 0, 4, 0, 0}) // one content in several places and languages
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) == 0 || len(program) > 1+3*10 {
			return // no history, or a long one
		}
		workers := 1 + int(program[0]%8)
		facts, err := factcache.Open(t.Context(), filepath.Join(t.TempDir(), "facts.db"), 0)
		if err != nil {
			t.Fatal(err)
		}
		defer facts.Close(t.Context())
		repo := worktreetest.New(t)
		opened := repo.Open()
		warm := New(Options{Facts: facts, Workers: workers})
		history := []map[string]string{maps.Clone(polyglot)}
		for {
			at := len(history)
			last := map[string]string{}
			if at > 1 {
				last = history[at-2]
			}
			tree := commit(repo, last, history[at-1])
			want := digestOf(t, New(Options{Workers: 1}), opened, tree)
			if got := digestOf(t, warm, opened, tree); got != want {
				t.Fatalf("commit %d of %v: a builder that saw the history gives another graph of %q", at, program, slices.Sorted(maps.Keys(history[at-1])))
			}
			if got := digestOf(t, New(Options{Facts: facts, Workers: 9 - workers}), opened, tree); got != want {
				t.Fatalf("commit %d of %v: kept facts give another graph of %q", at, program, slices.Sorted(maps.Keys(history[at-1])))
			}
			if len(program) < 1+3*at {
				return
			}
			step := program[1+3*(at-1):]
			history = append(history, edit(history, step[0], step[1], step[2]))
		}
	})
}

// commit makes a repository that holds the files of last hold those of next.
func commit(repo *worktreetest.Repo, last, next map[string]string) worktree.OID {
	var gone []string
	for p := range last {
		if _, stays := next[p]; !stays {
			gone = append(gone, p)
		}
	}
	return worktree.OID(repo.Git("rev-parse", string(repo.Commit(next, gone...))+"^{tree}"))
}

func digestOf(t *testing.T, b *Builder, objects Objects, tree worktree.OID) string {
	t.Helper()
	g, stats, err := b.Build(t.Context(), objects, tree)
	if err != nil || stats.LinkError != nil || stats.CacheError != nil {
		t.Fatal(err, stats.LinkError, stats.CacheError)
	}
	return store.Digest(g)
}
