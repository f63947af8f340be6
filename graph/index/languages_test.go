package index

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/factcache"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// shelf keeps facts as bytes, as a cache on disk does.
type shelf struct {
	kept    map[factcache.Key][]byte
	parts   map[string][]byte
	refused int // facts that did not survive their encoding
}

func (s *shelf) Get(_ context.Context, keys []factcache.Key) (map[factcache.Key]*graph.Facts, error) {
	found := map[factcache.Key]*graph.Facts{}
	for _, k := range keys {
		if data, ok := s.kept[k]; ok {
			f, err := factcache.Decode(data)
			if err != nil {
				s.refused++
				continue
			}
			found[k] = f
		}
	}
	return found, nil
}

func (s *shelf) Put(_ context.Context, entries []factcache.Entry) error {
	for _, e := range entries {
		s.kept[e.Key] = factcache.Encode(e.Facts)
	}
	return nil
}

func (s *shelf) Recall(_ context.Context, keys []string) (map[string][]byte, error) {
	found := map[string][]byte{}
	for _, k := range keys {
		if data, ok := s.parts[k]; ok {
			found[k] = data
		}
	}
	return found, nil
}

func (s *shelf) Keep(_ context.Context, parts map[string][]byte) error {
	if s.parts == nil {
		s.parts = map[string][]byte{}
	}
	maps.Copy(s.parts, parts)
	return nil
}

// polyglot has a call across files in every language that is linked.
var polyglot = map[string]string{
	"go.mod":          "module example.org/m\n\ngo 1.24\n",
	"pay/pay.go":      "package pay\n\n// Send sends.\nfunc Send(n int) error { return check(n) }\n",
	"pay/check.go":    "package pay\n\nfunc check(int) error { return nil }\n",
	"pay/pay_test.go": "package pay\n\nimport \"testing\"\n\nfunc TestSend(t *testing.T) {\n\tif Send(1) != nil {\n\t\tt.Fatal()\n\t}\n}\n",
	"app/__init__.py": "", "app/a.py": "from .b import helper\n\n\ndef run():\n    return helper()\n", "app/b.py": "def helper():\n    return 1\n",
	"tests/test_a.py": "from app.a import run\n\n\ndef test_run():\n    assert run() == 1\n",
	"package.json":    `{"name": "m", "devDependencies": {"jest": "1"}}`,
	"web/x.ts":        "import { y } from './y'\nexport function x(): number { return y() }\n", "web/y.ts": "export function y(): number { return 1 }\n",
	"web/z.js": "const { y } = require('./y')\nmodule.exports = () => y()\n", "web/v.tsx": "import { x } from './x'\nexport const V = () => <b>{x()}</b>\n",
	"web/x.test.ts": "import { x } from './x'\ntest('x gives one', () => { expect(x()).toBe(1) })\n",
	"README.md":     "# Pay\n\nCall `pay.Send` first. See [the code](pay/pay.go).\n",
}

func TestEveryLanguageIsLinked(t *testing.T) {
	g, stats := build(t, Options{}, repository(polyglot))
	if stats.LinkError != nil {
		t.Fatal(stats.LinkError)
	}
	for _, want := range [][2]graph.SymbolID{
		{"go:pay/pay.go#Send/function", "go:pay/check.go#check/function"},
		{"go:pay/pay_test.go#TestSend/function", "go:pay/pay.go#Send/function"},
		{"python:app/a.py#run/function", "python:app/b.py#helper/function"},
		{"python:tests/test_a.py#test_run/function", "python:app/a.py#run/function"},
		{"typescript:web/x.ts#x/function", "typescript:web/y.ts#y/function"},
		{"tsx:web/v.tsx#V/function", "typescript:web/x.ts#x/function"},
		{"markdown:README.md#Pay/heading", "go:pay/pay.go#Send/function"},
	} {
		from, ok1 := g.Find(want[0])
		to, ok2 := g.Find(want[1])
		if !ok1 || !ok2 {
			t.Errorf("%s: %v, %s: %v", want[0], ok1, want[1], ok2)
			continue
		}
		if !slices.ContainsFunc(g.Out(from), func(e graph.Edge) bool { return e.To == to }) {
			t.Errorf("no edge from %s to %s", want[0], want[1])
		}
	}
	frameworks := map[string]string{}
	for _, s := range g.Symbols {
		if s.Test {
			frameworks[s.Path] = s.Framework
		}
	}
	if want := map[string]string{"pay/pay_test.go": "go", "tests/test_a.py": "pytest", "web/x.test.ts": "jest"}; !maps.Equal(frameworks, want) {
		t.Errorf("tests are %v, want %v", frameworks, want)
	}
	for _, f := range g.Files {
		if want := languageOf(f.Path); f.Language != want || New(Options{}).extractors[want] != nil && f.State != graph.FileParsed {
			t.Errorf("%s is %s and %s %s", f.Path, f.Language, f.State, f.Reason)
		}
	}
}

// TestGitGivesTheSameGraph compares a real repository with the one in memory
// that the other tests use.
func TestGitGivesTheSameGraph(t *testing.T) {
	repo := worktreetest.New(t)
	commit := repo.Commit(polyglot)
	opened := repo.Open()
	tree, err := opened.TreeOf(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := New(Options{Workers: 3}).Build(t.Context(), opened, tree)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := build(t, Options{}, repository(polyglot))
	if store.Digest(got) != store.Digest(want) {
		t.Error("another graph")
	}
	if _, _, err := New(Options{}).Build(t.Context(), opened, worktree.OID(strings.Repeat("0", 40))); err == nil {
		t.Error("a tree that is not there has a graph")
	}
}

func TestEveryExtractedLanguageIsKnownByName(t *testing.T) {
	for language := range New(Options{}).extractors {
		if !slices.ContainsFunc(kinds, func(k fileKind) bool { return k.language == language }) {
			t.Errorf("no file is recognised as %s", language)
		}
	}
}

// FuzzBuild gives every extractor and linker content that nobody wrote for it.
// Nothing may panic, the graph must be whole, and facts that went through their
// encoding must lead to the same graph.
func FuzzBuild(f *testing.F) {
	for _, p := range slices.Sorted(maps.Keys(polyglot)) {
		f.Add(polyglot[p], polyglot["web/x.ts"])
	}
	f.Add("package a\nfunc f(", "x")
	f.Add("((((((((((((((((((((((", "class A(A): pass")
	linkers := linkers(Configuration{}) // they keep the standard library
	f.Fuzz(func(t *testing.T, content, other string) {
		files := maps.Clone(polyglot)
		for i, ending := range []string{".go", ".py", ".ts", ".tsx", ".js", ".md"} {
			if i%2 == 0 {
				content, other = other, content
			}
			files["pay/fuzz"+ending] = content
			files["web/fuzz"+ending] = other
		}
		kept := &shelf{kept: map[factcache.Key][]byte{}}
		checkBuilds(t, kept, Options{Link: linkers}, files)
		checkBuilds(t, kept, Options{Configuration: Configuration{TypesOff: true}}, files)
	})
}

func checkBuilds(t *testing.T, kept *shelf, o Options, files map[string]string) {
	t.Helper()
	o.Facts, o.Workers = kept, 2
	cold, stats := build(t, o, repository(files))
	o.Workers = 1
	warm, again := build(t, o, repository(files))
	if stats.LinkError != nil || again.LinkError != nil || kept.refused > 0 {
		t.Fatalf("linkers: %v, %v; %d facts are refused by their own format", stats.LinkError, again.LinkError, kept.refused)
	}
	if store.Digest(cold) != store.Digest(warm) {
		t.Fatal("facts that were kept lead to another graph")
	}
	for i := 1; i < len(cold.Symbols); i++ {
		if cold.Symbols[i-1].ID >= cold.Symbols[i].ID {
			t.Fatalf("%s stands before %s", cold.Symbols[i-1].ID, cold.Symbols[i].ID)
		}
	}
	for _, file := range cold.Files {
		if file.Reason == errExtractorPanic.Error() || file.Reason == errExtractor.Error() {
			t.Fatalf("%s: %s", file.Path, file.Reason)
		}
	}
}
