package document

import (
	"context"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	extractor "github.com/previdence/previdence/graph/extract/document"
	"github.com/previdence/previdence/graph/link"
)

// A tree is file contents by path.
type tree map[string]string

func (t tree) Paths() []string {
	var out []string
	for p := range t {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

func (t tree) Read(_ context.Context, p string) ([]byte, error) {
	s, ok := t[p]
	if !ok {
		return nil, fmt.Errorf("read %s: %w", p, fs.ErrNotExist)
	}
	return []byte(s), nil
}

// symbols of code, as "kind Container.Name" by path; a name that begins with a
// dash is not exported.
type code map[string][]string

func (c code) symbols() []graph.Symbol {
	var paths []string
	for p := range c {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	var out []graph.Symbol
	for _, p := range paths {
		language := map[string]string{".go": "go", ".py": "python", ".ts": "typescript"}[p[strings.LastIndexByte(p, '.'):]]
		out = append(out, graph.Symbol{ID: graph.NewSymbolID(language, p, "", "", graph.KindModule, ""), Kind: graph.KindModule, Language: language, Path: p})
		for _, line := range c[p] {
			word, name, _ := strings.Cut(line, " ")
			kind, ok := graph.ParseKind(word)
			if !ok {
				panic(line)
			}
			name, private := strings.CutPrefix(name, "-")
			container := ""
			if i := strings.LastIndexByte(name, '.'); i >= 0 {
				container, name = name[:i], name[i+1:]
			}
			out = append(out, graph.Symbol{ID: graph.NewSymbolID(language, p, container, name, kind, ""), Name: name, Container: container,
				Kind: kind, Language: language, Path: p, Exported: !private, Test: strings.HasPrefix(name, "Test")})
		}
	}
	return out
}

// input puts code and documents together.
func input(t testing.TB, files tree, c code) link.Input {
	t.Helper()
	in := link.Input{Symbols: c.symbols(), Tree: files, Workers: 1}
	for _, p := range files.Paths() {
		if !strings.HasSuffix(p, ".md") {
			continue
		}
		r, err := extractor.New().Extract(t.Context(), extractor.Markdown, []byte(files[p]))
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, link.File{Path: p, Facts: r.Facts, Symbols: int32(len(in.Symbols))})
		for i, id := range r.Facts.IDs(p) {
			in.Symbols = append(in.Symbols, graph.Symbol{ID: id, Name: r.Facts.Symbols[i].Name, Kind: r.Facts.Symbols[i].Kind, Language: extractor.Markdown, Path: p})
		}
	}
	return in
}

func run(t testing.TB, files tree, c code) (edges, unresolved string) {
	t.Helper()
	in := input(t, files, c)
	out, err := New().Link(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	var e, u []string
	for _, x := range out.Edges {
		s := fmt.Sprintf("%s -> %s %s %s:%d", in.Symbols[x.From].ID, in.Symbols[x.To].ID, x.Kind, x.Tier, x.Lines[0])
		e = append(e, strings.NewReplacer("markdown:", "", "d.md#/module", "d").Replace(s))
	}
	for _, x := range out.Unresolved {
		u = append(u, fmt.Sprintf("%d %s in %q: %s %v", x.Line, x.Name, x.In, x.Reason, x.Broken))
	}
	return strings.Join(e, "\n"), strings.Join(u, "\n")
}

var shop = code{
	"pay/client.go":      {"struct Client", "method Client.Send", "method Client.sendAll", "function New", "function NewClient", "function -hidden"},
	"root.go":            {"struct Command", "method Command.AddCommand", "function Option", "constant Timeout"},
	"root_test.go":       {"function TestAll", "function HelperOfTests"},
	"src/shop/cart.py":   {"class Cart", "method Cart.add_item", "function checkout", "function run"},
	"src/shop/a.py":      {"function run", "class Other", "method Other.run"},
	"src/shop/b.py":      {"function run", "function price_of"},
	"lib/router.spec.ts": {"function TestRoute", "variable app", "function app.mountAll"},
	"lib/router.ts":      {"variable -local", "function local.mountLocally", "variable app", "function app.mountAll", "function route", "class Layer", "method Layer.handle", "function parse"},
}

func TestNames(t *testing.T) {
	tests := []struct{ claim, doc, edges, unresolved string }{
		{"a class qualifies its method", "`Client.Send`", "d -> go:pay/client.go#Client.Send/method reference import:1", ""},
		{"package and class", "`pay.Client.Send()`", "d -> go:pay/client.go#Client.Send/method reference import:1", ""},
		{"a package qualifies its function", "`pay.New`", "d -> go:pay/client.go#New/function reference import:1", ""},
		{"the package in the root has its module's name", "`shopper.Command`", "d -> go:root.go#Command/struct reference import:1", ""},
		{"the root's package is no folder", "`other.Command`", "", ""},
		{"a Python package passes names on", "`shop.Cart` `shop.cart.Cart`",
			"d -> python:src/shop/cart.py#Cart/class reference import:1\nd -> python:src/shop/cart.py#Cart/class reference import:1", ""},
		{"a script's module", "`router.route`", "d -> typescript:lib/router.ts#route/function reference import:1", ""},
		{"another package's function is not meant", "`http.New` `os.Option`", "", ""},
		{"an unlike class is not meant", "`Server.Send`", "", ""},
		{"names of several words stand alone", "`NewClient` `price_of` `add_item`",
			"d -> go:pay/client.go#NewClient/function reference name:1\nd -> python:src/shop/b.py#price_of/function reference name:1\nd -> python:src/shop/cart.py#Cart.add_item/method reference name:1", ""},
		{"a call stands alone", "`checkout()`", "d -> python:src/shop/cart.py#checkout/function reference name:1", ""},
		{"an ordinary word does not", "`checkout` `route` `handle` `Option` `Timeout`", "", ""},
		{"the only type of its name does", "`Command` `Cart`", "d -> go:root.go#Command/struct reference name:1\nd -> python:src/shop/cart.py#Cart/class reference name:1", ""},
		{"a short name does not", "`New()` `run()`", "", ""},
		{"what is not exported is not meant", "`hidden()`", "", ""},
		{"tests and what stands beside them are not meant", "`TestAll()` `HelperOfTests()`", "", ""},
		{"a constant cannot be called", "`Timeout()`", "", ""},
		{"too many of one name", "`shop.run`", "d -> python:src/shop/a.py#run/function reference import:1\nd -> python:src/shop/b.py#run/function reference import:1\nd -> python:src/shop/cart.py#run/function reference import:1", ""},
		{"a missing member of a known class", "`Client.Gone` `Cart.gone()`", "", "1 Gone in \"\": no such name false\n1 gone in \"\": no such name false"},
		{"a member that some other class has may be inherited", "`Client.handle`", "", ""},
		{"a missing member of an unknown class", "`Server.Gone` `x.y` `gone`", "", ""},
		{"a property of something exported", "`app.mountAll`", "d -> typescript:lib/router.ts#app.mountAll/function reference import:1", ""},
		{"a property of a local variable is not meant", "`local.mountLocally` `mountLocally`", "", ""},
		{"a file's or host's name lacks nothing", "`Client.pem` `pay.com`", "", ""},
		{"a file is no qualified name", "`Client.go` `pay.md`", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			files := tree{"d.md": tt.doc, "go.mod": "module example.com/shopper/v2\n"}
			for p := range shop {
				files[p] = ""
			}
			edges, unresolved := run(t, files, shop)
			if edges != tt.edges || unresolved != tt.unresolved {
				t.Errorf("edges\n%s\nunresolved\n%s", edges, unresolved)
			}
		})
	}
}

func TestCodeBlocks(t *testing.T) {
	tests := []struct{ claim, doc, want string }{
		{"a package's function", "```go\nc := pay.New(1)\n```", "d -> go:pay/client.go#New/function reference import:2"},
		{"a method on a variable, if it is the only one", "```go\nroot.AddCommand(x)\n```", "d -> go:root.go#Command.AddCommand/method reference name:2"},
		{"an ordinary method on a variable is not meant", "```go\nc.Send(x)\n```", ""},
		{"an ordinary function is not meant", "```python\ncheckout(x)\n```", ""},
		{"another language is not meant", "```python\nNewClient(x)\nroot.AddCommand(x)\n```", ""},
		{"the heading holds the reference", "# Use\n\n```python\nprice_of(x)\n```", "d.md#Use/heading -> python:src/shop/b.py#price_of/function reference name:4"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			if edges, _ := run(t, tree{"d.md": tt.doc}, shop); edges != tt.want {
				t.Errorf("got\n%s\nwant\n%s", edges, tt.want)
			}
		})
	}
}

func TestLinks(t *testing.T) {
	tests := []struct{ claim, doc, edges, unresolved string }{
		{"a link to code", "[x](../pay/client.go#L3)", "docs/d -> go:pay/client.go#/module import exact:1", ""},
		{"a link to a document", "[x](e.md)", "docs/d -> docs/e.md#/module import exact:1", ""},
		{"a page made from a document", "[x](e) [y](e.html)", "docs/d -> docs/e.md#/module import exact:1\ndocs/d -> docs/e.md#/module import exact:1", ""},
		{"a folder", "[x](sub) [y](../pay/)", "docs/d -> docs/sub/README.md#/module import exact:1", ""},
		{"a file without symbols", "[x](../LICENSE) ![i](i.png)", "", ""},
		{"a missing file is broken", "[x](gone.md) ![i](no.png)", "", "1 gone.md in \"docs/gone.md\": no such file true\n1 no.png in \"docs/no.png\": no such file true"},
		{"a missing page may be made elsewhere", "[x](gone) [y](gone.html) [z](v1.2)", "",
			"1 gone in \"docs/gone\": no such file false\n1 gone.html in \"docs/gone.html\": no such file false\n1 v1.2 in \"docs/v1.2\": no such file false"},
		{"a page of the site around the repository", "[x](../../issues) [y](../../wiki/x.md)", "", ""},
		{"a path from a root that may be a site's", "[x](/gone.md) [y](/pay/client.go)", "docs/d -> go:pay/client.go#/module import exact:1", ""},
		{"a path in text, from the root or from the document", "`pay/client.go:12` `e.md` `./sub/README.md`",
			"docs/d -> go:pay/client.go#/module reference exact:1\ndocs/d -> docs/e.md#/module reference exact:1\ndocs/d -> docs/sub/README.md#/module reference exact:1", ""},
		{"a path in text that leads nowhere is not broken", "`pay/gone.go` `gone.md` `d.md`", "", ""},
		{"a file of a submodule", "[x](../module/a.md)", "", ""},
		{"a link to itself is no edge", "[x](d.md#y)", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			files := tree{"docs/d.md": tt.doc, "docs/e.md": "", "docs/sub/README.md": "", "docs/i.png": "", "LICENSE": "", "pay/client.go": "", "module": ""}
			edges, unresolved := run(t, files, shop)
			if edges != tt.edges || unresolved != tt.unresolved {
				t.Errorf("edges\n%s\nunresolved\n%s", edges, unresolved)
			}
		})
	}
}

func TestHistoriesMentionNothing(t *testing.T) {
	for name, want := range map[string]int{"CHANGELOG.md": 1, "changelogs/CHANGELOG-3.0.md": 1, "docs/HISTORY.md": 1, "historyless.md": 2, "newsroom.md": 2} {
		edges, _ := run(t, tree{name: "`Client.Send` [x](/pay/client.go)", "pay/client.go": ""}, shop)
		if got := strings.Count(edges, "->"); got != want {
			t.Errorf("%s: %d edges, want %d", name, got, want)
		}
	}
}

func TestManyOfOneNameGiveNothing(t *testing.T) {
	c := code{}
	for i := range MaxTargets + 1 {
		c[fmt.Sprintf("p%d/x.go", i)] = []string{"struct Client", "method Client.SendAll"}
	}
	if edges, unresolved := run(t, tree{"d.md": "`Client.SendAll` `SendAll` `Client`"}, c); edges != "" || unresolved != "" {
		t.Errorf("edges\n%s\nunresolved\n%s", edges, unresolved)
	}
	delete(c, "p0/x.go")
	if edges, _ := run(t, tree{"d.md": "`SendAll`"}, c); strings.Count(edges, "SendAll") != MaxTargets {
		t.Errorf("exactly the limit is kept, got\n%s", edges)
	}
}

func TestSameInputSameOutput(t *testing.T) {
	files := tree{"a.md": "`Client.Send` [x](b.md) `Client.Gone`", "b.md": "# H\n`pay.New` [y](gone.md)", "go.mod": "module m"}
	in := input(t, files, shop)
	first, err := New().Link(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	in.Workers = 8
	for range 5 {
		again, err := New().Link(t.Context(), in)
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Fatalf("%v: %+v, then %+v", err, first, again)
		}
	}
}

func TestCancelledLinkHasNoOutput(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := New().Link(ctx, input(t, tree{"a.md": "`Client.Send`"}, shop)); err == nil || out.Edges != nil {
		t.Errorf("got %+v, %v", out, err)
	}
}

func FuzzLink(f *testing.F) {
	f.Add("`Client.Send` [a](../x.md) ![b](/..)\n```go\npay.New()\n```\n")
	f.Add("[a](.) [b](./) [c](..) [d](%2e%2e/x) `a.b.c.d()`")
	f.Fuzz(func(t *testing.T, doc string) {
		in := input(t, tree{"a/d.md": doc, "a/e.md": "", "go.mod": doc}, shop)
		out, err := New().Link(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		n := int32(len(in.Symbols))
		for _, e := range out.Edges {
			if e.From < 0 || e.From >= n || e.To < 0 || e.To >= n || e.Kind.String() == "" || e.Tier.String() == "" || len(e.Lines) != 1 {
				t.Fatalf("edge %+v", e)
			}
		}
		for _, u := range out.Unresolved {
			if u.From < 0 || u.From >= n || u.Line < 1 || u.Name == "" || u.Reason == "" || u.Broken && u.Kind != graph.EdgeImport {
				t.Fatalf("unresolved %+v", u)
			}
		}
	})
}
