package treesitter_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

var js = treesitter.NewLanguage(javascript.Language())

func parse(t testing.TB, src string) *treesitter.Tree {
	t.Helper()
	tree, err := treesitter.Parse(context.Background(), js, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestFieldsAndText(t *testing.T) {
	tree := parse(t, "// c\nfunction add(a, b) {\n  return a + b\n}\n")
	f := tree.Child(tree.Root(), "function_declaration")
	if got := tree.Text(tree.Field(f, "name")); got != "add" {
		t.Errorf("name = %q, want add", got)
	}
	if tree.Line(f) != 2 || tree.EndLine(f) != 4 || tree.Lines() != 4 {
		t.Errorf("lines %d to %d of %d, want 2 to 4 of 4", tree.Line(f), tree.EndLine(f), tree.Lines())
	}
	var params []string
	for c := range tree.NamedChildren(tree.Field(f, "parameters")) {
		params = append(params, tree.Text(c))
	}
	if !slices.Equal(params, []string{"a", "b"}) {
		t.Errorf("parameters = %q", params)
	}
	if tree.Field(f, "nothing") != treesitter.None || tree.Kind(treesitter.None) != "" {
		t.Error("an absent field must be None, and None has no kind")
	}
	if tree.Gaps() != nil {
		t.Errorf("gaps = %v, want none", tree.Gaps())
	}
}

func TestGaps(t *testing.T) {
	tests := []struct {
		name string
		src  string
		want []graph.Span
	}{
		{"an error is a gap", "f()\nlet = = ;\ng()\n", []graph.Span{{Start: 2, End: 2}}},
		{"an invented token is a gap", "f(\n", []graph.Span{{Start: 1, End: 1}}},
		{"empty source has none", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := parse(t, tt.src).Gaps()
			if len(got) != len(tt.want) || (len(got) > 0 && got[0].Start != tt.want[0].Start) {
				t.Errorf("gaps = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestDeepNestingIsCutAndListed(t *testing.T) {
	n := 50_000
	tree := parse(t, "f("+strings.Repeat("[", n)+strings.Repeat("]", n)+")\ng()\n")
	if got := tree.Gaps(); len(got) != 1 || got[0] != (graph.Span{Start: 1, End: 1}) {
		t.Errorf("gaps = %v, want line 1", got)
	}
	depth := 0
	for i := treesitter.Node(0); int(i) < tree.Len(); i++ {
		d := 0
		for p := tree.Parent(i); p >= 0; p = tree.Parent(p) {
			d++
		}
		depth = max(depth, d)
	}
	if depth > treesitter.MaxDepth {
		t.Errorf("depth %d, want at most %d", depth, treesitter.MaxDepth)
	}
}

func TestBudget(t *testing.T) {
	_, err := treesitter.Parse(context.Background(), js, make([]byte, treesitter.MaxBytes+1))
	if !errors.Is(err, treesitter.ErrBudget) {
		t.Errorf("err = %v, want ErrBudget", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := treesitter.Parse(ctx, js, []byte("f()")); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}

func TestDigestsIgnoreWhatIsSkipped(t *testing.T) {
	sum := func(src string) graph.Digest {
		tree := parse(t, src)
		var d treesitter.Digester
		tree.Tokens(&d, tree.Root(), func(n treesitter.Node) bool { return tree.Kind(n) == "comment" })
		return d.Sum()
	}
	if sum("f( a )// x\n") != sum("f(a)") {
		t.Error("white space and comments changed the digest")
	}
	if sum("f(a)") == sum("f(b)") || sum("ab") == sum("a\nb") {
		t.Error("other tokens gave the same digest")
	}
	if sum("") != (graph.Digest{}) {
		t.Error("nothing must give the zero digest")
	}
}

func TestParsersAreShared(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				tree := parse(t, "let x = [1, 2, 3]")
				if tree.Gaps() != nil || tree.Len() < 8 {
					t.Errorf("%d nodes, gaps %v", tree.Len(), tree.Gaps())
				}
			}
		})
	}
	wg.Wait()
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "f(", "class A { #x = 1 }", "`${a}`", "\x00\xff", "a\r\nb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		tree := parse(t, src)
		for i := treesitter.Node(0); int(i) < tree.Len(); i++ {
			if tree.Start(i) > tree.End(i) || int(tree.End(i)) > len(src) || tree.Line(i) > tree.EndLine(i) {
				t.Fatalf("node %d: bytes %d to %d, lines %d to %d", i, tree.Start(i), tree.End(i), tree.Line(i), tree.EndLine(i))
			}
			if p := tree.Parent(i); p >= i || p >= 0 && tree.After(i) > tree.After(p) {
				t.Fatalf("node %d does not lie in its parent %d", i, p)
			}
		}
		for _, g := range tree.Gaps() {
			if g.Start < 1 || g.End < g.Start {
				t.Fatalf("gap %v", g)
			}
		}
	})
}
