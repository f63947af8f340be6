package document

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/previdence/previdence/graph"
)

func facts(t testing.TB, src string) *graph.Facts {
	t.Helper()
	r, err := New().Extract(t.Context(), Markdown, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return r.Facts
}

func TestHeadings(t *testing.T) {
	const doc = "intro\n\n# A *b* `c`\n\ntext\n\n## B\n\nmore\n\n### C ##\n\n## B\n\nSet\next\n===\n\n> # quoted\n"
	f := facts(t, doc)
	want := []string{
		"markdown:d.md#/module 1-19 parent -1",
		"markdown:d.md#A b c/heading 3-14 parent 0",
		"markdown:d.md#A b c.B/heading 7-12 parent 1",
		"markdown:d.md#A b c.B.C/heading 11-12 parent 2",
		"markdown:d.md#A b c.B/heading~2 13-14 parent 1",
		"markdown:d.md#Set ext/heading 15-19 parent 0",
	}
	ids := f.IDs("d.md")
	for i, s := range f.Symbols {
		got := fmt.Sprintf("%s %d-%d parent %d", ids[i], s.Line, s.EndLine, s.Parent)
		if i >= len(want) || got != want[i] {
			t.Errorf("symbol %d: got %q", i, got)
		}
	}
	if len(f.Symbols) != len(want) {
		t.Errorf("%d symbols, want %d", len(f.Symbols), len(want))
	}
}

func TestFrontMatterIsNoHeading(t *testing.T) {
	for _, fence := range []string{"---", "+++"} {
		f := facts(t, fence+"\ntitle: `Client.Send`\n"+fence+"\n\n# Real\n")
		if len(f.Symbols) != 2 || f.Symbols[1].Name != "Real" || f.Symbols[1].Line != 5 || len(f.Refs) != 0 {
			t.Errorf("%s: symbols %+v, refs %+v", fence, f.Symbols, f.Refs)
		}
	}
	if f := facts(t, "---\nnever closed\n"); len(f.Symbols) != 1 {
		t.Errorf("a rule at the start opens no front matter: %+v", f.Symbols)
	}
}

// written writes a reference as "line:a.b()" with the fence's scope if it has one.
func written(f *graph.Facts, r graph.Ref) string {
	s := ""
	for e := r.Expr; e != graph.None; e = f.Exprs[e].Base {
		s = strings.TrimSuffix(f.Exprs[e].Name+"."+s, ".")
	}
	if r.Args != graph.None {
		s += "()"
	}
	if scope := f.Exprs[r.Expr].Scope; scope != 0 {
		s += fmt.Sprint("@", strings.Split(f.Notes[NoteFences], ",")[scope])
	}
	return fmt.Sprintf("%d:%s", r.Line, s)
}

func TestReferences(t *testing.T) {
	tests := []struct{ claim, doc, want string }{
		{"a code span is a reference", "Use `Client.Send` here.", "1:Client.Send"},
		{"its line is that of the span", "a\nb `x_y`\nc `z_y`", "2:x_y 3:z_y"},
		{"a call keeps its form, not its arguments", "`send(a, b=1)`", "1:send()"},
		{"a method of a pointer", "`(*Client).Send`", "1:Client.Send"},
		{"other separators", "`Client#send` `a::b` `p->q`", "1:Client.send 1:a.b 1:p.q"},
		{"decorators and type arguments", "`@app.route(\"/\")` `List[int]` `Map<K, V>`", "1:app.route() 1:List 1:Map"},
		{"flags, paths, commands and values are none", "`--flag` `-x` `a/b.go` `go test` `A=1` `*.md` `` ` `` `12` `a.` `.a` `$` `{x}`", "1:$"},
		{"in tables, lists, quotes and bold text", "| `aa` |\n|--|\n| `bb` |\n\n- `cc`\n> `dd`\n\n**`ee`**", "1:aa 3:bb 5:cc 6:dd 8:ee"},
		{"in link text", "[`Send`](http://x)", "1:Send"},
		{"not in HTML", "<code>`no`</code>\n\n<div>\n`no`\n</div>", "1:no"},
		{"not in indented code", "    `no`\n", ""},
		{"calls in a block of code", "```go\nc := pay.New(x)\nc.Send(1)\n// pay.No()\n```", "2:pay.New()@go 3:c.Send()@go"},
		{"definitions in it are none", "```python\ndef f(a):\nclass C(B):\n    x = g(h(a))\n```", "4:g()@python 4:h()@python"},
		{"a Go method is a definition too", "```go\nfunc (c *Client) Send(x int) {\n```", ""},
		{"text of strings is none", "```js\nf('g(1)', \"h(2)\")\n```", "2:f()@ecmascript"},
		{"a chain is read from its start", "```js\nz.string().min(5)\n```", "2:z.string()@ecmascript"},
		{"shells and data hold no calls", "```sh\nf(1)\n```\n\n```json\nf(1)\n```\n\n```\nf(1)\n```", ""},
		{"a call as an argument", "```go\nf( g(1))\n```", "2:f()@go 2:g()@go"},
		{"blocks in lists", "- a\n\n  ```py\n  pay(1)\n  ```\n", "4:pay()@python"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			f := facts(t, tt.doc)
			var got []string
			for _, r := range f.Refs {
				got = append(got, written(f, r))
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %q, want %q", s, tt.want)
			}
		})
	}
}

func TestReferencesBelongToTheirHeading(t *testing.T) {
	f := facts(t, "`before`\n\n# A\n\n`ina`\n\n## B `inb`\n\n[x](y.md)\n")
	var got []string
	for _, r := range f.Refs {
		got = append(got, fmt.Sprint(r.Name, r.From))
	}
	if s := strings.Join(got, " "); s != "before0 ina1 inb2" {
		t.Errorf("got %q", s)
	}
	if len(f.Imports) != 1 || f.Imports[0].From != 2 || f.Imports[0].Line != 9 {
		t.Errorf("imports %+v", f.Imports)
	}
}

func TestLinks(t *testing.T) {
	tests := []struct{ claim, doc, want string }{
		{"relative links", "[a](docs/x.md) [b](../y) [c](./z.md#part) [d](z.md?raw=1)", "docs/x.md ../y ./z.md z.md"},
		{"images and references", "![i](img/a.png)\n[t][r]\n\n[r]: r.md\n", "img/a.png r.md"},
		{"escapes are read", "[a](my%20file.md) [b](<an other.md>)", "my file.md an other.md"},
		{"a path from the root", "[a](/x.md)", "/x.md"},
		{"other places are none", "[a](https://x/y) [b](mailto:a@b) [c](//h/x) [d](#part) [e]() <https://x>", ""},
		{"templates are none", "[a]({{ url }}) [b](${x}/y.md)", ""},
		{"an undefined reference is text", "[a][b]", ""},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			var got []string
			for _, im := range facts(t, tt.doc).Imports {
				if !im.Guarded {
					got = append(got, im.Module)
				}
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %q, want %q", s, tt.want)
			}
		})
	}
}

func TestPaths(t *testing.T) {
	f := facts(t, "`cmd/root.go` `./a/b.py:12` `x.ts:3-9` `../up.md` `pkg.Func` `/etc/x.conf` `~/x.y` `--x.y` `a b.c` `dir/` `dir/name` `.env` `a/*.go` `http://x/y.z` `v1.2`")
	var got []string
	for _, im := range f.Imports {
		if !im.Guarded {
			t.Errorf("%q is not marked as guarded", im.Module)
		}
		got = append(got, im.Module)
	}
	if s := strings.Join(got, " "); s != "cmd/root.go ./a/b.py x.ts ../up.md pkg.Func v1.2" {
		t.Errorf("got %q", s)
	}
}

func TestDigests(t *testing.T) {
	base := facts(t, "# A\n\none two\n\n## B\n\nthree\n")
	wrapped := facts(t, "# A\n\none\ntwo\n\n\n## B\n\nthree\n")
	inner := facts(t, "# A\n\none two\n\n## B\n\nfour\n")
	if base.Symbols[1].Digests.Body != wrapped.Symbols[1].Digests.Body {
		t.Error("wrapping a paragraph changes the body")
	}
	if base.Symbols[1].Digests.Raw == wrapped.Symbols[1].Digests.Raw {
		t.Error("wrapping a paragraph does not show in the bytes")
	}
	if base.Symbols[1].Digests != inner.Symbols[1].Digests {
		t.Error("a changed subsection changes the section around it")
	}
	if base.Symbols[2].Digests.Body == inner.Symbols[2].Digests.Body {
		t.Error("a changed text does not change the body")
	}
}

func TestHostileDocumentsAreGaps(t *testing.T) {
	tests := []struct{ claim, doc string }{
		{"too large", strings.Repeat("a\n", MaxSize)},
		{"quotes in quotes", strings.Repeat(">", MaxNesting+1)},
		{"lists in lists", strings.Repeat("- ", MaxNesting+1) + "a"},
		{"indented lists", strings.Repeat(" ", 2*MaxNesting+2) + "- a"},
		{"brackets", strings.Repeat("[a](", MaxBrackets)},
		{"brackets in a quote", strings.Repeat("> [a](\n", MaxBrackets)},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			f := facts(t, tt.doc)
			if len(f.Gaps) != 1 || f.Gaps[0].Start != 1 || f.Gaps[0].End != int(f.Lines) || len(f.Symbols) != 1 {
				t.Errorf("gaps %v, %d symbols", f.Gaps, len(f.Symbols))
			}
		})
	}
	for _, doc := range []string{strings.Repeat("-", 500), strings.Repeat("- [a](b)\n", MaxBrackets), strings.Repeat(" ", 500) + "a"} {
		if f := facts(t, doc); len(f.Gaps) != 0 {
			t.Errorf("%.20q is a gap", doc)
		}
	}
}

func TestTheWorstAllowedParagraphIsBounded(t *testing.T) {
	paragraph := strings.Repeat("[a](", MaxBrackets/2-1) + "\n\n"
	start := time.Now()
	if f := facts(t, strings.Repeat(paragraph, 5)); len(f.Gaps) != 0 {
		t.Fatal("it is allowed, but a gap")
	}
	// A tenth of a second on a slow machine; without the limit it would be minutes.
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v", d)
	}
}

func FuzzExtract(f *testing.F) {
	f.Add([]byte("# A\n\n`a.b()` [x](y.md)\n\n```go\nf(x)\n```\n"))
	f.Add([]byte("---\na: b\n---\nSet\n===\n> - `x`\n"))
	f.Add([]byte("\xff# \x00`\xff`\r\n[a]: <b c>\n[a]"))
	f.Fuzz(func(t *testing.T, src []byte) {
		got := facts(t, string(src))
		check(t, got, len(src))
		if again := facts(t, string(src)); !reflect.DeepEqual(got, again) {
			t.Error("the same bytes give other facts")
		}
	})
}

// check holds what every consumer of facts relies on.
func check(t *testing.T, f *graph.Facts, size int) {
	t.Helper()
	seen := map[graph.SymbolID]bool{}
	for i, id := range f.IDs("d.md") {
		s := f.Symbols[i]
		if seen[id] {
			t.Fatalf("ID %q twice", id)
		}
		seen[id] = true
		if s.Start < 0 || s.End < s.Start || int(s.End) > size || s.NameAt < s.Start && i > 0 || s.Line < 1 || s.EndLine < s.Line || s.EndLine > f.Lines {
			t.Fatalf("symbol %+v outside the file of %d bytes, %d lines", s, size, f.Lines)
		}
		if s.Parent >= int32(i) {
			t.Fatalf("symbol %d has parent %d", i, s.Parent)
		}
	}
	for _, r := range f.Refs {
		if r.From < 0 || int(r.From) >= len(f.Symbols) || r.Line < 1 || r.Line > f.Lines || int(r.Expr) >= len(f.Exprs) || r.Name == "" {
			t.Fatalf("reference %+v", r)
		}
	}
	for i, e := range f.Exprs {
		if e.Base >= int32(i) || e.Start < 0 || e.End < e.Start || int(e.End) > size || int(e.Scope) >= len(f.Scopes) {
			t.Fatalf("expression %d %+v", i, e)
		}
	}
	for _, im := range f.Imports {
		if im.Module == "" || int(im.From) >= len(f.Symbols) || im.Line < 1 || im.Line > f.Lines {
			t.Fatalf("import %+v", im)
		}
	}
}
