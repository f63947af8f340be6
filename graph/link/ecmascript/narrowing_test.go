package ecmascript_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/link"
)

// TestNarrowing calls x.m() where x is an A, a B, a string or a function; want
// lists the classes whose m is called. Absence is asserted as much as presence.
func TestNarrowing(t *testing.T) {
	const b = `
export class A { kind: 'a' = 'a'; m() {} }
export class B { kind: 'b' = 'b'; own() {}; m() {} }
export class Sub extends A { m() {} }
export interface Fn { (): void; m(): void }
export enum Kind { One, Two }
export class One { is: Kind.One; m() {} }
export class Two { is: Kind.Two; m() {} }
export function isA(x: unknown): x is A { return x instanceof A }
export const isText = (x: unknown): x is string => typeof x === 'string'
`
	tests := []struct {
		name, a string
		want    string // owners of the methods that f calls, in order
	}{
		{"nothing is known", "f(x: A | B) { x.m() }", "A B Sub"},
		{"instanceof", "f(x: A | B) { if (x instanceof B) x.m() }", "B"},
		{"instanceof, else", "f(x: A | B) { if (x instanceof B) {} else x.m() }", "A Sub"},
		{"not instanceof", "f(x: A | B) { if (!(x instanceof A)) { x.m() } }", "B"},
		{"instanceof an heir", "f(x: A | B) { if (x instanceof Sub) x.m() }", "Sub"},
		{"instanceof of something unknown", "f(x: any) { if (x instanceof B) x.m() }", "B"},
		{"only inside", "f(x: A | B) { if (x instanceof B) {} x.m() }", "A B Sub"},
		{"behind a branch that returns", "f(x: A | B) { if (x instanceof A) return; x.m() }", "B"},
		{"behind a branch that throws, the other way", "f(x: A | B) { if (x instanceof B) {} else { throw 0 } x.m() }", "B"},
		{"behind a branch that may go on", "f(x: A | B, y: any) { if (x instanceof A) { if (y) return }; x.m() }", "A B Sub"},
		{"set anew inside", "f(x: A | B, y: A) { if (x instanceof B) { x = y; x.m() } }", "A B Sub"},
		{"the value that sets it anew", "f(x: A | B) { if (x instanceof B) { x = x.m() as any } }", "B"},
		{"set anew in the branch that goes on", "f(x: A | B, y: A) { if (x instanceof B) { x = y } else { return } x.m() }", "A B Sub"},
		{"a function that runs later", "f(x: A | B, y: A) { if (x instanceof B) { later(() => x.m()) } x = y }", "A B Sub"},
		{"a function that runs later, but nothing sets the name", "f(x: A | B) { if (x instanceof B) { later(() => x.m()) } }", "B"},
		{"a local of the same name", "f(x: A | B, y: A) { if (x instanceof B) { const x = y; x.m() } }", "A Sub"},
		{"and", "f(x: A | B) { return x instanceof B && x.m() }", "B"},
		{"or", "f(x: A | B) { return x instanceof A || x.m() }", "B"},
		{"either of two", "f(x: A | B | One) { if (x instanceof B || x instanceof One) x.m() }", "B One"},
		{"neither of two", "f(x: A | B | One) { if (!(x instanceof B || x instanceof One)) x.m() }", "A Sub"},
		{"either, of which one says nothing", "f(x: A | B, y: any) { if (x instanceof B || y) x.m() }", "A B Sub"},
		{"a condition", "f(x: A | B) { return x instanceof B ? 0 : x.m() }", "A Sub"},
		{"a loop", "f(x: A | B) { while (x instanceof B) x.m() }", "B"},
		{"typeof string", "f(x: A | string) { if (typeof x === 'string') x.m() }", ""},
		{"typeof not string", "f(x: A | B | string) { if ('object' !== typeof x) {} else x.m() }", "A B Sub"},
		{"typeof function", "f(x: A | Fn) { if (typeof x == 'function') x.m() }", "Fn"},
		{"falsy or no object", "f(x: A | string) { if (!x || typeof x !== 'object') x.m() }", ""},
		{"null or a number", "f(x: A | number | null) { if (x === null || typeof x === 'number') x.m() }", ""},
		{"in", "f(x: A | B) { if ('own' in x) x.m() }", "B"},
		{"in, of no class", "f(x: A | B) { if ('lost' in x) x.m() }", "A B Sub"},
		{"a discriminant", "f(x: A | B) { if (x.kind === 'b') x.m() }", "B"},
		{"not a discriminant", "f(x: A | B) { if (x.kind !== 'b') x.m() }", "A Sub"},
		{"a discriminant of an enumeration", "f(x: One | Two) { if (x.is === Kind.Two) x.m() }", "Two"},
		{"a discriminant that nobody has", "f(x: A | B) { if (x.kind === 'c') x.m() }", "A B Sub"},
		{"a switch", "f(x: A | B) { switch (x.kind) { case 'a': break; case 'b': x.m() } }", "B"},
		{"a switch that runs on", "f(x: A | B) { switch (x.kind) { case 'a': later(); case 'b': x.m() } }", "A B Sub"},
		{"two cases in one", "f(x: A | B | One) { switch (x.kind) { case 'a': case 'b': x.m() } }", "A B One Sub"},
		{"behind a switch", "f(x: A | B) { switch (x.kind) { case 'b': later() } x.m() }", "A B Sub"},
		{"switch typeof", "f(x: A | string) { switch (typeof x) { case 'string': x.m() } }", ""},
		{"a guard", "f(x: A | B) { if (isA(x)) x.m() }", "A Sub"},
		{"no guard", "f(x: A | B) { if (!isA(x)) x.m() }", "B"},
		{"a guard of a type of the language", "f(x: A | string) { if (isText(x)) { x.m() } }", ""},
		{"a list", "f(x: A | A[]) { if (Array.isArray(x)) x.m() }", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := load(t, "-- a.ts --\nimport { A, B, Sub, Fn, Kind, One, Two, isA, isText } from './b'\ndeclare function later(f?: any): void\nexport function "+tt.a+"\n-- b.ts --\n"+b)
			if got := owners(in, linkAll(t, in), "f", "m"); got != tt.want {
				t.Errorf("calls m of %q, want %q", got, tt.want)
			}
		})
	}
}

// owners are the classes of the methods of this name that a function may call.
func owners(in link.Input, out link.Output, from, method string) string {
	var all []string
	for _, e := range out.Edges {
		to := &in.Symbols[e.To]
		if (e.Kind == graph.EdgeCall || e.Kind == graph.EdgeDispatch) && in.Symbols[e.From].Name == from && to.Name == method {
			all = append(all, to.Container)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}
