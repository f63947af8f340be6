package ecmascript_test

import "testing"

func TestLiteralsCalledOnTheSpot(t *testing.T) {
	runAll(t, []linkTest{
		{
			name: "a function literal that is called where it stands is called by what is around it, which makes its calls",
			archive: `
-- a.ts --
export function f(s: Store) {
  const value = (async () => { helper(); return s })()
  return ((given) => given.get())(s)
}
function helper() {}
class Store { get() {} }
export const g = () => (function loop(n: number): number { return n })(1)
`,
			want: []string{"a.ts#f -> a.ts#Store.get call exact", "a.ts#f -> a.ts#f.func1 call exact", "a.ts#f -> a.ts#f.func2 call exact",
				"a.ts#f -> a.ts#helper call exact", "a.ts#g -> a.ts#g.loop call exact"},
		},
		{
			name: "one that is only passed on has no definition",
			archive: `
-- a.ts --
export function f() { [1].forEach((n) => helper(n)); const later = () => helper(2); return later }
function helper(n: number) {}
`,
			want: []string{"a.ts#f -> a.ts#helper call exact", "a.ts#f.later -> a.ts#helper call exact"},
		},
	})
}
