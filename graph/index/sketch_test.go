package index

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/previdence/previdence/graph"
)

func TestASketchHasTheSymbolsOfTheGraphAndNamesWhatItDidNotRead(t *testing.T) {
	repo := repository(map[string]string{
		"a.py": "def one():\n    return two()\n", "b.py": "def two():\n    return 2\n", "link@": "a.py", "sub!": "x",
	})
	b := New(Options{Workers: 2})
	sketch, err := b.Sketch(t.Context(), repo, "tree", map[string]bool{"a.py": true})
	if err != nil {
		t.Fatal(err)
	}
	whole, stats, err := b.Build(t.Context(), repo, "tree")
	if err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(slices.Clone(whole.Symbols), func(s graph.Symbol) bool { return s.Path != "a.py" })
	if !slices.EqualFunc(sketch.Symbols, want, func(x, y graph.Symbol) bool { return x.ID == y.ID && x.Digests == y.Digests }) || len(sketch.Edges) != 0 {
		t.Errorf("symbols %+v and %d edges, want %+v and none", sketch.Symbols, len(sketch.Edges), want)
	}
	states := map[string]graph.FileState{}
	for _, f := range sketch.Files {
		states[f.Path] = f.State
	}
	if states["a.py"] != graph.FileParsed || states["b.py"] != 0 || states["link@"] != graph.FileSymlink || states["sub!"] != graph.FileSubmodule || len(states) != 4 {
		t.Errorf("states %v", states)
	}
	if repo.read[oidOf("def one():\n    return two()\n")] != 1 || stats.Remembered != 1 {
		t.Errorf("the build read again what the sketch had read: %+v", stats)
	}
}

// What a build had extracted when it was stopped serves the sketch that follows.
func TestASketchUsesWhatAStoppedBuildHasExtracted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	repo := repository(map[string]string{"a.py": "a = 1\n", "b.py": "b = 1\n"})
	b := New(Options{Workers: 1, Progress: func(p Progress) {
		if p.Phase == PhaseExtract && p.Done == 1 {
			cancel()
		}
	}})
	if _, _, err := b.Build(ctx, repo, "tree"); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	first := ""
	for _, content := range []string{"a = 1\n", "b = 1\n"} {
		if repo.read[oidOf(content)] == 1 {
			first = content
			break
		}
	}
	path := first[:1] + ".py"
	if _, err := b.Sketch(t.Context(), repo, "tree", map[string]bool{path: true}); err != nil {
		t.Fatal(err)
	}
	if n := repo.read[oidOf(first)]; n != 1 {
		t.Errorf("%s was read %d times", path, n)
	}
}
