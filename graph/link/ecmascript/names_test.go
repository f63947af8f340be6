package ecmascript_test

import (
	"testing"

	"github.com/previdence/previdence/graph"
)

func TestScopes(t *testing.T) {
	runAll(t, []linkTest{
		{
			name: "a local hides the import, and only where it is bound",
			archive: `
-- a.ts --
import { run } from './b'
export function hidden() { function run() {} run() }
export function parameter(run: () => void) { run() }
export function block() { { const run = () => 1; run() } run() }
export function open() { run() }
-- b.ts --
export function run() {}
`,
			want: []string{"a.ts#block -> a.ts#block.run call exact", "a.ts#block -> b.ts#run call exact",
				"a.ts#hidden -> a.ts#hidden.run call exact", "a.ts#open -> b.ts#run call exact"},
			unresolved: []string{`a.ts#parameter:3 call run in "typescript:a.ts#parameter/function": function value unknown`},
		},
		{
			name: "var and function are hoisted",
			archive: `
-- a.js --
function f() { late(); if (x) { var g = late } g(); function late() {} }
`,
			want:       []string{"a.js#f -> a.js#f.late call exact"},
			unresolved: []string{`a.js#f:1 reference x in "a.js": no such name in the file`},
		},
		{
			name: "the name of a function elsewhere is no target",
			archive: `
-- a.ts --
export function f() { helper(); known() }
-- b.ts --
export function helper() {}
-- c.d.ts --
declare function known(): void
`,
			unresolved: []string{`a.ts#f:1 call helper in "a.ts": no such name in the file`},
		},
		{
			name: "a type that nothing binds is told, one that every program has and a part of a type are not",
			archive: `
-- a.ts --
export function f(x: Gone, y: Partial<Event>, z: Known, n: HTMLElement): Promise<void> {}
export type Part<T> = T extends (infer U extends Lost)[] ? U : { [K in keyof T]: K }
export class C extends Missing {}
-- c.d.ts --
interface Known {}
`,
			unresolved: []string{`a.ts#C:3 inherit Missing in "a.ts": no such name in the file`, `a.ts#Part:2 reference Lost in "a.ts": no such name in the file`,
				`a.ts#f:1 reference Gone in "a.ts": no such name in the file`},
		},
		{
			name: "functions passed on are references",
			archive: `
-- a.ts --
import { cb } from './b'
export function f() { [1].forEach(cb); setTimeout(local) }
function local() {}
-- b.ts --
export function cb() {}
`,
			kinds: []graph.EdgeKind{graph.EdgeReference},
			want:  []string{"a.ts#f -> a.ts#local reference exact", "a.ts#f -> b.ts#cb reference exact"},
		},
		{
			name: "members that code outside the tree calls back",
			archive: `
-- a.ts --
import { Base } from 'elsewhere'
class Handler implements ProxyHandler<object> { get() {} static make() {} private own() {} }
class Own implements I { run() {} }
class Derived extends Base { render() {} }
const traps: ProxyHandler<object> = { set() {} }
const plain = { set() {} }
interface I { run(): void }
`,
			kinds: []graph.EdgeKind{graph.EdgeReference},
			want: []string{"a.ts#Derived -> a.ts#Derived.render reference dispatch", "a.ts#Handler -> a.ts#Handler.get reference dispatch",
				"a.ts#traps -> a.ts#traps.set reference dispatch"},
		},
		{
			name: "functions that are written where they are passed on",
			archive: `
-- a.ts --
export const one = make((x) => { x.run = () => 1 })
export function two() { other({ run() {}, go: () => 2 }) }
export const three = { run() {} }
`,
			kinds: []graph.EdgeKind{graph.EdgeReference},
			want: []string{"a.ts#one -> a.ts#one.x.run reference exact", "a.ts#two -> a.ts#two.go reference exact",
				"a.ts#two -> a.ts#two.run reference exact"},
			unresolved: []string{`a.ts#one:1 call make in "a.ts": no such name in the file`, `a.ts#two:2 call other in "a.ts": no such name in the file`},
		},
		{
			name: "constants, enum members and fields that are read",
			archive: `
-- a.ts --
import { LIMIT, Color, config } from './b'
export function f() { return LIMIT + Color.Red + config.size }
-- b.ts --
export const LIMIT = 1
export enum Color { Red }
export const config = { size: 2 }
`,
			kinds: []graph.EdgeKind{graph.EdgeReference},
			want: []string{"a.ts#f -> b.ts#Color reference exact", "a.ts#f -> b.ts#Color.Red reference exact",
				"a.ts#f -> b.ts#LIMIT reference exact", "a.ts#f -> b.ts#config reference exact", "a.ts#f -> b.ts#config.size reference exact"},
		},
		{
			name: "JSX elements and decorators refer to what they name",
			archive: `
-- a.tsx --
import { Button, ui } from './b'
export const App = () => <div><Button kind="x" /><ui.Card /></div>
-- b.tsx --
export function Button() { return <p /> }
export const ui = { Card() { return null } }
-- c.ts --
import { plain, factory } from './d'
@plain class A { @factory(1) m() {} }
-- d.ts --
export function plain(x: any) {}
export function factory(n: number) { return plain }
`,
			kinds: []graph.EdgeKind{graph.EdgeReference, graph.EdgeCall},
			want: []string{"a.tsx#App -> b.tsx#Button reference exact", "a.tsx#App -> b.tsx#ui reference exact", "a.tsx#App -> b.tsx#ui.Card reference exact",
				"c.ts#A -> d.ts#plain reference exact", "c.ts#A.m -> d.ts#factory call exact",
				"d.ts#factory -> d.ts#plain reference exact"},
		},
		{
			name: "a broken component and a broken type",
			archive: `
-- a.tsx --
import { Gone, GoneType } from './b'
export const App = (x: GoneType) => <Gone />
-- b.tsx --
export const kept = 1
`,
			unresolved: []string{
				`a.tsx#App:2 reference Gone in "b.tsx": no such export broken`,
				`a.tsx#App:2 reference GoneType in "b.tsx": no such export broken`,
				`a.tsx:1 import Gone in "b.tsx": no such export broken`,
				`a.tsx:1 import GoneType in "b.tsx": no such export broken`,
			},
		},
		{
			name: "a name alone counts only among imported files",
			archive: `
-- a.js --
import './near'
export function f(x) { x.rareName(); x.push(); x.farName() }
-- near.js --
export const o = { rareName() {}, push() {} }
-- far.js --
export const p = { rareName() {}, farName() {} }
`,
			want:       []string{"a.js#f -> near.js#o.rareName call name"},
			unresolved: []string{`a.js#f:2 call farName in "": receiver type unknown`},
		},
		{
			name: "too many candidates for a name are none",
			archive: `
-- a.js --
export const all = [
  { many() {} }, { many() {} }, { many() {} }, { many() {} }, { many() {} }, { many() {} }, { many() {} }, { many() {} }, { many() {} },
]
export function f(x) { x.many() }
`,
			unresolved: []string{`a.js#f:4 call many in "": too many candidates`},
		},
		{
			name: "what the outside hands to a function is external",
			archive: `
-- a.tsx --
import { use, Form } from 'outside'
use((x) => x.anything())
use({ run(y) { y.anything() }, list: [(z) => z.anything()] })
export const App = () => <Form on={(a) => a.anything()}>{(b) => b.anything()}</Form>
export const Page = () => <p onClick={(c) => c.anything()} />
export const o = { anything() {} }
`,
		},
		{
			name: "a test block calls what its function calls",
			archive: `
-- a.test.ts --
import { describe, it, expect } from 'vitest'
import { f } from './a'
describe('f', () => { it('works', () => { expect(f()).toBe(1) }) })
-- a.ts --
export function f() { return 1 }
`,
			want: []string{"a.test.ts#f.works -> a.ts#f call exact"},
		},
	})
}

func TestClasses(t *testing.T) {
	runAll(t, []linkTest{
		{
			name: "new, this, super, static, fields and inheritance",
			archive: `
-- a.ts --
import { Base } from './base'
export class A extends Base {
  helper = new Helper()
  static make() { return new A() }
  constructor() { super(); this.init() }
  run() { this.own(); this.inherited(); super.over(); this.helper.help(); A.make().own() }
  own() {}
  over() {}
  private init() {}
}
class Helper { help() {} }
-- base.ts --
export class Base { constructor() {} inherited() {} over() {} }
`,
			want: []string{"a.ts#A.constructor -> a.ts#A.init call exact", "a.ts#A.constructor -> base.ts#Base.constructor call exact",
				"a.ts#A.helper -> a.ts#Helper call exact", "a.ts#A.make -> a.ts#A call exact",
				"a.ts#A.run -> a.ts#A.make call exact", "a.ts#A.run -> a.ts#A.own call exact", "a.ts#A.run -> a.ts#Helper.help call exact",
				"a.ts#A.run -> base.ts#Base.inherited call exact", "a.ts#A.run -> base.ts#Base.over call exact"},
		},
		{
			name: "inherit and override",
			archive: `
-- a.ts --
interface I { m(): void }
class A implements I { m() {} }
class B extends A { m() {} }
`,
			kinds: []graph.EdgeKind{graph.EdgeInherit, graph.EdgeOverride},
			want: []string{"a.ts#A -> a.ts#I inherit exact", "a.ts#A.m -> a.ts#I.m override exact",
				"a.ts#B -> a.ts#A inherit exact", "a.ts#B.m -> a.ts#A.m override exact"},
		},
		{
			name: "an interface call reaches its implementations",
			archive: `
-- a.ts --
interface Store { get(): void }
class Disk implements Store { get() {} }
class Memory implements Store { get() {} }
const plain: Store = { get() {} }
class Other { get() {} }
export function f(s: Store) { s.get() }
`,
			want: []string{"a.ts#f -> a.ts#Disk.get dispatch dispatch", "a.ts#f -> a.ts#Memory.get dispatch dispatch",
				"a.ts#f -> a.ts#Store.get call exact", "a.ts#f -> a.ts#plain.get dispatch dispatch"},
		},
		{
			name: "declared and inferred types of variables, parameters and results",
			archive: `
-- a.ts --
class A { m() { return new B() } get b(): B { return new B() } }
class B { n() {} }
function make() { return new A() }
async function later(): Promise<B> { return new B() }
export async function f(a: A, list: B[], map: Map<string, B>) {
  make().m().n()
  const x = a.m(); x.n()
  a.b.n()
  ;(await later()).n()
  for (const b of list) b.n()
  list.map(b => b.n())
  map.get('k')!.n()
}
`,
			want: []string{"a.ts#A.b -> a.ts#B call exact", "a.ts#A.m -> a.ts#B call exact", "a.ts#f -> a.ts#A.m call exact",
				"a.ts#f -> a.ts#B.n call exact", "a.ts#f -> a.ts#later call exact", "a.ts#f -> a.ts#make call exact",
				"a.ts#later -> a.ts#B call exact", "a.ts#make -> a.ts#A call exact"},
		},
		{
			name: "parameters by the type declared for the function",
			archive: `
-- a.ts --
class Context { helper() {} }
type Transform = (node: string, context: Context) => void
interface Options { visit(c: Context): void; leave: Transform }
const transform: Transform = (node, context) => { context.helper() }
const options: Options = { visit(c) { c.helper() }, leave: (n, c) => c.helper() }
function make(): Options { return { visit: c => c.helper(), leave() {} } }
function run(t: Transform) {}
export function f() { run((n, c) => c.helper()) }
`,
			want: []string{"a.ts#f -> a.ts#Context.helper call exact", "a.ts#f -> a.ts#run call exact",
				"a.ts#make.visit -> a.ts#Context.helper call exact",
				"a.ts#options.leave -> a.ts#Context.helper call exact", "a.ts#options.visit -> a.ts#Context.helper call exact",
				"a.ts#transform -> a.ts#Context.helper call exact"},
		},
		{
			name: "generics by constraint, by argument and by inference",
			archive: `
-- a.ts --
class A { m() {} }
class Box<T> { constructor(public value: T) {} get(): T { return this.value } }
function id<T>(x: T): T { return x }
export function constrained<T extends A>(x: T) { x.m() }
export function argument(b: Box<A>) { b.get().m(); b.value.m() }
export function inferred() { id(new A()).m() }
`,
			want: []string{"a.ts#argument -> a.ts#A.m call exact", "a.ts#argument -> a.ts#Box.get call exact", "a.ts#constrained -> a.ts#A.m call exact",
				"a.ts#inferred -> a.ts#A call exact", "a.ts#inferred -> a.ts#A.m call exact", "a.ts#inferred -> a.ts#id call exact"},
		},
		{
			name: "a union gives possible targets",
			archive: `
-- a.ts --
class A { m() {} }
class B { m() {} }
export function f(x: A | B) { x.m() }
export function g(c: boolean) { (c ? one : two)() }
function one() {}
function two() {}
`,
			want: []string{"a.ts#f -> a.ts#A.m dispatch dispatch", "a.ts#f -> a.ts#B.m dispatch dispatch",
				"a.ts#g -> a.ts#one dispatch dispatch", "a.ts#g -> a.ts#two dispatch dispatch"},
		},
		{
			name: "overloads lead to the body",
			archive: `
-- a.ts --
export function f(a: string): void
export function f(a: number): void
export function f(a: any) {}
class A { m(a: string): void; m(a: any) {} }
export function g(x: A) { f(1); x.m('') }
`,
			want: []string{"a.ts#g -> a.ts#A.m call exact", "a.ts#g -> a.ts#f call exact"},
		},
		{
			name: "declaration merging, namespaces and enums",
			archive: `
-- a.ts --
export interface A { extra(): void }
export class A { own() {} }
export namespace N { export function f() {} export class C { m() {} } }
export function fn() {}
export namespace fn { export function part() {} }
export function g(a: A, c: N.C) { a.extra(); a.own(); N.f(); c.m(); fn(); fn.part() }
`,
			want: []string{"a.ts#g -> a.ts#A.extra call exact", "a.ts#g -> a.ts#A.own call exact", "a.ts#g -> a.ts#N.C.m call exact",
				"a.ts#g -> a.ts#N.f call exact", "a.ts#g -> a.ts#fn call exact", "a.ts#g -> a.ts#fn.part call exact"},
		},
		{
			name: "object literals, destructuring and spread",
			archive: `
-- a.ts --
const base = { inherited() {} }
const api = { ...base, run() { this.stop() }, stop: () => 1 }
const { run: go } = api
export function f({ stop } = api) { api.run(); api.inherited(); go(); stop() }
`,
			want: []string{"a.ts#api.run -> a.ts#api.stop call exact", "a.ts#f -> a.ts#api.run call exact",
				"a.ts#f -> a.ts#api.stop call exact", "a.ts#f -> a.ts#base.inherited call exact"},
		},
		{
			name: "a method that is gone names the class",
			archive: `
-- a.ts --
import { A } from './b'
export function f(a: A) { a.gone(); a.kept() }
-- b.ts --
export class A { kept() {} }
`,
			want:       []string{"a.ts#f -> b.ts#A.kept call exact"},
			unresolved: []string{`a.ts#f:2 call gone in "typescript:b.ts#A/class": no such member broken`},
		},
		{
			name: "members of a base class outside the tree are external",
			archive: `
-- a.ts --
import { EventEmitter } from 'events'
class A extends EventEmitter { m() { this.whatever(); this.own() } own() {} }
`,
			want: []string{"a.ts#A.m -> a.ts#A.own call exact"},
		},
		{
			name: "call, apply and bind",
			archive: `
-- a.js --
function f() {}
function g() { f.call(null); f.apply(null, []); const h = f.bind(null); h() }
`,
			want: []string{"a.js#g -> a.js#f call exact"},
		},
	})
}
