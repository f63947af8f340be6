package index

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// synthetic gives the files of a small project in one language. Each function
// calls those of its own file and of the file before.
var synthetic = map[string]func(n int) (path, content string){
	"go": func(n int) (string, string) {
		var b strings.Builder
		fmt.Fprintf(&b, "package p%d\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/m/p%d\"\n)\n\n// T is one of many.\ntype T struct{ n int }\n\nvar _ = p%[2]d.New\n", n, max(n-1, 0)+1000*btoi(n == 0))
		fmt.Fprint(&b, "\n// New makes a T.\nfunc New(n int) *T { return &T{n} }\n")
		for i := range 20 {
			fmt.Fprintf(&b, "\n// M%d does something.\nfunc (t *T) M%[1]d(s string) (int, error) {\n\tif t.n > %[1]d {\n\t\treturn p%d.New(t.n).M%d(s)\n\t}\n\treturn fmt.Println(s, t.n)\n}\n", i, max(n-1, 0)+1000*btoi(n == 0), (i+1)%20)
		}
		return fmt.Sprintf("p%d/a.go", n), b.String()
	},
	"python": func(n int) (string, string) {
		var b strings.Builder
		fmt.Fprintf(&b, "from pkg.m%d import C as Other\n\n\nclass C:\n    def __init__(self, n: int) -> None:\n        self.n = n\n        self.other = Other(n)\n", max(n-1, 0))
		for i := range 20 {
			fmt.Fprintf(&b, "\n    def m%d(self, s):\n        if self.n > %[1]d:\n            return self.other.m%d(s)\n        return self.m%[2]d(s) + len(s)\n", i, (i+1)%20)
		}
		return fmt.Sprintf("pkg/m%d.py", n), b.String()
	},
	"typescript": func(n int) (string, string) {
		var b strings.Builder
		fmt.Fprintf(&b, "import { C as Other } from './m%d';\n\nexport class C {\n  other: Other;\n  constructor(public n: number) { this.other = new Other(n); }\n", max(n-1, 0))
		for i := range 20 {
			fmt.Fprintf(&b, "\n  m%d(s: string): number {\n    if (this.n > %[1]d) { return this.other.m%d(s); }\n    return this.m%[2]d(s) + s.length;\n  }\n", i, (i+1)%20)
		}
		return fmt.Sprintf("src/m%d.ts", n), b.String() + "}\n"
	},
	"markdown": func(n int) (string, string) {
		var b strings.Builder
		for i := range 20 {
			fmt.Fprintf(&b, "## Part %d\n\nCall `M%d` and see [the next](m%d.md). Some prose that says little.\n\n", i, i, n+1)
		}
		return fmt.Sprintf("docs/m%d.md", n), b.String()
	},
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// project makes a tree of many files in one language.
func project(language string, files int) *memory {
	tree := map[string]string{"go.mod": "module example.com/m\n", "pkg/__init__.py": "", "p1000/a.go": "package p1000\n\ntype T struct{}\n\nfunc New(int) *T { return nil }\n"}
	for n := range files {
		p, content := synthetic[language](n)
		tree[p] = content
	}
	return repository(tree)
}

func BenchmarkExtract(b *testing.B) {
	builder := New(Options{})
	for _, language := range slices.Sorted(maps.Keys(synthetic)) {
		b.Run(language, func(b *testing.B) {
			_, content := synthetic[language](7)
			src := []byte(content)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := runExtractor(b.Context(), builder.extractors[language], language, src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBuild builds graphs of 100 files: "cold" from nothing but the sources
// outside the tree, "warm" with the facts of all blobs, as the second graph of a
// review is built.
func BenchmarkBuild(b *testing.B) {
	for _, language := range slices.Sorted(maps.Keys(synthetic)) {
		objects := project(language, 100)
		outside := New(Options{}).linkers // keep what they loaded from outside the tree
		build := func(b *testing.B, builder *Builder) {
			g, stats, err := builder.Build(b.Context(), objects, "tree")
			if err != nil || stats.LinkError != nil || len(g.Symbols) < 2000 {
				b.Fatalf("%d symbols, %v, %v", len(g.Symbols), err, stats.LinkError)
			}
		}
		b.Run(language+"/cold", func(b *testing.B) {
			build(b, New(Options{Link: outside}))
			b.ReportAllocs()
			for b.Loop() {
				build(b, New(Options{Link: outside}))
			}
		})
		b.Run(language+"/warm", func(b *testing.B) {
			builder := New(Options{Link: outside})
			build(b, builder)
			b.ReportAllocs()
			for b.Loop() {
				build(b, builder)
			}
		})
	}
}

func TestTheProjectsOfTheBenchmarksLink(t *testing.T) {
	for _, language := range slices.Sorted(maps.Keys(synthetic)) {
		g, stats, err := New(Options{}).Build(t.Context(), project(language, 3), "tree")
		if err != nil || stats.LinkError != nil {
			t.Fatal(language, err, stats.LinkError)
		}
		if len(g.Symbols) < 60 || language != "markdown" && len(g.Edges) < 100 {
			t.Errorf("%s: %d symbols and %d edges: the benchmark measures nothing", language, len(g.Symbols), len(g.Edges))
		}
		for _, c := range g.Counts {
			if c.Language == language && c.Unresolved > c.Compiler+c.Exact {
				t.Errorf("%s: most calls are not resolved: %+v", language, c)
			}
		}
	}
}
