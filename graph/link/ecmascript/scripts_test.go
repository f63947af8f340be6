package ecmascript_test

import (
	"testing"

	"github.com/previdence/previdence/graph"
)

func TestDeclarationFiles(t *testing.T) {
	runAll(t, []linkTest{
		{
			name: "a script imports what runs, TypeScript what is declared and what runs behind it",
			archive: `
-- a.js --
const make = require('./lib')
function f() { make().get() }
-- a.ts --
import make from './lib'
export function g() { make() }
-- lib.js --
function make() { return { get() {} } }
module.exports = make
module.exports.default = make
-- lib.d.ts --
export interface Made { get(): void }
declare function make(): Made
export default make
`,
			want: []string{"a.js#f -> lib.js#make call exact", "a.js#f -> lib.js#make.get call exact",
				"a.ts#g -> lib.d.ts#make call exact", "a.ts#g -> lib.js#make dispatch dispatch"},
		},
		{
			name: "what the script does not tell, its declaration tells",
			archive: `
-- a.js --
const { make } = require('./lib')
function f() { make(function (made) { made.get() }) }
-- lib.js --
exports.make = function make(use) { process.on(use) }
-- lib.d.ts --
export class Made { get(): void }
export function make(use: (made: Made) => void): void
`,
			want: []string{"a.js#f -> lib.d.ts#Made.get call exact", "a.js#f -> lib.js#make call exact"},
		},
		{
			name: "a package pairs its types with its main file",
			archive: `
-- package.json --
{"name": "p", "types": "types/index.d.ts", "main": "lib/main.js"}
-- test.js --
const { run } = require('.')
function f() { run() }
-- lib/main.js --
exports.run = function run() {}
-- types/index.d.ts --
export function run(): void
`,
			want: []string{"test.js#f -> lib/main.js#run call exact"},
		},
		{
			name: "conditions of exports pair a declaration with its script",
			archive: `
-- package.json --
{"name": "p", "exports": {"./sub": {"types": "./types/sub.d.ts", "default": "./lib/sub.js"}}}
-- test.mjs --
import { run } from 'p/sub'
function f() { run() }
-- lib/sub.js --
export function run() {}
-- types/sub.d.ts --
export function run(): void
`,
			want: []string{"test.mjs#f -> lib/sub.js#run call exact"},
		},
		{
			name: "methods of a declared class lead to those that run",
			archive: `
-- a.ts --
import { Box } from './box.js'
export function g(b: Box) { b.open(); Box.of() }
-- box.js --
export class Box { open() {} static of() {} }
-- box.d.ts --
export class Box { open(): void; static of(): Box }
`,
			want: []string{"a.ts#g -> box.d.ts#Box.of call exact", "a.ts#g -> box.d.ts#Box.open call exact",
				"a.ts#g -> box.js#Box.of dispatch dispatch", "a.ts#g -> box.js#Box.open dispatch dispatch"},
		},
		{
			name: "what runs stands behind what is declared",
			archive: `
-- box.js --
export class Box { open() {} }
-- box.d.ts --
export class Box { open(): void }
`,
			kinds: []graph.EdgeKind{graph.EdgeOverride},
			want:  []string{"box.js#Box -> box.d.ts#Box override exact", "box.js#Box.open -> box.d.ts#Box.open override exact"},
		},
		{
			name: "a name that only the declaration has is not broken",
			archive: `
-- a.js --
const { later } = require('./lib')
function f() { later() }
-- lib.js --
exports.now = () => {}
-- lib.d.ts --
export function now(): void
export function later(): void
`,
			want: []string{"a.js#f -> lib.d.ts#later call exact"},
		},
	})
}
