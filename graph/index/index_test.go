package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/factcache"
	"github.com/previdence/previdence/graph/link"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
)

func build(t *testing.T, o Options, m *memory) (*graph.Graph, Stats) {
	t.Helper()
	g, stats, err := New(o).Build(t.Context(), m, "tree")
	if err != nil {
		t.Fatal(err)
	}
	return g, stats
}

func caveatsOf(g *graph.Graph) map[string]string {
	out := map[string]string{}
	for _, c := range g.Caveats {
		out[c.ID] = fmt.Sprintf("%d of %d %q", c.Count, c.Of, c.Examples)
	}
	return out
}

func TestEveryEntryHasAState(t *testing.T) {
	big := strings.Repeat("x\n", MaxFile/2+1)
	files := map[string]string{
		"a.go": "def A", "half.go": "def H\ngap\ngap", "gen.go": "generated\ndef G",
		"fails.go": "fail", "panics.go": "panic", "big.go": big, "big": big + "\n",
		"nul.go": "def A\x00", "photo.png": strings.Repeat("p", 2000), "small.png": "p", "blob": "\x00\x01",
		"lib.rs": "fn main() {}", "long.rs": strings.Repeat("fn f() {}\n", 200), "data.json": "{}", "unknown.zzz": "hello",
		"script": "#!/usr/bin/env python3\ndef run", "tool": "#!/bin/bash\necho", "lang.ts": "<?xml version='1.0'?>",
		"model.go": "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 3\n",
		"link@":    "a.go", "module!": "c0ffee", "vendor/v.go": "def V", "empty.go": "",
		"missing.go": "def Missing", "corrupt.go": "def Corrupt", "lost.png": "png content that is short", "odd.go": "def odd",
	}
	m := repository(files)
	m.failing[oidOf(files["missing.go"])] = worktree.ErrObjectMissing
	m.failing[oidOf(files["corrupt.go"])] = worktree.ErrObjectCorrupt
	m.failing[oidOf(files["lost.png"])] = worktree.ErrObjectMissing
	m.failing[oidOf(files["odd.go"])] = errors.New("something with the time 12:00")
	m.listing.Skipped = []worktree.SkippedEntry{{Path: ".git/config", Reason: "no file may be named .git"}}
	m.listing.Entries = append(m.listing.Entries, worktree.Entry{Path: "zz_absent.go", Mode: worktree.ModeFile, OID: "00", Size: -1})
	o := toys()
	o.Ignore = []string{"vendor/**"}
	g, stats := build(t, o, m)

	want := map[string]string{
		"a.go": "go parsed", "half.go": "go partial 2 lines not understood", "gen.go": "go parsed", "empty.go": "go parsed",
		"fails.go": "go failed extractor failed", "panics.go": "go failed extractor panicked",
		"big.go": "go oversized larger than 4 MiB", "big": " oversized larger than 4 MiB",
		"nul.go": "go binary holds a NUL byte", "photo.png": " binary binary format by its name", "small.png": " binary binary format by its name",
		"blob": " binary holds a NUL byte", "lib.rs": "rust unsupported no extractor for rust", "long.rs": "rust unsupported no extractor for rust",
		"data.json": "json unsupported no extractor for json", "unknown.zzz": " unsupported kind of file not known",
		"script": "python parsed", "tool": "shell unsupported no extractor for shell", "lang.ts": "xml unsupported no extractor for xml",
		"model.go": "go lfs_pointer content lies in Git LFS", "link@": " symlink symbolic link, not followed", "module!": " submodule another repository",
		"vendor/v.go": "go ignored excluded by configuration", "missing.go": "go failed object is missing", "corrupt.go": "go failed object is corrupt",
		"lost.png": " failed object is missing", "odd.go": "go failed could not be read", ".git/config": " failed no file may be named .git",
		"zz_absent.go": "go failed object is missing",
	}
	for _, f := range g.Files {
		got := strings.TrimSuffix(fmt.Sprintf("%s %s %s", f.Language, f.State, f.Reason), " ")
		if got != want[f.Path] {
			t.Errorf("%s: got %q, want %q", f.Path, got, want[f.Path])
		}
		delete(want, f.Path)
	}
	for p := range want {
		t.Errorf("%s is missing from coverage", p)
	}
	if f, _ := g.File("gen.go"); !f.Generated {
		t.Error("gen.go is not marked as generated")
	}
	if stats.Files != len(g.Files) || stats.Parsed != 5 {
		t.Errorf("stats are %+v, want 5 parsed of %d", stats, len(g.Files))
	}
	if n := m.read[oidOf(files["photo.png"])] + m.read[oidOf(files["long.rs"])] + m.read[oidOf(big)] + m.read[oidOf(files["vendor/v.go"])]; n != 0 {
		t.Errorf("%d blobs were read for nothing", n)
	}
	caveats := caveatsOf(g)
	for id, text := range map[string]string{
		"files.partial.go":       `1 of 14 ["half.go"]`,
		"files.failed.go":        `6 of 14 ["corrupt.go" "fails.go" "missing.go" "odd.go" "panics.go"]`,
		"files.unsupported.rust": `2 of 29 ["lib.rs" "long.rs"]`,
		"files.unsupported":      `3 of 29 ["data.json" "lang.ts" "unknown.zzz"]`,
		"files.ignored":          `1 of 29 ["vendor/v.go"]`,
		"files.symlink":          `1 of 29 ["link@"]`,
		"files.submodule":        `1 of 29 ["module!"]`,
		"tree.skipped":           `1 of 30 [".git/config"]`,
	} {
		if caveats[id] != text {
			t.Errorf("caveat %s is %q, want %q", id, caveats[id], text)
		}
	}
}

func TestSymbolsAndEdges(t *testing.T) {
	g, stats := build(t, toys(), repository(map[string]string{
		"x/a.go":  "def A\ncall B\ncall B\ncall Gone",
		"x/b.go":  "def B",
		"y/c.go":  "def C\ncall A",
		"z/d.py":  "def D\ncall C",
		"z/e.txt": "def E",
	}))
	var edges []string
	for _, e := range g.Edges {
		if e.Kind == graph.EdgeCall {
			edges = append(edges, fmt.Sprint(g.Symbols[e.From].ID, " ", g.Symbols[e.To].ID, " ", e.Lines))
		}
	}
	want := []string{
		"go:x/a.go#A/function go:x/b.go#B/function [2 3]",
		"go:y/c.go#C/function go:x/a.go#A/function [2]",
		"python:z/d.py#D/function go:y/c.go#C/function [2]",
	}
	if !slices.Equal(edges, want) {
		t.Errorf("calls are %q, want %q", edges, want)
	}
	if _, ok := g.Find("go:x#/package"); !ok {
		t.Error("the package of x is missing")
	}
	if _, ok := g.Find("python:z/e.txt#E/function"); ok {
		t.Error("a text file has symbols")
	}
	if got := caveatsOf(g)["calls.unresolved.go"]; got != `1 of 4 ["x/a.go"]` {
		t.Errorf("unresolved calls of Go: %q", got)
	}
	if len(g.Unresolved) != 1 || g.Symbols[g.Unresolved[0].From].Name != "A" {
		t.Errorf("unresolved are %+v", g.Unresolved)
	}
	if stats.Extracted != 4 {
		t.Errorf("stats are %+v", stats)
	}
}

// tree is large enough that the order in which workers end differs.
func tree() map[string]string {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("p%d/f%d.go", i%7, i)] = fmt.Sprintf("def F%d\ncall F%d\ncall Lost%d\ndef G%d%s", i, (i*7)%300, i%5, i, strings.Repeat("\n", i%50*10))
		files[fmt.Sprintf("p%d/f%d.py", i%7, i)] = fmt.Sprintf("def P%d\ncall F%d\ngap", i, i)
	}
	files["same/one.go"], files["same/two.go"] = "def Same\ncall F1", "def Same\ncall F1"
	return files
}

func TestSameTreeGivesSameGraph(t *testing.T) {
	m := repository(tree())
	cache, err := factcache.Open(t.Context(), filepath.Join(t.TempDir(), "facts.db"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close(context.Background())
	want := ""
	for _, test := range []struct {
		name    string
		workers int
		facts   Facts
		warm    bool
	}{{"one worker", 1, nil, false}, {"eight workers", 8, nil, false}, {"cold cache", 8, cache, false}, {"warm cache", 1, cache, true}, {"warm cache, eight workers", 8, cache, true}} {
		o := toys()
		o.Workers, o.Facts = test.workers, test.facts
		g, stats := build(t, o, m)
		digest := store.Digest(g)
		if want == "" {
			want = digest
		}
		if digest != want {
			t.Errorf("%s: another graph", test.name)
		}
		if stats.CacheError != nil || test.warm != (stats.Extracted == 0) || test.warm != (stats.Remembered > 0) {
			t.Errorf("%s: stats are %+v", test.name, stats)
		}
	}
}

func TestOneBuilderSharesFactsOfEqualBlobs(t *testing.T) {
	b := New(toys())
	base := tree()
	head := maps.Clone(base)
	head["p0/f0.go"] = "def Changed"
	g1, _, err := b.Build(t.Context(), repository(base), "base")
	if err != nil {
		t.Fatal(err)
	}
	g2, stats, err := b.Build(t.Context(), repository(head), "head")
	if err != nil {
		t.Fatal(err)
	}
	if stats.Extracted != 1 {
		t.Errorf("stats are %+v, want one blob extracted", stats)
	}
	fresh, _ := build(t, toys(), repository(head))
	if store.Digest(g2) != store.Digest(fresh) || store.Digest(g1) == store.Digest(g2) {
		t.Error("the graph of head depends on what was built before")
	}
}

func TestBuildsOfOneBuilderRunAtOnce(t *testing.T) {
	b := New(toys())
	digests := make(chan string, 4)
	for range 4 {
		go func() {
			g, _, err := b.Build(t.Context(), repository(tree()), "t")
			if err != nil {
				digests <- err.Error()
				return
			}
			digests <- store.Digest(g)
		}()
	}
	first := <-digests
	for range 3 {
		if d := <-digests; d != first {
			t.Errorf("got %s and %s", first, d)
		}
	}
}

func TestLinkersGetContentAndSyntax(t *testing.T) {
	o := toys()
	o.Workers = 1
	var first []link.File
	o.Link = []link.Linker{&toyLinker{languages: []string{"go"}, seen: func(in link.Input) {
		first = in.Files
		for _, f := range in.Files {
			if in.Symbols[f.Symbols].Kind != graph.KindModule || in.Symbols[f.Symbols].Path != f.Path {
				t.Errorf("%s: its symbols begin with %s", f.Path, in.Symbols[f.Symbols].ID)
			}
			data, err := in.Tree.Read(t.Context(), f.Path)
			if err != nil || !strings.HasPrefix(string(data), "def") {
				t.Errorf("%s reads %q, %v", f.Path, data, err)
			}
		}
		if data, err := in.Tree.Read(t.Context(), "go.mod"); err != nil || string(data) != "module m" {
			t.Errorf("go.mod reads %q, %v", data, err)
		}
		if _, err := in.Tree.Read(t.Context(), "none"); err == nil || !strings.Contains(err.Error(), "not exist") {
			t.Errorf("a file that is not there gives %v", err)
		}
		if !slices.Equal(in.Tree.Paths(), []string{"a.go", "b.go", "go.mod"}) {
			t.Errorf("paths are %q", in.Tree.Paths())
		}
	}}}
	b := New(o)
	m := repository(map[string]string{"a.go": "def A", "b.go": "def A", "go.mod": "module m", "l@": "a.go"})
	if _, _, err := b.Build(t.Context(), m, "t"); err != nil {
		t.Fatal(err)
	}
	if first[0].Syntax == nil || first[1].Syntax != nil {
		t.Errorf("equal blobs share one syntax tree: %v, %v", first[0].Syntax, first[1].Syntax)
	}
	reads := m.read[oidOf("def A")]
	if _, _, err := b.Build(t.Context(), m, "t"); err != nil {
		t.Fatal(err)
	}
	if first[0].Syntax != nil || m.read[oidOf("def A")] != reads+2 {
		t.Errorf("known facts came with syntax %v and %d reads, want none and one for each file", first[0].Syntax, m.read[oidOf("def A")]-reads)
	}
}

func TestFailedLinkerCostsItsEdgesOnly(t *testing.T) {
	for _, fault := range []string{"panic", "error", "range"} {
		t.Run(fault, func(t *testing.T) {
			o := toys()
			o.Link[0].(*toyLinker).fault = fault
			g, stats := build(t, o, repository(map[string]string{"a.go": "def A", "b.py": "def B\ncall A"}))
			if got := caveatsOf(g)["link.failed.go"]; got != "1 of 1 []" || stats.LinkError == nil {
				t.Errorf("caveat is %q, error is %v", got, stats.LinkError)
			}
			calls := slices.DeleteFunc(slices.Clone(g.Edges), func(e graph.Edge) bool { return e.Kind != graph.EdgeCall })
			if len(calls) != 1 || len(g.Symbols) != 5 {
				t.Errorf("%d calls and %d symbols are left, want 1 and 5", len(calls), len(g.Symbols))
			}
			for _, c := range g.Caveats {
				if strings.Contains(c.Text, "quotes") {
					t.Errorf("caveat quotes an error: %q", c.Text)
				}
			}
		})
	}
}

func TestCancelledBuildEndsSoon(t *testing.T) {
	files := tree()
	files["a.go"] = "wait"
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	g, _, err := New(toys()).Build(ctx, repository(files), "t")
	if !errors.Is(err, context.Canceled) || g != nil {
		t.Errorf("got %v, %v", g, err)
	}
}

func TestAnotherConfigurationIsAnotherEngineAndSharesFacts(t *testing.T) {
	var told []Stats
	o := toys()
	o.Built = func(tree worktree.OID, s Stats) {
		if tree != "t" {
			t.Errorf("told of tree %s", tree)
		}
		told = append(told, s)
	}
	all := New(o)
	some := all.Configured(Configuration{Ignore: []string{"b.go"}})
	m := repository(map[string]string{"a.go": "def A", "b.go": "def B"})
	for _, b := range []*Builder{all, some} {
		if _, _, err := b.Build(t.Context(), m, "t"); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 2 || told[0].Extracted != 2 || told[1].Extracted != 0 || told[1].Remembered != 1 {
		t.Errorf("told %+v, want two parsed, then one remembered", told)
	}
	if all.EngineDigest() == some.EngineDigest() || all.EngineDigest() != all.Configured(Configuration{}).EngineDigest() {
		t.Error("a digest does not say what is ignored")
	}
	if some.EngineDigest() != all.Configured(Configuration{Ignore: []string{"x", "b.go"}}).Configured(Configuration{Ignore: []string{"b.go"}}).EngineDigest() {
		t.Error("the patterns were added to, not replaced")
	}
	windows := all.Configured(Configuration{Platforms: []string{"windows/amd64"}})
	if windows.EngineDigest() == all.EngineDigest() || windows.Configured(Configuration{}).EngineDigest() != all.EngineDigest() {
		t.Error("a digest does not say for which platforms")
	}
}

func TestBadPatternIsRefused(t *testing.T) {
	o := toys()
	o.Ignore = []string{"a[b"}
	if _, _, err := New(o).Build(t.Context(), repository(nil), "t"); !errors.Is(err, ErrBadPattern) {
		t.Errorf("error is %v", err)
	}
}

func TestProgressIsInOrder(t *testing.T) {
	o := toys()
	var phases []string
	last := Progress{}
	o.Progress = func(p Progress) {
		if p.Phase != last.Phase {
			phases = append(phases, p.Phase)
		}
		if p.Done > p.Total {
			t.Errorf("%d of %d done", p.Done, p.Total)
		}
		if p.Bytes > p.Of || p.Phase == PhaseExtract && p.Done == p.Total && p.Bytes != p.Of {
			t.Errorf("%d of %d bytes are done with %d of %d blobs", p.Bytes, p.Of, p.Done, p.Total)
		}
		last = p
	}
	build(t, o, repository(tree()))
	if !slices.Equal(phases, []string{PhaseList, PhaseExtract, PhaseLink}) || last.Done != last.Total {
		t.Errorf("phases are %q, last is %+v", phases, last)
	}
}

func TestTests(t *testing.T) {
	g, _ := build(t, toys(), repository(map[string]string{
		"a_test.go": "test TestA", "a.go": "test TestNot", "latest_test_data.go": "test TestNot",
		"test_p.py": "test test_p", "p_test.py": "test test_q", "contest/src/latest/api.py": "test no", "tests/conftest.py": "test no", "tests/helper.py": "test no",
		"src/a.test.js": "test a", "src/a.spec.mjs": "test b", "src/__tests__/x.js": "test c", "src/test.js": "test no", "src/latest.js": "test no", "test/loose.js": "test no",
		"web/package.json": `{"devDependencies": {"mocha": "^1"}}`, "web/test/m.js": "test m", "web/lib/n.js": "test no", "web/sub/package.json": `{"name": "x"}`, "web/sub/tests/o.js": "test o",
		"tap/package.json": `{"scripts": {"test:unit": "node --test ./test"}}`, "tap/test/p.js": "test q",
		"board/.mocharc.yml": "spec: x", "board/test/s.js": "test s", "vi/vitest.config.ts": "", "vi/tests/t.js": "test t",
		"bad/package.json": `{"scripts": [`, "bad/test/r.js": "test no",
	}))
	var got []string
	for _, s := range g.Symbols {
		if s.Test {
			got = append(got, s.Path+" "+s.Framework)
		}
		if s.Test == (s.Name == "no" || s.Name == "TestNot") && s.Kind == graph.KindFunction {
			t.Errorf("%s: test is %v", s.ID, s.Test)
		}
	}
	slices.Sort(got)
	want := []string{"a_test.go ", "board/test/s.js mocha", "p_test.py ", "src/__tests__/x.js ", "src/a.spec.mjs ", "src/a.test.js ", "tap/test/p.js node:test", "test_p.py ", "vi/tests/t.js vitest", "web/sub/tests/o.js mocha", "web/test/m.js mocha"}
	if !slices.Equal(got, want) {
		t.Errorf("tests are %q, want %q", got, want)
	}
}

func TestEqualIDsAreToldApart(t *testing.T) {
	symbol := func(path string, start int) graph.Symbol {
		return graph.Symbol{ID: "x", Path: path, Start: start, Kind: graph.KindHeading}
	}
	g := &graph.Graph{Symbols: []graph.Symbol{symbol("b", 1), {ID: "x~2", Path: "c"}, symbol("a", 9), symbol("a", 3)},
		Edges: []graph.Edge{{From: 0, To: 3, Kind: graph.EdgeCall, Tier: graph.TierName}}}
	g.Sort()
	separate(g)
	var got []string
	for _, s := range g.Symbols {
		got = append(got, fmt.Sprintf("%s %s%d", s.ID, s.Path, s.Start))
	}
	if want := []string{"x a3", "x~2 c0", "x~3 a9", "x~4 b1"}; !slices.Equal(got, want) {
		t.Errorf("symbols are %q, want %q", got, want)
	}
	if e := g.Edges[0]; g.Symbols[e.From].Path != "b" || g.Symbols[e.To].Start != 3 {
		t.Errorf("the edge goes from %v to %v", g.Symbols[e.From], g.Symbols[e.To])
	}
}

func TestEngineDigestTellsEnginesApart(t *testing.T) {
	all, one := New(toys()), New(Options{Extract: toys().Extract, Link: toys().Link[:1]})
	if all.EngineDigest() != New(toys()).EngineDigest() || all.EngineDigest() == one.EngineDigest() || len(all.EngineDigest()) != 64 {
		t.Errorf("digests are %s and %s", all.EngineDigest(), one.EngineDigest())
	}
}

// TestGrammarsAreThoseOfTheModule compares the table with go.mod.
func TestGrammarsAreThoseOfTheModule(t *testing.T) {
	data, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	required := map[string]string{}
	for _, r := range m.Require {
		required[r.Mod.Path] = r.Mod.Version
	}
	modules := map[string]string{"markdown": "github.com/yuin/goldmark", "tsx": "github.com/tree-sitter/tree-sitter-typescript"}
	for language, v := range Grammars() {
		module := cmp.Or(modules[language], "github.com/tree-sitter/tree-sitter-"+language)
		if required[module] != v {
			t.Errorf("%s is parsed by %s %q, the table says %q", language, module, required[module], v)
		}
	}
}

func TestLanguageOf(t *testing.T) {
	for p, want := range map[string]string{
		"a.go": "go", "dir.go/x": "", "A.PY": "python", "x.d.ts": "typescript", "a.tsx": "tsx", "a.jsx": "javascript", "Makefile": "make",
		"sub/Dockerfile": "dockerfile", "Dockerfile.dev": "dockerfile", "go.mod": "go-module", ".go": "", ".gitignore": "git", "LICENSE": "text",
		"x": "", "a.vue": "vue", "a.": "", "": "", "README.md": "markdown", "a.rs": "rust", "Gemfile": "ruby",
	} {
		if got := languageOf(p); got != want {
			t.Errorf("languageOf(%q) = %q, want %q", p, got, want)
		}
	}
}

func TestLanguageOfShebang(t *testing.T) {
	for line, want := range map[string]string{
		"#!/usr/bin/env python3\n": "python", "#!/usr/bin/python2.7": "python", "#!/usr/bin/env -S node --flag\r\n": "javascript",
		"#!/bin/sh -e": "shell", "#!/usr/bin/env FOO=1 ruby\n": "ruby", "#!": "", "# python": "", "#!/opt/unknown\npython": "", "": "",
	} {
		if got := languageOfShebang([]byte(line)); got != want {
			t.Errorf("languageOfShebang(%q) = %q, want %q", line, got, want)
		}
	}
}

func FuzzLanguage(f *testing.F) {
	f.Add("Dockerfile.dev", []byte("#!/usr/bin/env -S FOO=1 python3.11 -u\n"))
	f.Add("a/.b.", []byte("#! / env -"))
	known := map[string]bool{"": true}
	for _, k := range kinds {
		known[k.language] = true
	}
	f.Fuzz(func(t *testing.T, name string, head []byte) {
		if l := languageOf(name); !known[l] {
			t.Errorf("%q is of language %q", name, l)
		}
		if l := languageOfShebang(head); !known[l] {
			t.Errorf("%q is run by language %q", head, l)
		}
	})
}

func FuzzFrameworkOf(f *testing.F) {
	f.Add([]byte(`{"devDependencies": {"jest": "1"}, "scripts": {"test": "jest"}}`))
	f.Add([]byte(`{"dependencies": 3}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := frameworkOf(data); got != "" && got != "node:test" && !slices.Contains(scriptFrameworks, got) {
			t.Errorf("framework is %q", got)
		}
	})
}
