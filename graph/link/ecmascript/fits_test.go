package ecmascript_test

import (
	"strings"
	"testing"
)

// TestFunctionsThatDoNotFit gives a function more required parameters than what
// calls it hands over. Each case that may be right says nothing.
func TestFunctionsThatDoNotFit(t *testing.T) {
	const b = `
export type Two = (a: number, b: string) => void
export type Rest = (a: number, ...b: string[]) => void
export type Any = Two | any
export type OfThis = (this: object, a: number) => void
export interface Called { (a: number): void }
export interface Over { (a: number): void; (a: number, b: string): void }
export interface Shape { m(a: number): void }
export class Base { #p(a: number): void {} protected p(a: number): void {} m(a: number): void {} static s(a: number): void {} }
export class Rests { m(...a: number[]): void {} }
export function run(f: (a: number) => void) {}
export function maybe(f?: Two | null) {}
export function each<F extends (a: number) => void>(f: F) {}
`
	const reference = "a.ts#f:3 reference f in \"typescript:a.ts#f/function\": function does not fit its declared type broken"
	const passed = "a.ts:4 reference f in \"typescript:a.ts#f/function\": function does not fit where it is passed on broken"
	tests := []struct {
		name, a string
		want    []string
	}{
		{"a declared type", "export const f: Two = (a: number, b: string, c: number) => {}", []string{reference}},
		{"as many as the declared type", "export const f: Two = (a: number, b: string) => {}", nil},
		{"fewer, and one that may be left out", "export const f: Two = (a: number, b: string, c?: number) => {}", nil},
		{"a rest parameter in the type", "export const f: Rest = (a: number, b: string, c: string) => {}", nil},
		{"a type that is anything as well", "export const f: Any = (a: number, b: string, c: string) => {}", nil},
		{"a type with this", "export const f: OfThis = (a: number, b: string) => {}", []string{reference}},
		{"an interface with a call", "export const f: Called = (a: number, b: string) => {}", []string{reference}},
		{"an interface with two", "export const f: Over = (a: number, b: string, c: string) => {}", nil},
		{"a type out of the tree", "export const f: EventListener = (a: any, b: string, c: string) => {}", nil},
		{"an error that is expected", "// @ts-expect-error\nexport const f: Two = (a: number, b: string, c: number) => {}", nil},
		{"passed on", "function f(a: number, b: string) {}\nrun(f)", []string{passed}},
		{"passed on where it fits", "function f(a: number) {}\nrun(f)", nil},
		{"passed on where there is room", "function f(a: number, b: string) {}\nmaybe(f)", nil},
		{"passed on beside null", "function f(a: number, b: string, c: string) {}\nmaybe(f)", []string{passed}},
		{"passed on as a type parameter", "function f(a: number, b: string) {}\neach(f)", nil},
		{"passed on by another name", "function f(a: number, b: string) {}\nconst g = f as any\nrun(g)", nil},
		{"a method of a class", "export class D extends Base { m(a: number, b: string) {} }", []string{
			`a.ts#D.m:3 override m in "typescript:a.ts#D.m/method": method does not fit the one that it replaces broken`,
			`a.ts#D.m:3 override m in "typescript:b.ts#Base.m/method": method does not fit the one that it replaces broken`}},
		{"a method of an interface", "export class D implements Shape { m(a: number, b: string) {} }", []string{
			`a.ts#D.m:3 override m in "typescript:a.ts#D.m/method": method does not fit the one that it replaces broken`,
			`a.ts#D.m:3 override m in "typescript:b.ts#Shape.m/method": method does not fit the one that it replaces broken`}},
		{"a method of the same private name", "export class D extends Base { #p(a: number, b: string) {} }", nil},
		{"a protected method", "export class D extends Base { protected p(a: number, b: string) {} }", []string{
			`a.ts#D.p:3 override p in "typescript:a.ts#D.p/method": method does not fit the one that it replaces broken`,
			`a.ts#D.p:3 override p in "typescript:b.ts#Base.p/method": method does not fit the one that it replaces broken`}},
		{"a method that replaces one with a rest", "export class D extends Rests { m(a: number, b: number) {} }", nil},
		{"a method that takes no more", "export class D extends Base { m(a: number, b?: string) {} }", nil},
		{"a method of no base", "export class D { m(a: number, b: string) {} }", nil},
	}
	for _, tt := range tests {
		one := linkTest{archive: "-- a.ts --\nimport { Two, Rest, Any, OfThis, Called, Over, Shape, Base, Rests, run, maybe, each } from './b'\n\n" +
			tt.a + "\n-- b.ts --\n" + b, unresolved: tt.want}
		t.Run(tt.name, func(t *testing.T) { one.runUnresolved(t) })
	}
}

// TestArgumentsOfImportedModules passes too much to a function of a module that an
// expression is. Where it may be another module, nothing is said.
func TestArgumentsOfImportedModules(t *testing.T) {
	const misfit = `a.ts#f:%d call use in "typescript:b.ts#use/function": call does not fit the signature broken`
	const unknown = "a.ts#f:2 call use in \"\": receiver type unknown"
	at := func(line string) []string { return []string{strings.Replace(misfit, "%d", line, 1)} }
	tests := []struct {
		name, a string
		want    []string
	}{
		{"imported on the spot", "export async function f() { (await import('./b')).use(1) }", at("1")},
		{"taken out of it", "export async function f() { const { use } = await import('./b'); use(1) }", at("1")},
		{"from a function that imports", "const load = () => import('./b')\nexport async function f() { const { use } = await load(); use(1) }", at("2")},
		{"from an async one", "async function load() { return await import('./b') }\nexport async function f() { const b = await load(); (await load()).use(1) }", at("2")},
		{"from one of two modules", "const load = (x: any) => x ? import('./b') : import('./c')\nexport async function f() { (await load(1)).use(1) }", nil},
		{"from one that declares what it gives", "const load = (): Promise<any> => import('./b')\nexport async function f() { (await load()).use(1) }", []string{unknown}},
		{"from a parameter", "const load = () => import('./b')\nexport async function f(load: any) { (await load()).use(1) }",
			[]string{"a.ts#f:2 call load in \"typescript:a.ts#f/function\": function value unknown", unknown}},
	}
	for _, tt := range tests {
		one := linkTest{archive: "-- a.ts --\n" + tt.a + "\n-- b.ts --\nexport function use() {}\n-- c.ts --\nexport function use(n: number) {}\n",
			unresolved: tt.want}
		t.Run(tt.name, func(t *testing.T) { one.runUnresolved(t) })
	}
}
