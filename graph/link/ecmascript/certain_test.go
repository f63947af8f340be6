package ecmascript_test

import (
	"strings"
	"testing"
)

func TestMissingMembers(t *testing.T) {
	const broken = `a.ts#f:3 call gone in "typescript:b.ts#A/class": no such member broken`
	const unsure = `a.ts#f:3 call gone in "typescript:b.ts#A/class": no such member`
	tests := []struct {
		name, a, b string // a stands below the imports of A and B
		want       []string
	}{
		{"a declared parameter", "export function f(a: A) { a.gone() }", "export class A {}", []string{broken}},
		{"what may be null", "export function f(a: A | null) { a!.gone() }", "export class A {}", []string{broken}},
		{"what new makes", "export function f() { const a = new A(); a.gone() }", "export class A {}", []string{broken}},
		{"a class that derives from a known one", "export function f(a: A) { a.gone() }", "class P {}\nexport class A extends P {}", []string{broken}},
		{"a static member", "export function f() { A.gone() }", "export class A { gone() {} }", []string{broken}},
		{"a field of this", "class F { a = new A(); x() {} }\nexport function f(x: F) { x.a.gone() }", "export class A {}",
			[]string{`a.ts#f:4 call gone in "typescript:b.ts#A/class": no such member broken`}},
		{"a property that is read", "export function f(a: A) { return a.gone }", "export class A {}",
			[]string{`a.ts#f:3 reference gone in "typescript:b.ts#A/class": no such member broken`}},
		{"a base class from elsewhere", "export function f(a: A) { a.gone() }", "import { E } from 'e'\nexport class A extends E {}", nil},
		{"a base class that is computed", "export function f(a: A) { a.gone() }", "class P {}\nconst mix = <T>(c: T) => c\nexport class A extends mix(P) {}",
			[]string{unsure}},
		{"an index signature", "export function f(a: A) { a.gone() }", "export class A { [key: string]: any }", []string{unsure}},
		{"a decorator of the class", "export function f(a: A) { a.gone() }", "@add export class A {}",
			[]string{unsure, `b.ts#A:1 reference add in "b.ts": no such name in the file`}},
		{"a class reopened elsewhere", "export function f(a: A) { a.there(); a.gone() }\ndeclare module './b' { interface A { there(): void } }", "export class A {}",
			[]string{broken}},
		{"an interface reopened for all", "export function f(a: A) { a.gone() }\ndeclare global { interface A { there(): void } }", "export class A {}",
			[]string{unsure}},
		{"a member given by assignment", "export function f(a: A) { a.gone() }", "export class A {}\n(A as any).prototype.other = 1\nA.prototype.gone = function () {}", nil},
		{"a class that derives has it", "export function f(a: A) { if (a instanceof B) a.gone() }", "export class A {}\nexport class B extends A { gone() {} }", nil},
		{"a class that derives has it, by a test that nobody reads", "export function f(a: A) { if (isB(a as any)) a.gone() }\ndeclare function isB(x: any): boolean", "export class A {}\nexport class B extends A { gone() {} }",
			[]string{unsure}},
		{"an intersection", "export function f(a: A & Partial<string>) { a.gone() }", "export class A {}", nil},
		{"a type parameter that is inferred", "function id<T>(x: T) { return x }\nexport function f(a: A) { id(a).gone() }", "export class A {}",
			[]string{`a.ts#f:4 call gone in "typescript:b.ts#A/class": no such member`}},
		{"a variable set twice", "export function f() { let a = new A(); a = other(); a.gone() }", "export class A {}",
			[]string{`a.ts#f:3 call other in "a.ts": no such name in the file`}},
		{"an error that is expected", "export function f(a: A) { // @ts-expect-error\na.gone() }", "export class A {}",
			[]string{`a.ts#f:4 call gone in "typescript:b.ts#A/class": no such member`}},
		{"an error that is ignored, below two comments", "export function f(a: A) { // @ts-ignore\n// why\na.gone() }", "export class A {}",
			[]string{`a.ts#f:5 call gone in "typescript:b.ts#A/class": no such member`}},
		{"a file that is not checked", "// @ts-nocheck\nexport function f(a: A) { a.gone() }", "export class A {}",
			[]string{`a.ts#f:4 call gone in "typescript:b.ts#A/class": no such member`}},
	}
	for _, tt := range tests {
		b := tt.b
		if !strings.HasPrefix(tt.name, "a class that derives has it") {
			b += "\nexport class B {}"
		}
		one := linkTest{name: tt.name, archive: "-- a.ts --\nimport { A, B } from './b'\n\n" + tt.a + "\n-- b.ts --\n" + b + "\n", unresolved: tt.want}
		t.Run(tt.name, func(t *testing.T) { one.runUnresolved(t) })
	}
	t.Run("JavaScript says nothing", func(t *testing.T) {
		one := linkTest{archive: "-- a.js --\nclass A {}\nexport function f() { const a = new A(); a.gone() }\n",
			unresolved: []string{`a.js#f:2 call gone in "javascript:a.js#A/class": no such member`}}
		one.runUnresolved(t)
	})
}

func TestNumberOfArguments(t *testing.T) {
	const broken = `a.ts#f:3 call g in "typescript:b.ts#g/function": call does not fit the signature broken`
	tests := []struct {
		name, a, b string
		want       []string
	}{
		{"a required parameter", "export function f() { g(1) }", "export function g(a: number, b: string) {}", []string{broken}},
		{"none at all", "export function f() { g() }", "export function g(a: number) {}", []string{broken}},
		{"one too many", "export function f() { g(1, 'x') }", "export function g(a: number) {}", []string{broken}},
		{"more than a parameter in pieces", "export function f(x: any) { g(x, 1) }", "export function g({ a, b }: any) {}", []string{broken}},
		{"room for the rest", "export function f() { g(1, 2, 3) }", "export function g(a: number, ...b: number[]) {}", nil},
		{"enough", "export function f() { g(1, 'x') }", "export function g(a: number, b: string) {}", nil},
		{"an optional one, a default, the rest", "export function f() { g() }", "export function g(a?: number, b: string = '', ...c: string[]) {}", nil},
		{"a spread", "export function f(x: [number, string]) { g(...x) }", "export function g(a: number, b: string) {}", nil},
		{"overloads", "export function f() { g() }", "export function g(): void\nexport function g(a: number): void\nexport function g(a?: any) {}", nil},
		{"a parameter that may be void", "export function f() { g() }", "export function g(a: number | void) {}", nil},
		{"a parameter of any type", "export function f() { g(1) }", "export function g(a: any, b: unknown) {}", []string{broken}},
		{"a parameter of any type or none", "export function f() { g(1) }", "export function g(a: any, b: unknown | void) {}", nil},
		{"a member of a module", "import * as b from './b'\nexport function f() { b.g() }", "export function g(a: number) {}",
			[]string{`a.ts#f:4 call g in "typescript:b.ts#g/function": call does not fit the signature broken`}},
		{"a part of a module", "import * as b from './b'\nconst { g: h } = b\nexport function f() { h() }", "export function g(a: number) {}",
			[]string{`a.ts#f:5 call g in "typescript:b.ts#g/function": call does not fit the signature broken`}},
		{"a part of a module or something else", "import * as b from './b'\nconst { g: h = () => {} } = b\nexport function f() { h() }", "export function g(a: number) {}", nil},
		{"a part of a module, set twice", "import * as b from './b'\nlet { g: h } = b\nh = () => {}\nexport function f() { h() }", "export function g(a: number) {}", nil},
		{"a member of what bears the name of a module", "import * as b from './b'\nexport function f(b: any) { b.g() }", "export function g(a: number) {}",
			[]string{`a.ts#f:4 call g in "": receiver type unknown`}},
		{"a type parameter", "export function f() { g() }", "export function g<T>(a: T) {}", nil},
		{"a type of the variable", "export function f() { g() }", "export const g: () => void = ((a: number) => {}) as any", nil},
		{"a bound function", "const h = g.bind(null, 1)\nexport function f() { h('x') }", "export function g(a: number, b: string) {}", nil},
		{"a constructor", "export function f() { new g() }", "export class g { constructor(a: number) {} }",
			[]string{`a.ts#f:3 call constructor in "typescript:b.ts#g.constructor/constructor": call does not fit the signature broken`}},
		{"a method", "export function f(x: g) { x.m() }", "export class g { m(a: number) {} }",
			[]string{`a.ts#f:3 call m in "typescript:b.ts#g.m/method": call does not fit the signature broken`}},
		{"a method that a class overrides", "export function f(x: g) { x.m() }", "export class g { m(a: number) {} }\nclass h extends g { m() {} }", nil},
		{"an error that is expected", "export function f() { // @ts-expect-error\ng() }", "export function g(a: number) {}", nil},
	}
	for _, tt := range tests {
		one := linkTest{archive: "-- a.ts --\nimport { g } from './b'\n\n" + tt.a + "\n-- b.ts --\n" + tt.b + "\n", unresolved: tt.want}
		t.Run(tt.name, func(t *testing.T) { one.runUnresolved(t) })
	}
	t.Run("JavaScript says nothing", func(t *testing.T) {
		one := linkTest{archive: "-- a.js --\nfunction g(a) {}\nexport function f() { g() }\n"}
		one.runUnresolved(t)
	})
}
