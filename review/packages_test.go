package review

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/previdence/previdence/graph"
)

func TestEntryFiles(t *testing.T) {
	tree := []string{"index.js", "lib/a.ts", "src/index.ts", "src/deep/b.tsx", "src/deep/c.ts", "types/index.d.ts", "p/index.js", "p/main.cjs"}
	g := &graph.Graph{}
	for _, p := range tree {
		g.Files = append(g.Files, graph.File{Path: p})
	}
	g.Sort()
	tests := []struct {
		name, dir, manifest string
		want                []string
	}{
		{"convention", "", `{}`, []string{"index.js", "src/index.ts"}},
		{"the package's own folder", "p", `{"main": "./main"}`, []string{"p/index.js", "p/main.cjs"}},
		{"a built file stands for its source", "", `{"main": "dist/deep/b.js"}`, []string{"index.js", "src/deep/b.tsx", "src/index.ts"}},
		{"conditions, types and patterns", "", `{"exports": {".": {"types": "./types/index.d.ts"}, "./*": ["./lib/deep/*.js", null]}}`,
			[]string{"index.js", "src/deep/b.tsx", "src/deep/c.ts", "src/index.ts", "types/index.d.ts"}},
		{"a pattern over sources that are not packed", "", `{"files": ["dist", "lib"], "exports": {"./*": "./*"}}`, []string{"index.js", "lib/a.ts", "src/index.ts"}},
		{"places that are not there, or no places", "", `{"main": "../../x", "exports": 7}`, []string{"index.js", "src/index.ts"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var fields entryFields
			if err := json.Unmarshal([]byte(tt.manifest), &fields); err != nil {
				t.Fatal(err)
			}
			if got := entryFiles(g, tt.dir, fields); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzEntryFiles(f *testing.F) {
	for _, s := range []string{`{"main": "a/*"}`, `{"exports": {"./*": {"import": ["dist/*.js", {"x": "*"}]}}}`, `{"main": "***"}`, `{"types": "/"}`} {
		f.Add(s)
	}
	g := &graph.Graph{Files: []graph.File{{Path: "a.js"}, {Path: "src/b.ts"}}}
	g.Sort()
	f.Fuzz(func(t *testing.T, manifest string) {
		var fields entryFields
		if json.Unmarshal([]byte(manifest), &fields) != nil {
			return
		}
		got := entryFiles(g, "", fields)
		if !slices.IsSorted(got) {
			t.Errorf("%q has no order", got)
		}
		for _, p := range got {
			if _, ok := g.File(p); !ok {
				t.Errorf("%q is not in the tree", p)
			}
		}
	})
}
