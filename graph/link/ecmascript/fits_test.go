package ecmascript_test

import "testing"

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
