package golang_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/golang"
)

func extractFacts(t *testing.T, src string) *graph.Facts {
	t.Helper()
	r, err := golang.New().Extract(context.Background(), golang.Language, []byte(src))
	if err != nil {
		t.Fatalf("Extract: %v", err)
	}
	return r.Facts
}

// find returns the symbol with this qualified name.
func find(t *testing.T, f *graph.Facts, name string) graph.SymbolFact {
	t.Helper()
	for i := range f.Symbols[1:] {
		s := f.Symbols[1+i]
		q := s.Name
		if c := f.Containers(int32(1 + i)); c != "" {
			q = c + "." + q
		}
		if q == name {
			return s
		}
	}
	t.Fatalf("no symbol %s", name)
	return graph.SymbolFact{}
}

const sample = `// Copyright.

//go:build linux && !cgo

// Package pay takes money.
package pay

import (
	"fmt"
	str "strings"
	. "os"
	_ "embed"
)

// Limit is the most.
const Limit = 10 // cents

// Client sends.
type Client[T any] struct {
	*Base
	// Name is shown.
	Name, Alias string ` + "`json:\"name\"`" + `
	hook func(int) error
}

type Sender interface {
	fmt.Stringer
	Send(to string, parts ...int) (n int, err error)
}

type Amount = int64

// Send does it.
func (c *Client[T]) Send(to string, parts ...int) (n int, err error) { return len(parts), nil }

func free(
	a int, // first
	b map[string][]int,
) {
}

var first, second = 1, str.ToUpper("x")
`

func TestExtractReadsDeclarations(t *testing.T) {
	f := extractFacts(t, sample)
	if f.Package != "pay" || f.Generated || f.Notes[golang.NoteBuild] != "linux && !cgo" || len(f.Gaps) != 0 {
		t.Errorf("file: package %q, generated %v, notes %v, gaps %v", f.Package, f.Generated, f.Notes, f.Gaps)
	}
	for _, c := range []struct {
		name      string
		kind      graph.Kind
		line      int32
		exported  bool
		signature string
	}{
		{"Limit", graph.KindConstant, 16, true, "const Limit"},
		{"Client", graph.KindStruct, 19, true, "type Client[T any] struct"},
		{"Client.Base", graph.KindField, 20, true, "*Base"},
		{"Client.Name", graph.KindField, 22, true, "Name string"},
		{"Client.Alias", graph.KindField, 22, true, "Alias string"},
		{"Client.hook", graph.KindField, 23, false, "hook func(int) error"},
		{"Sender", graph.KindInterface, 26, true, "type Sender interface"},
		{"Sender.Send", graph.KindMethod, 28, true, "Send(to string, parts ...int) (n int, err error)"},
		{"Amount", graph.KindType, 31, true, "type Amount = int64"},
		{"Client.Send", graph.KindMethod, 34, true, "func (c *Client[T]) Send(to string, parts ...int) (n int, err error)"},
		{"free", graph.KindFunction, 36, false, "func free(a int, b map[string][]int)"},
		{"first", graph.KindVariable, 42, false, "var first"},
	} {
		s := find(t, f, c.name)
		if s.Kind != c.kind || s.Line != c.line || s.Exported != c.exported || s.Signature != c.signature {
			t.Errorf("%s: %v line %d exported %v %q, want %v line %d exported %v %q",
				c.name, s.Kind, s.Line, s.Exported, s.Signature, c.kind, c.line, c.exported, c.signature)
		}
		if got := sample[s.NameAt:][:len(s.Name)]; got != s.Name {
			t.Errorf("%s: name found at %q", c.name, got)
		}
	}
	if s := find(t, f, "Client.Send"); s.Container != "Client" || s.Parent != graph.None {
		t.Errorf("a method belongs to its receiver by name, not by place: %+v", s)
	}
	if s := find(t, f, "Sender.Send"); s.Flags&graph.FlagAbstract == 0 || !strings.HasPrefix(sample[s.Start:], "Send(") {
		t.Errorf("an interface method is abstract and starts at its name: %+v", s)
	}
	if s := find(t, f, "Client.Name"); !strings.HasPrefix(sample[s.Start:], "// Name is shown.") {
		t.Errorf("the doc comment belongs to the definition, got %.20q", sample[s.Start:])
	}
}

func TestExtractReadsParameters(t *testing.T) {
	s := find(t, extractFacts(t, sample), "Client.Send")
	want := []graph.Param{
		{Name: "c", Kind: graph.ParamReceiver, TypeText: "*Client[T]", Type: graph.None},
		{Name: "to", Kind: graph.ParamPositional, TypeText: "string", Type: graph.None},
		{Name: "parts", Kind: graph.ParamVariadic, Optional: true, TypeText: "...int", Type: graph.None},
	}
	if !slices.Equal(s.Params, want) || s.ResultText != "(n int, err error)" {
		t.Errorf("params %+v result %q", s.Params, s.ResultText)
	}
}

func TestExtractReadsImports(t *testing.T) {
	want := []graph.Import{
		{Module: "fmt", Line: 9}, {Module: "strings", Alias: "str", Line: 10},
		{Module: "os", Name: "*", Line: 11}, {Module: "embed", Alias: "_", Line: 12},
	}
	if got := extractFacts(t, sample).Imports; !slices.Equal(got, want) {
		t.Errorf("imports %+v", got)
	}
}

func TestTestsAreRecognisedByTheGoCommandsRule(t *testing.T) {
	const src = `package p
import tt "testing"
func TestIt(t *tt.T) {}
func Test(t *tt.T) {}
func Testify(t *tt.T) {}
func TestNone() {}
func TestTwo(t *tt.T, x int) {}
func TestB(b *tt.B) {}
func TestResult(t *tt.T) int { return 0 }
func TestOther(t *other.T) {}
func (s S) TestMethod(t *tt.T) {}
func BenchmarkIt(b *tt.B) {}
func FuzzIt(f *tt.F) {}
func Example() {
	It()
	// Output: 1
}
func ExampleIt_more() {
	// prints in any order
	It()

	// unordered output:
	// 1
}
func ExampleIt_silent() {
	// Output: nothing, since this is not the last comment
	It()
	// done
}
func ExampleIt_shown() { It() }
func Examples() {
	// Output:
}
func ExampleArg(x int) {}
func TestMain(m *tt.M) {}
`
	want := map[string]bool{"TestIt": true, "Test": true, "BenchmarkIt": true, "FuzzIt": true, "Example": true, "ExampleIt_more": true, "TestMain": true}
	f := extractFacts(t, src)
	for _, s := range f.Symbols[1:] {
		is := s.Test == graph.TestByPath && s.Framework == "go"
		if is != want[s.Name] {
			t.Errorf("%s: test %v, want %v", s.Name, is, want[s.Name])
		}
	}
}

// TestDigests changes one thing and says which digests may notice.
func TestDigests(t *testing.T) {
	for _, c := range []struct {
		claim, symbol, before, after string
		signature, body, attr, doc   bool // changed
	}{
		{claim: "layout changes nothing", symbol: "F", before: "func F(a int) int { return a }", after: "func F(\n\ta int,\n) int {\n\treturn a\n}"},
		{claim: "CRLF changes nothing", symbol: "F", before: "func F() string {\n\treturn `a\nb`\n}", after: "func F() string {\r\n\treturn `a\r\nb`\r\n}"},
		{claim: "a comment in the body is documentation", symbol: "F", before: "func F() { g() }", after: "func F() { /* why */ g() }", doc: true},
		{claim: "a call is the body", symbol: "F", before: "func F() { g() }", after: "func F() { h() }", body: true},
		{claim: "the end of a raw string counts", symbol: "F", before: "func F() { g(`a\r\nb`) }", after: "func F() { g(`a\r\nc`) }", body: true},
		{claim: "a parameter type is the signature", symbol: "F", before: "func F(a int) {}", after: "func F(a int64) {}", signature: true},
		{claim: "a receiver is the signature", symbol: "T.F", before: "func (t T) F() {}", after: "func (t *T) F() {}", signature: true},
		{claim: "a type parameter is the signature", symbol: "F", before: "func F[A any](a A) {}", after: "func F[A ~int](a A) {}", signature: true},
		{claim: "a directive is an attribute", symbol: "F", before: "func F() {}", after: "//go:noinline\nfunc F() {}", attr: true},
		{claim: "an embed pattern is an attribute", symbol: "v", before: "//go:embed a.txt\nvar v string", after: "//go:embed b.txt\nvar v string", attr: true},
		{claim: "a struct tag is an attribute", symbol: "S.A", before: "type S struct { A int `json:\"a\"` }", after: "type S struct { A int `json:\"b\"` }", attr: true},
		{claim: "a field does not change its struct", symbol: "S", before: "type S struct { A int }", after: "type S struct { A, B int64 }"},
		{claim: "an embedded type is the signature of its struct", symbol: "S", before: "type S struct { A int }", after: "type S struct { A int; T }", signature: true},
		{claim: "a method does not change its interface", symbol: "I", before: "type I interface { A() }", after: "type I interface { A(); B() }"},
		{claim: "a constant's value is its body", symbol: "c", before: "const c = 1", after: "const c = 2", body: true},
		{claim: "a constant inserted above changes those that count", symbol: "c", before: "const ( a = iota; c )", after: "const ( a = iota; b; c )", body: true},
		{claim: "a constant inserted above leaves those that do not count", symbol: "c", before: "const ( a = 1; c = 2 )", after: "const ( a = 1; b = 1; c = 2 )"},
		{claim: "a repeated expression belongs to those that repeat it", symbol: "c", before: "const ( a = 1 << 1; c )", after: "const ( a = 1 << 2; c )", body: true},
		{claim: "a neighbour's value is not mine", symbol: "x", before: "var x, y = 1, 2", after: "var x, y = 1, 3"},
		{claim: "a defined type's form is its body", symbol: "N", before: "type N []int", after: "type N []string", body: true},
		{claim: "an alias is not a definition", symbol: "N", before: "type N int", after: "type N = int", signature: true},
	} {
		t.Run(c.claim, func(t *testing.T) {
			a := find(t, extractFacts(t, "package p\n\n"+c.before+"\n"), c.symbol).Digests
			b := find(t, extractFacts(t, "package p\n\n"+c.after+"\n"), c.symbol).Digests
			for _, d := range []struct {
				name string
				got  bool
				want bool
			}{
				{"signature", a.Signature != b.Signature, c.signature}, {"body", a.Body != b.Body, c.body},
				{"attributes", a.Attributes != b.Attributes, c.attr}, {"doc", a.Doc != b.Doc, c.doc},
			} {
				if d.got != d.want {
					t.Errorf("%s changed: %v, want %v", d.name, d.got, d.want)
				}
			}
		})
	}
}

func TestModuleDigests(t *testing.T) {
	module := func(src string) graph.Digests { return extractFacts(t, src).Symbols[0].Digests }
	const plain = "package p\n\nimport \"fmt\"\n\nfunc F() { fmt.Println() }\n"
	base := module(plain)
	for claim, c := range map[string]struct {
		src              string
		body, attr, docs bool
	}{
		"a function does not change its file":  {src: "package p\n\nimport \"fmt\"\n\nfunc F() { fmt.Print(1) }\n"},
		"an import changes the file":           {src: "package p\n\nimport \"log\"\n\nfunc F() { fmt.Println() }\n", body: true},
		"a build constraint is an attribute":   {src: "//go:build linux\n\n" + plain, attr: true},
		"the package comment is documentation": {src: "// Package p is.\n" + plain, docs: true},
		"the package clause is the body":       {src: "package q\n\nimport \"fmt\"\n\nfunc F() { fmt.Println() }\n", body: true},
	} {
		d := module(c.src)
		if (d.Body != base.Body) != c.body || (d.Attributes != base.Attributes) != c.attr || (d.Doc != base.Doc) != c.docs {
			t.Errorf("%s: body %v attributes %v doc %v", claim, d.Body != base.Body, d.Attributes != base.Attributes, d.Doc != base.Doc)
		}
	}
	c1 := module("package p\n\n// int f(void) { return 1; }\nimport \"C\"\n")
	c2 := module("package p\n\n// int f(void) { return 2; }\nimport \"C\"\n")
	if c1.Body == c2.Body || c1.Doc != c2.Doc {
		t.Error("the C code above import \"C\" is code, not documentation")
	}
}

func TestNotes(t *testing.T) {
	f := extractFacts(t, "// Code generated by x. DO NOT EDIT.\n\n// +build linux darwin\n// +build amd64\n\npackage p\n\nimport \"C\"\n")
	if !f.Generated || f.Notes[golang.NoteBuild] != "(linux || darwin) && amd64" || f.Notes[golang.NoteCgo] != "true" {
		t.Errorf("generated %v notes %v", f.Generated, f.Notes)
	}
}

func TestRepeatedNamesAreToldApart(t *testing.T) {
	ids := extractFacts(t, "package p\nfunc init() {}\nfunc init() {}\nvar _ = 1\nvar _ = 2\n").IDs("a/p.go")
	want := []graph.SymbolID{
		"go:a/p.go#/module", "go:a/p.go#init/function", "go:a/p.go#init/function~2",
		"go:a/p.go#_/variable", "go:a/p.go#_/variable~2",
	}
	if !slices.Equal(ids, want) {
		t.Errorf("got %q", ids)
	}
}

func TestBrokenSourceKeepsTheRestAndListsGaps(t *testing.T) {
	f := extractFacts(t, "package p\n\nfunc A() { x := }\n\nfunc B() {}\n")
	find(t, f, "A")
	find(t, f, "B")
	if !slices.Equal(f.Gaps, []graph.Span{{Start: 3, End: 3}}) {
		t.Errorf("gaps %v", f.Gaps)
	}
	f = extractFacts(t, "not go\nat all\n")
	if len(f.Symbols) != 1 || f.Package != "" || len(f.Gaps) != 1 || f.Gaps[0].Start != 1 {
		t.Errorf("no package clause: %d symbols, package %q, gaps %v", len(f.Symbols), f.Package, f.Gaps)
	}
}

func TestLineCommentsDoNotMoveLines(t *testing.T) {
	f := extractFacts(t, "package p\n\n//line other.y:100\nfunc A() {}\nfunc B( {}\n")
	if s := find(t, f, "A"); s.Line != 4 {
		t.Errorf("A stands on line 4, got %d", s.Line)
	}
	if len(f.Gaps) == 0 || f.Gaps[0].Start != 5 {
		t.Errorf("gaps %v", f.Gaps)
	}
}

func TestSyntaxIsTakenOnce(t *testing.T) {
	r, err := golang.New().Extract(context.Background(), golang.Language, []byte("package p"))
	if err != nil {
		t.Fatal(err)
	}
	s := r.Syntax.(*golang.Syntax)
	if _, _, ok := s.Take(); !ok {
		t.Error("the first owner gets the tree")
	}
	if _, _, ok := s.Take(); ok {
		t.Error("the second owner must parse again")
	}
}

// FuzzExtract holds for any bytes: no panic, spans inside the file, parents
// before children, names where they are said to be, unique IDs, same again.
func FuzzExtract(f *testing.F) {
	for _, s := range []string{
		sample, "", "package", "package p;var", "package p\ntype T struct{A", "package p\nfunc (",
		"package p\nconst (a=iota;b;c", "\xef\xbb\xbfpackage p\n", "package p\x00", "package p\n/*line x:9*/func f(){`",
		"package p\nfunc (t *T[A,B]) m()\ntype I interface{~int|string;m();J[int]}", "package p\nimport \"C\"\n//go:build", "package p\ntype _ struct{*a.B[c];d}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		facts := extractFacts(t, src)
		again := extractFacts(t, src)
		seen := map[graph.SymbolID]bool{}
		for i, id := range facts.IDs("p.go") {
			if seen[id] {
				t.Fatalf("%q twice", id)
			}
			seen[id] = true
			s := &facts.Symbols[i]
			if s.Start < 0 || s.End < s.Start || int(s.End) > len(src) || s.Line < 1 || s.EndLine < s.Line && i > 0 {
				t.Fatalf("%q: bytes %d-%d of %d, lines %d-%d", id, s.Start, s.End, len(src), s.Line, s.EndLine)
			}
			if s.Parent >= int32(i) && i > 0 {
				t.Fatalf("%q: parent %d of symbol %d", id, s.Parent, i)
			}
			if s.Digests != again.Symbols[i].Digests {
				t.Fatalf("%q: digests differ between two runs", id)
			}
		}
		for _, g := range facts.Gaps {
			if g.Start < 1 || g.End < g.Start || g.End > int(facts.Lines)+1 {
				t.Fatalf("gap %v of %d lines", g, facts.Lines)
			}
		}
	})
}
