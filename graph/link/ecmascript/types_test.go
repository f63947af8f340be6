package ecmascript_test

import (
	"testing"

	"github.com/previdence/previdence/graph"
)

func TestTypes(t *testing.T) {
	runAll(t, []linkTest{
		{
			name: "results by inference over bodies, with recursion cut",
			archive: `
-- a.ts --
class A { m() {} }
function even(n: number) { return n ? odd(n - 1) : new A() }
function odd(n: number) { return n ? even(n - 1) : null }
function forever() { return forever() }
function chosen(c: boolean) { if (c) { return make() } return make() }
const make = () => ({ a: new A() })
export function f() { even(1)!.m(); chosen(true).a.m(); forever() }
`,
			want: []string{"a.ts#chosen -> a.ts#make call exact", "a.ts#even -> a.ts#A call exact", "a.ts#even -> a.ts#odd call exact",
				"a.ts#f -> a.ts#A.m call exact", "a.ts#f -> a.ts#chosen call exact", "a.ts#f -> a.ts#even call exact",
				"a.ts#f -> a.ts#forever call exact", "a.ts#forever -> a.ts#forever call exact",
				"a.ts#make -> a.ts#A call exact", "a.ts#odd -> a.ts#even call exact"},
		},
		{
			name: "callbacks by the interface of what they are handed to",
			archive: `
-- a.ts --
class Context { help() {} }
interface Handler { (c: Context): void }
interface App { get(path: string, ...handlers: Handler[]): this }
declare const app: App
export function f() {
  app.get('/', (c) => c.help()).get('/x', (c) => c.help(), (c) => { c.help() })
}
`,
			want: []string{"a.ts#f -> a.ts#App.get call exact", "a.ts#f -> a.ts#Context.help call exact"},
		},
		{
			name: "generics by a callback's result and by a class",
			archive: `
-- a.ts --
class A { m() {} }
class List<T> { constructor(private all: T[]) {} map<U>(f: (x: T) => U): List<U> { return new List(this.all.map(f)) } first(): T { return this.all[0] } }
function use<T>(make: () => T): T { return make() }
export function f() { use(() => new A()).m() }
export function g(l: List<A>) { l.first().m(); l.map((a) => { a.m(); return a }).first().m() }
`,
			want: []string{"a.ts#List.map -> a.ts#List call exact",
				"a.ts#f -> a.ts#A call exact", "a.ts#f -> a.ts#A.m call exact", "a.ts#f -> a.ts#use call exact",
				"a.ts#g -> a.ts#A.m call exact", "a.ts#g -> a.ts#List.first call exact", "a.ts#g -> a.ts#List.map call exact"},
			unresolved: []string{`a.ts#use:3 call make in "typescript:a.ts#use/function": function value unknown`},
		},
		{
			name: "this, declared and given",
			archive: `
-- a.ts --
class A {
  m() { return this }
  n() {}
  later = () => this.n()
  chain() { [1].forEach(() => this.n()); [1].forEach(function (this: A) { this.n() }) }
}
export function f(a: A) { a.m().m().n() }
export function g(this: A) { this.n() }
`,
			want: []string{"a.ts#A.chain -> a.ts#A.n call exact", "a.ts#A.later -> a.ts#A.n call exact",
				"a.ts#f -> a.ts#A.m call exact", "a.ts#f -> a.ts#A.n call exact", "a.ts#g -> a.ts#A.n call exact"},
		},
		{
			name: "narrowing of members, by assertion and by discriminant",
			archive: `
-- a.ts --
class A { kind: 'a' = 'a'; m() {} }
class B { kind: 'b' = 'b'; m() {} }
interface Holder { item: A | B }
function assertA(x: unknown): asserts x is A {}
function isB(x: unknown): x is B { return true }
export function path(h: Holder) { if (h.item instanceof A) { h.item.m() } }
export function guard(h: Holder) { if (isB(h.item)) h.item.m() }
export function kind(h: Holder) { switch (h.item.kind) { case 'b': h.item.m() } }
export function asserted(x: A | B) { assertA(x); x.m() }
export function assertedPath(h: Holder) { assertA(h.item); h.item.m() }
export function anew(h: Holder, x: A | B) { if (h.item instanceof A) { h.item = x; h.item.m() } }
export function whole(h: Holder, o: Holder) { if (h.item instanceof A) { h = o; h.item.m() } }
export function later(h: Holder) { if (h.item instanceof A) { return () => h.item.m() } }
export class C { item!: A | B; run() { if (this.item instanceof B) this.item.m() } }
`,
			want: []string{"a.ts#path -> a.ts#A.m call exact", "a.ts#guard -> a.ts#B.m call exact", "a.ts#guard -> a.ts#isB call exact",
				"a.ts#kind -> a.ts#B.m call exact", "a.ts#asserted -> a.ts#A.m call exact", "a.ts#asserted -> a.ts#assertA call exact",
				"a.ts#assertedPath -> a.ts#A.m call exact", "a.ts#assertedPath -> a.ts#assertA call exact",
				"a.ts#C.run -> a.ts#B.m call exact", "a.ts#anew -> a.ts#A.m dispatch dispatch", "a.ts#anew -> a.ts#B.m dispatch dispatch",
				"a.ts#whole -> a.ts#A.m dispatch dispatch", "a.ts#whole -> a.ts#B.m dispatch dispatch",
				"a.ts#later -> a.ts#A.m dispatch dispatch", "a.ts#later -> a.ts#B.m dispatch dispatch"},
		},
		{
			name: "object types, intersections, indexed and mapped types",
			archive: `
-- a.ts --
class A { m() {} }
type Both = { a: A } & { run(): A }
type Record2 = { [K in 'x' | 'y']: A }
interface Table { [key: string]: A }
export function f(b: Both, t: Table, a: Both['a'], r: Record<string, A>) {
  b.a.m(); b.run().m(); t.any.m(); t['x'].m(); a.m(); r.x.m()
}
`,
			want: []string{"a.ts#f -> a.ts#A.m call exact", "a.ts#f -> a.ts#Both.run call exact"},
			unresolved: []string{`a.ts#f:6 reference any in "typescript:a.ts#Table/interface": no such member`,
				`a.ts#f:6 reference x in "typescript:a.ts#Table/interface": no such member`},
		},
		{
			name: "tagged templates, new of a variable, optional calls",
			archive: `
-- a.ts --
class A { m() {} }
function html(parts: TemplateStringsArray, ...values: any[]) { return new A() }
const made = { html }
const Alias = A
export function f(a?: A) { html` + "`<p>${g()}</p>`" + `.m(); made.html` + "`x`" + `; new Alias().m(); a?.m?.() }
function g() {}
`,
			want: []string{"a.ts#f -> a.ts#A call exact", "a.ts#f -> a.ts#A.m call exact", "a.ts#f -> a.ts#g call exact",
				"a.ts#f -> a.ts#html call exact", "a.ts#html -> a.ts#A call exact"},
		},
		{
			name: "decorated methods are still what is called",
			archive: `
-- a.ts --
function log(value: Function, c: ClassMethodDecoratorContext) { return function (this: any) { return value.call(this) } }
function reg(path: string) { return (target: unknown, c: unknown) => target }
export class A { @log m() { this.n() } @reg('/x') n() {} }
export function f(a: A) { a.m() }
`,
			kinds: []graph.EdgeKind{graph.EdgeCall, graph.EdgeReference},
			want: []string{"a.ts#A.m -> a.ts#A.n call exact", "a.ts#A.m -> a.ts#log reference exact",
				"a.ts#A.n -> a.ts#reg call exact", "a.ts#f -> a.ts#A reference exact", "a.ts#f -> a.ts#A.m call exact"},
		},
		{
			name: "a namespace in parts",
			archive: `
-- a.ts --
export namespace Parts { export function one() {} const own = () => 1 }
export namespace Parts { export function two() { one() } }
export namespace Parts { export function three() { own() } }
-- b.ts --
import { Parts } from './a'
export function f() { Parts.one(); Parts.two(); Parts.gone() }
`,
			want: []string{"a.ts#Parts.two -> a.ts#Parts.one call exact", "b.ts#f -> a.ts#Parts.one call exact", "b.ts#f -> a.ts#Parts.two call exact"},
			unresolved: []string{`a.ts#Parts.three:3 call own in "a.ts": no such name in the file`,
				`b.ts#f:2 call gone in "typescript:a.ts#Parts/package~3": no such member`},
		},
		{
			name: "npm: aliases and type-only imports",
			archive: `
-- package.json --
{ "name": "root", "workspaces": ["packages/*"] }
-- packages/app/package.json --
{ "name": "app", "dependencies": { "short": "npm:@scope/long-name@1.0.0", "link": "workspace:@scope/long-name@*" } }
-- packages/app/a.ts --
import { run } from 'short'
import type { A } from 'link'
import { type A as Other } from 'short'
export function f(a: A, o: Other) { run(); a.m(); o.m() }
-- packages/long/package.json --
{ "name": "@scope/long-name", "main": "./index.ts" }
-- packages/long/index.ts --
export function run() {}
export class A { m() {} }
`,
			want: []string{"packages/app/a.ts#f -> packages/long/index.ts#A.m call exact", "packages/app/a.ts#f -> packages/long/index.ts#run call exact"},
		},
		{
			name: "elements of a page run their components' handlers",
			archive: `
-- a.tsx --
interface Props { onDone(x: Item): void; render?: (x: Item) => any }
class Item { use() {} }
function Panel(props: Props) { props.onDone(new Item()); return <div>{props.render?.(new Item())}</div> }
export const App = () => <Panel onDone={(x) => x.use()} render={(x) => <b>{x.use()}</b>} />
`,
			want: []string{"a.tsx#App -> a.tsx#Item.use call exact",
				"a.tsx#Panel -> a.tsx#Item call exact", "a.tsx#Panel -> a.tsx#Props.onDone call exact", "a.tsx#Panel -> a.tsx#Props.render call exact"},
		},
	})
}

func TestScripts(t *testing.T) {
	runAll(t, []linkTest{
		{
			name: "a module that fills what it is handed, from a function that is set later",
			archive: `
-- user/index.js --
const User = module.exports
require('./data')(User)
require('./create')(User)
User.exists = async function (id) { return await User.get(id) }
-- user/data.js --
module.exports = function (User) {
  User.get = async (id) => { await User.load(id) }
  User.load = async function (id) { helper(id) }
  function helper(id) {}
}
-- user/create.js --
const user = require('.')
module.exports = (User) => { User.create = async () => { await User.exists(1); await user.load(2) } }
-- a.js --
const user = require('./user')
exports.run = async () => { await user.create(); await user.get(1) }
`,
			want: []string{"a.js#run -> user/create.js#User.create call exact", "a.js#run -> user/data.js#User.get call exact",
				"user/create.js#User.create -> user/data.js#User.load call exact", "user/create.js#User.create -> user/index.js#exists call exact",
				"user/data.js#User.get -> user/data.js#User.load call exact", "user/data.js#User.load -> user/data.js#default.helper call exact",
				"user/index.js -> user/create.js#default call exact", "user/index.js -> user/data.js#default call exact",
				"user/index.js#exists -> user/data.js#User.get call exact"},
		},
		{
			name: "Object.assign, prototypes, and a chain of exports",
			archive: `
-- a.js --
function Server() { this.start() }
Server.prototype.start = function () { this.stop() }
Server.prototype.stop = () => {}
Server.prototype.extra = function extra() { return this.start() }
exports = module.exports = create
function create() { return new Server() }
create.Server = Server
Object.assign(module.exports, { helper() {}, other })
function other() {}
-- b.js --
const create = require('./a')
exports.run = function () { const s = create(); s.start(); s.extra(); create.helper(); create.other(); new create.Server().stop() }
`,
			want: []string{"a.js#Server -> a.js#Server.start call exact", "a.js#Server.extra -> a.js#Server.start call exact",
				"a.js#Server.start -> a.js#Server.stop call exact", "a.js#create -> a.js#Server call exact",
				"b.js#run -> a.js#Server call exact", "b.js#run -> a.js#Server.extra call exact", "b.js#run -> a.js#Server.start call exact",
				"b.js#run -> a.js#Server.stop call exact", "b.js#run -> a.js#create call exact",
				"b.js#run -> a.js#helper call exact", "b.js#run -> a.js#other call exact"},
		},
	})
}
