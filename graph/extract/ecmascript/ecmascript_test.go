package ecmascript_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/ecmascript"
)

var extractor = ecmascript.New()

func extract(t testing.TB, language, src string) *graph.Facts {
	t.Helper()
	r, err := extractor.Extract(context.Background(), language, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return r.Facts
}

// ids are the symbols of a file, without the language and the path.
func ids(f *graph.Facts) []string {
	var out []string
	for _, id := range f.IDs("f")[1:] {
		_, rest, _ := strings.Cut(string(id), "#")
		out = append(out, rest)
	}
	return out
}

func find(t testing.TB, f *graph.Facts, name string) *graph.SymbolFact {
	t.Helper()
	for i := range f.Symbols {
		if f.Symbols[i].Name == name {
			return &f.Symbols[i]
		}
	}
	t.Fatalf("no symbol %q in %q", name, ids(f))
	return nil
}

func TestSymbols(t *testing.T) {
	tests := []struct {
		name, language, src string
		want                []string
	}{
		{"functions, arrows and function values are functions", "typescript",
			"function a() {}\nconst b = () => 1\nlet c = async function () {}\nexport default function d() {}",
			[]string{"a/function", "b/function", "c/function", "d/function"}},
		{"a nested function belongs to the one around it", "typescript",
			"function a() { function b() {} const c = () => 2 }", []string{"a/function", "a.b/function", "a.c/function"}},
		{"a local variable is no symbol", "typescript", "function a() { const x = 1; let y }", []string{"a/function"}},
		{"class members", "typescript",
			"class A { x = 1; static y: B; constructor(private z: C) {} m() {} get p() { return 1 } set p(v) {} h = () => {} }",
			[]string{"A/class", "A.x/field", "A.y/field", "A.constructor/constructor", "A.z/field", "A.m/method",
				"A.p/property~get", "A.p/property~set", "A.h/method"}},
		{"fields of JavaScript classes", "javascript", "class A { #x = 1; y; m() {} }",
			[]string{"A/class", "A.#x/field", "A.y/field", "A.m/method"}},
		{"interfaces, types and enums", "typescript",
			"interface I { a: string; m(): void }\ntype T = { b: number }\nenum E { X, Y = 2 }",
			[]string{"I/interface", "I.a/field", "I.m/method", "T/type", "T.b/field", "E/enum", "E.X/member", "E.Y/member"}},
		{"overload signatures are told apart from the implementation", "typescript",
			"function f(a: string): void\nfunction f(a: number): void\nfunction f(a: any) {}",
			[]string{"f/function~(a: string): void", "f/function~(a: number): void", "f/function"}},
		{"an interface and a class of one name are two symbols", "typescript", "interface A { x: 1 }\nclass A {}",
			[]string{"A/interface", "A.x/field", "A/class"}},
		{"namespace members", "typescript", "namespace N { export function f() {} export const x = 1 }",
			[]string{"N/package", "N.f/function", "N.x/constant"}},
		{"members of an object of the file", "javascript", "const o = { a() {}, b: () => 1, c: 2, d: { e() {} } }",
			[]string{"o/constant", "o.a/method", "o.b/method", "o.c/field", "o.d/field", "o.d.e/method"}},
		{"names of a destructured variable", "javascript", "const { a, b: c } = load()", []string{"a/constant", "c/constant"}},
		{"prototype and static assignments", "javascript",
			"function A() {}\nA.prototype.m = function () {}\nA.s = function () {}",
			[]string{"A/function", "A.m/method", "A.s/method"}},
		{"properties that are defined by a call", "javascript",
			"const A = {}\nObject.defineProperty(A, 'p', { get: function () { return 1 }, set(v) {} })\nObject.defineProperty(A, 'm', { value: () => 1 })\n" +
				"define(A, 'q', function () {})\nother(A, 'r', function () {})\nfunction define(o, name, f) { Object.defineProperty(o, name, { get: f }) }",
			[]string{"A/constant", "A.p/property", "A.m/method", "A.q/property", "define/function"}},
		{"what a callback assigns belongs to the definition around it", "typescript",
			"export const a = make((x) => { x.y.z = () => 1 })\nexport const b = make((x) => { x.y.z = () => 2 })",
			[]string{"a/constant", "a.x.y.z/method", "b/constant", "b.x.y.z/method"}},
		{"exports of CommonJS", "javascript", "exports.f = function () {}\nexports.x = 1\nmodule.exports.g = () => 2",
			[]string{"f/function", "x/variable", "g/function"}},
		{"members of what a module exports", "javascript", "module.exports = { f() {}, g: function () {} }",
			[]string{"f/method", "g/method"}},
		{"re-exports are symbols", "typescript", "export { a, b as c } from './x'\nexport * as ns from './y'\nexport * from './z'",
			[]string{"a/reexport", "c/reexport", "ns/reexport", "*/reexport~./z"}},
		{"an import that is exported again is a re-export", "typescript", "import { a } from './x'\nexport { a as b }",
			[]string{"b/reexport"}},
		{"a class expression has its variable's name", "javascript", "const A = class B { m() {} }", []string{"A/class", "A.m/method"}},
		{"an anonymous default export", "typescript", "export default class { m() {} }", []string{"default/class", "default.m/method"}},
		{"a function in an object that is passed on", "javascript", "use({ setup() {}, run: () => 1 })",
			[]string{"setup/method", "run/method"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ids(extract(t, tt.language, tt.src)); !slices.Equal(got, tt.want) {
				t.Errorf("symbols:\n got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestTests(t *testing.T) {
	tests := []struct {
		name, src string
		want      []string // container.name/rule/framework
	}{
		{"the import names the framework", "import { describe, it } from 'vitest'\ndescribe('a', () => { it('b', () => {}) })",
			[]string{"a 1 vitest", "a.b 1 vitest"}},
		{"an alias of the framework's function counts", "import { test as check } from 'node:test'\ncheck('x', () => {})",
			[]string{"x 1 node:test"}},
		{"globals are tests if the path says so", "describe('a', function () { it.only('b', async () => {}) })",
			[]string{"a 2 ", "a.b 2 "}},
		{"tables and templates", "it.each([1, 2])('n %s', n => {})\ntest.each`a|b`('t', () => {})\nit(`x ${y}`, () => {})",
			[]string{"n %s 2 ", "t 2 ", "x ${y} 2 "}},
		{"line breaks in a title are the formatter's", "it(\n  f(a,\n    b.c,\n  ),\n () => {})\nit(`x ${\n y\n }`, () => {})",
			[]string{"f(a, b.c) 2 ", "x ${y} 2 "}},
		{"options before the function", "test('a', { timeout: 5 }, () => {})", []string{"a 2 "}},
		{"a local function of that name is no test", "function it(a, b) {}\nit('x', () => {})", nil},
		{"a call without a function is no test", "it('x'); test.todo('y')", nil},
		{"other calls are no tests", "app.get('/x', () => {}); run('y', () => {})", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := extract(t, "typescript", tt.src)
			var got []string
			for i, s := range f.Symbols {
				if s.Kind == graph.KindTest {
					name := s.Name
					if c := f.Containers(int32(i)); c != "" {
						name = c + "." + name
					}
					got = append(got, fmt.Sprintf("%s %d %s", name, s.Test, s.Framework))
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("tests = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDigests(t *testing.T) {
	const base = "/** doc */\n@dec('a')\nclass A {\n  m(a: string) { return [f(a), 'x']; }\n}"
	type digest struct{ signature, body, attributes, doc bool }
	tests := []struct {
		name, symbol, src string
		want              digest // which digests differ from base
	}{
		{"formatting changes nothing", "m", "/** doc */\n@dec('a') class A {\n  m(\n    a: string,\n  ) {\n    return [ f(a), \"x\", ]\n  }\n}", digest{}},
		{"a comment changes only the doc", "m", "/** doc */\n@dec('a')\nclass A {\n  // why\n  m(a: string) { return [f(a), 'x']; }\n}", digest{doc: true}},
		{"a body", "m", "/** doc */\n@dec('a')\nclass A {\n  m(a: string) { return [g(a), 'x']; }\n}", digest{body: true}},
		{"a method's body leaves its class alone", "A", "/** doc */\n@dec('a')\nclass A {\n  m(a: string) { return [g(a), 'x']; }\n}", digest{}},
		{"a parameter's type", "m", "/** doc */\n@dec('a')\nclass A {\n  m(a: number) { return [f(a), 'x']; }\n}", digest{signature: true}},
		{"a decorator", "A", "/** doc */\n@dec('b')\nclass A {\n  m(a: string) { return [f(a), 'x']; }\n}", digest{attributes: true}},
		{"the doc comment", "A", "/** other */\n@dec('a')\nclass A {\n  m(a: string) { return [f(a), 'x']; }\n}", digest{doc: true}},
		{"the base class", "A", "/** doc */\n@dec('a')\nclass A extends B {\n  m(a: string) { return [f(a), 'x']; }\n}", digest{signature: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			old, now := find(t, extract(t, "typescript", base), tt.symbol).Digests, find(t, extract(t, "typescript", tt.src), tt.symbol).Digests
			got := digest{old.Signature != now.Signature, old.Body != now.Body, old.Attributes != now.Attributes, old.Doc != now.Doc}
			if got != tt.want {
				t.Errorf("changed %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestStyle compares two ways to write the same.
func TestStyle(t *testing.T) {
	tests := []struct {
		name, language, a, b string
		same                 bool
	}{
		{"parentheses around one parameter", "typescript", "const f = a => g(a)", "const f = (a) => g(a)", true},
		{"parentheses that only group", "typescript", "const f = () => a && b || c", "const f = () => ((a && b) || (c))", true},
		{"parentheses that change the meaning", "typescript", "const f = () => a && b || c", "const f = () => a && (b || c)", false},
		{"an object is no empty block", "typescript", "const f = () => ({})", "const f = () => {}", false},
		{"the end of an optional chain", "typescript", "const f = () => (a?.b).c", "const f = () => a?.b.c", false},
		{"quotes, escaped or not", "typescript", `const f = () => 'it\'s "x"'`, `const f = () => "it's \"x\""`, true},
		{"another string", "typescript", `const f = () => 'a'`, `const f = () => 'b'`, false},
		{"a string is no name", "typescript", `const f = () => a`, `const f = () => 'a'`, false},
		{"quotes of a key", "typescript", `const f = () => ({ 'a': 1, 'b-c': 2 })`, `const f = () => ({ a: 1, "b-c": 2 })`, true},
		{"commas before a closing bracket", "typescript", "const f = (a, b) => g([a, b], { a, b })", "const f = (a, b,) => g([a, b,], { a, b, },)", true},
		{"a hole in an array", "typescript", "const f = () => [a, ]", "const f = () => [a, , ]", false},
		{"semicolons", "javascript", "function f() { a(); b() }", "function f() {\n a()\n b();\n}", true},
		{"separators of members", "typescript", "type f = { a: string; b: number }", "type f = {\n a: string,\n b: number\n}", true},
		{"a sign before the first of a union", "typescript", "type f = A | B | (() => void)", "type f =\n | A\n | B\n | (() => void)", true},
		{"parentheses of a union in a list", "typescript", "type f = (A | B)[]", "type f = A | B[]", false},
		{"line ends in JSX", "tsx", "const f = () => <a>one two<b/></a>", "const f = () => (\n <a>\n one two\n <b />\n </a>\n)", true},
		{"another text in JSX", "tsx", "const f = () => <a>one</a>", "const f = () => <a>two</a>", false},
		{"an export list or the word", "typescript", "export function f() {}", "function f() {}\nexport { f }", true},
		{"a list of module.exports or the word", "javascript", "exports.f = f\nfunction f() {}", "function f() {}\nmodule.exports = { f }", true},
		{"no longer exported", "typescript", "export function f() {}", "function f() {}", false},
		{"exported under another name", "typescript", "function f() {}\nexport { f as a }", "function f() {}\nexport { f as b }", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := find(t, extract(t, tt.language, tt.a), "f").Digests, find(t, extract(t, tt.language, tt.b), "f").Digests
			if same := a.Signature == b.Signature && a.Body == b.Body; same != tt.same {
				t.Errorf("%s\n%s\nsame = %v, want %v", tt.a, tt.b, same, tt.same)
			}
		})
	}
}

// TestLinkingStatements holds what does and does not change the file itself.
func TestLinkingStatements(t *testing.T) {
	tests := []struct {
		name, language, a, b string
		same                 bool
	}{
		{"an import", "typescript", "run()", "import { a, b as c } from './a'\nrun()", true},
		{"where an import leads", "typescript", "import type { A } from './a'\nrun()", "import type { A } from './b'\nrun()", true},
		{"import = require", "typescript", "run()", "import a = require('./a')\nrun()", true},
		{"const = require", "javascript", "run()", "const a = require('./a')\nvar { b, c: d } = require('./b'),\n  e = require('e');\nrun()", true},
		{"what is required and called is a definition", "javascript", "run()", "const a = require('./a')()\nrun()", true},
		{"passing on", "typescript", "run()", "export * from './a'\nexport * as n from './b'\nexport { c } from './c'\nrun()", true},
		{"an export list", "typescript", "const a = 1\nrun()", "const a = 1\nrun()\nexport { a }", true},
		{"a list of module.exports", "javascript", "function a() {}\nrun()", "function a() {}\nrun()\nmodule.exports = { a, b: a }", true},
		{"module.exports of something else", "javascript", "run()", "run()\nmodule.exports = { a: 1 }", false},
		{"running another module", "typescript", "run()", "import './a'\nrun()", false},
		{"where the module that is run lies", "typescript", "import './b'\nrun()", "import './a'\nrun()", true},
		{"a statement", "typescript", "import './b'\nrun()", "import './b'\nwalk()", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := extract(t, tt.language, tt.a).Symbols[0].Digests, extract(t, tt.language, tt.b).Symbols[0].Digests
			a.Doc, b.Doc = graph.Digest{}, graph.Digest{}
			a.Raw, b.Raw = graph.Digest{}, graph.Digest{}
			if same := a == b; same != tt.same {
				t.Errorf("%s\n%s\nsame = %v, want %v", tt.a, tt.b, same, tt.same)
			}
		})
	}
}

func TestMembersFollowTheirOwner(t *testing.T) {
	f := extract(t, "javascript", "var a = {}\nmodule.exports = a\n/** doc */\n\na.m = function () {}\nObject.defineProperty(a, 'p', { get() {} })\nvar b = {}\nb.n = function () {}\n")
	for name, want := range map[string]bool{"m": true, "p": true, "n": false} {
		if got := find(t, f, name).Exported; got != want {
			t.Errorf("%s exported = %v, want %v", name, got, want)
		}
	}
	if s := find(t, f, "m"); s.Line != 5 || int(s.Start) != strings.Index("var a = {}\nmodule.exports = a\n/** doc */", "/**") {
		t.Errorf("m at line %d from %d: the comment above the blank line is its own", s.Line, s.Start)
	}
}

func TestIgnoredLines(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"below the comment", "a()\n// @ts-expect-error\nb()", "3"},
		{"below a comment that follows", "// @ts-ignore why\n// and how\nb()", "3"},
		{"at the end of the file", "a()\n// @ts-ignore\n", "3"},
		{"the whole file", "// @ts-nocheck\na()", "0"},
		{"in a text", "a('@ts-ignore')", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := extract(t, "typescript", tt.src).Notes[ecmascript.NoteIgnored]; got != tt.want {
				t.Errorf("ignored %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFactsOfOneSymbol(t *testing.T) {
	f := extract(t, "typescript", "import { D } from './d'\n\n// about f\nexport async function f<T>(a: string, b?: number, ...c: D[]): Promise<void> {\n  return\n}\nfunction g() {}\nexport { g }\n")
	s := find(t, f, "f")
	if s.Line != 4 || s.EndLine != 6 || !s.Exported || s.Flags&graph.FlagAsync == 0 {
		t.Errorf("f = %+v", s)
	}
	if want := "export async function f<T>(a: string, b?: number, ...c: D[]): Promise<void>"; s.Signature != want {
		t.Errorf("signature = %q, want %q", s.Signature, want)
	}
	if len(s.Params) != 3 || s.Params[0].TypeText != "string" || !s.Params[1].Optional || s.Params[2].Kind != graph.ParamVariadic || s.ResultText != "Promise<void>" {
		t.Errorf("params %+v result %q", s.Params, s.ResultText)
	}
	if !find(t, f, "g").Exported {
		t.Error("g is exported by a list below it")
	}
	if f.Lines != 8 {
		t.Errorf("%d lines, want 8", f.Lines)
	}
}

func TestImportsAndExports(t *testing.T) {
	f := extract(t, "typescript", `import a, { b as c, type D } from './x'
import * as ns from './y'
import type { E } from './z'
import './side'
import r = require('./r')
const { q } = require('./q')
async function f() { await import('./lazy') }
export default a
export * from './all'
export { b2 as c2 } from './named'
`)
	var got []string
	for _, x := range f.Imports {
		got = append(got, fmt.Sprintf("%s %s %s %v %v", x.Module, x.Name, x.Alias, x.TypeOnly, x.Dynamic))
	}
	want := []string{"./x default a false false", "./x b c false false", "./x D D true false", "./y * ns false false",
		"./z E E true false", "./side   false false", "./r = r false false", "./q q q false false", "./lazy *  false true",
		"./all *  false false", "./named b2  false false"}
	if !slices.Equal(got, want) {
		t.Errorf("imports:\n got %q\nwant %q", got, want)
	}
	got = nil
	for _, x := range f.Exports {
		got = append(got, x.Name)
	}
	if want := []string{"default", "*", "c2"}; !slices.Equal(got, want) {
		t.Errorf("exports = %q, want %q", got, want)
	}
}

func TestLocalReadsAreNoReferences(t *testing.T) {
	f := extract(t, "typescript", "const K = 1\nfunction f(p) { const local = p; return local + K + unknown }")
	var got []string
	for _, r := range f.Refs {
		got = append(got, r.Name)
	}
	if !slices.Equal(got, []string{"K", "unknown"}) {
		t.Errorf("references = %q, want only K and what nothing here binds", got)
	}
}

func TestExportsAreListed(t *testing.T) {
	tests := []struct {
		name, src string
		want      bool
	}{
		{"statements of the language", "export const a = 1", true},
		{"nothing is exported", "run()", true},
		{"assignments to the module object", "const M = module.exports; M.a = 1; exports.b = 2; exports = module.exports = { c: 3 }", true},
		{"members added from an object", "Object.assign(module.exports, { a, b() {} })", true},
		{"members added from elsewhere", "Object.assign(module.exports, other)", false},
		{"a computed name", "exports[name] = 1", false},
		{"the object is handed on", "const M = module.exports; fill(M)", false},
		{"the module is handed on", "hot(module)", false},
		{"a module of another system", "define(['x'], function (x) { return { a: 1 } })", false},
		{"a gap inside a definition", "export class A { m() { const = ; } }\nexport const b = 1", true},
		{"a gap at the top", "export const = = 1\nexport const b = 1", false},
		{"a gap that swallows an export", "export function a() {\nexport const b = 1", false},
		{"other members of module", "if (module.hot) module.hot.accept()", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := extract(t, "javascript", tt.src)
			if got := f.Notes[ecmascript.NoteExports] == ecmascript.ExportsListed; got != tt.want {
				t.Errorf("listed = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestGeneratedAndBroken(t *testing.T) {
	if !extract(t, "typescript", "// Code generated by x. DO NOT EDIT.\nexport const a = 1").Generated {
		t.Error("the file says that it is generated")
	}
	if extract(t, "typescript", "export const a = 'DO NOT EDIT generated'").Generated {
		t.Error("a string says nothing about the file")
	}
	f := extract(t, "javascript", "function good() {}\nconst = = ;\nfunction also() {}\n")
	if len(f.Gaps) == 0 {
		t.Error("a syntax error is a gap")
	}
	find(t, f, "good")
	find(t, f, "also")
	deep := extract(t, "javascript", "f("+strings.Repeat("(", 20_000)+strings.Repeat(")", 20_000)+")")
	if len(deep.Gaps) == 0 || len(deep.Symbols) != 1 {
		t.Error("nesting that was cut is a gap")
	}
	if _, err := extractor.Extract(context.Background(), "python", nil); err == nil {
		t.Error("another language is refused")
	}
}

func FuzzExtract(f *testing.F) {
	seeds := []string{
		"class A{@A\v0(A{0}", // a decorator cut off from its method
		"", "export default {", "class A<T extends B> extends C<T> implements D { @x() m(@y a: T, private b = 1) { super.m(); this.z = () => {} } }",
		"const {a: {b}, ...c} = await import('./x'); export * as d from 'e'", "it.each`a`('t', ({a}) => {})",
		"namespace N.M { enum E { 'x' = 1 } } declare module 'm' { export function f(): void }",
		"exports = module.exports = f; A.prototype.b = function c() {}; Object.assign(module.exports, { d })",
		"type T = { [K in keyof U]?: U[K] } & (new () => X) | typeof import('y'); let x = <A.B c={d}>{...e}</A.B>",
		"function f(this: A, [b, , c] = [], {d = 1}: E) { for (const g of h) try { throw i } catch ({j}) {} }",
		"\x00\xff`${", "a\r\n'use strict'",
	}
	for _, s := range seeds {
		for i := range extractor.Languages() {
			f.Add(byte(i), s)
		}
	}
	f.Fuzz(func(t *testing.T, language byte, src string) {
		all := extractor.Languages()
		check(t, extract(t, all[int(language)%len(all)], src), int32(len(src)))
	})
}

// check holds what every reader of facts relies on.
func check(t *testing.T, f *graph.Facts, size int32) {
	t.Helper()
	in := func(what string, i int32, n int, none bool) {
		if i < 0 && !(none && i == graph.None) || int(i) >= n {
			t.Fatalf("%s: index %d of %d", what, i, n)
		}
	}
	for i, s := range f.Symbols {
		if s.Start < 0 || s.Start > s.End || s.End > size || s.NameAt < 0 || s.NameAt > size || s.Line < 1 || s.EndLine < s.Line || s.EndLine > max(1, f.Lines) {
			t.Fatalf("symbol %d %q: bytes %d to %d, name at %d, lines %d to %d of %d", i, s.Name, s.Start, s.End, s.NameAt, s.Line, s.EndLine, f.Lines)
		}
		in("parent", s.Parent, i, true)
		in("scope", s.Scope, len(f.Scopes), true)
		in("result", s.Result, len(f.Exprs), true)
		for _, list := range [][]int32{s.Returns, s.Bases, s.Decorators} {
			for _, e := range list {
				in("expression of a symbol", e, len(f.Exprs), false)
			}
		}
	}
	for i, s := range f.Scopes {
		in("scope's parent", s.Parent, i, true)
		in("scope's symbol", s.Symbol, len(f.Symbols), false)
	}
	for _, b := range f.Bindings {
		in("binding's scope", b.Scope, len(f.Scopes), false)
		in("binding's symbol", b.Symbol, len(f.Symbols), true)
		in("binding's import", b.Import, len(f.Imports), true)
		in("binding's type", b.Type, len(f.Exprs), true)
		in("binding's value", b.Value, len(f.Exprs), true)
	}
	for _, e := range f.Exprs {
		in("expression's base", e.Base, len(f.Exprs), true)
		in("expression's scope", e.Scope, len(f.Scopes), false)
		n := len(f.Symbols)
		if e.Kind == graph.ExprRequire {
			n = len(f.Imports)
		}
		in("expression's symbol", e.Symbol, n, true)
		for _, a := range e.Args {
			in("expression's operand", a, len(f.Exprs), false)
		}
		if e.Start > e.End || e.End > size {
			t.Fatalf("expression: bytes %d to %d of %d", e.Start, e.End, size)
		}
	}
	for _, r := range f.Refs {
		in("reference", r.Expr, len(f.Exprs), true)
		in("reference's symbol", r.From, len(f.Symbols), false)
		in("reference's call", r.Args, len(f.Exprs), true)
	}
	for _, x := range f.Exports {
		in("export's import", x.Import, len(f.Imports), true)
		in("export's expression", x.Expr, len(f.Exprs), true)
	}
	seen := map[graph.SymbolID]bool{}
	for _, id := range f.IDs("f") {
		if seen[id] {
			t.Fatalf("two symbols have the ID %s", id)
		}
		seen[id] = true
	}
}
