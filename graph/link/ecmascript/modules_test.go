package ecmascript_test

import (
	"testing"

	"github.com/previdence/previdence/graph"
)

func TestModules(t *testing.T) {
	runAll(t, []linkTest{
		{
			name: "default, named, renamed and namespace imports",
			archive: `
-- a.ts --
import d, { n, r as renamed } from './b'
import * as ns from './b'
import type { T } from './b'
export function f(t: T) { d(); n(); renamed(); ns.n() }
-- b.ts --
export default function d() {}
export function n() {}
export function r() {}
export type T = string
`,
			want: []string{"a.ts#f -> b.ts#d call exact", "a.ts#f -> b.ts#n call exact", "a.ts#f -> b.ts#r call exact"},
		},
		{
			name: "a module imports modules, names and re-exports on the way",
			archive: `
-- a.ts --
import { g } from './index'
-- index.ts --
export { f as g } from './b'
-- b.ts --
export function f() {}
`,
			kinds: []graph.EdgeKind{graph.EdgeImport},
			want: []string{"a.ts -> b.ts#f import exact", "a.ts -> index.ts import exact", "a.ts -> index.ts#g import exact",
				"index.ts -> b.ts import exact", "index.ts#g -> b.ts#f import exact"},
		},
		{
			name: "chains of barrels with a cycle lead to the one definition",
			archive: `
-- a.ts --
import { deep } from './index'
export function f() { deep() }
-- index.ts --
export * from './one'
export * from './two'
-- one.ts --
export * from './index'
-- two.ts --
export * from './three'
export * from './one'
-- three.ts --
export function deep() {}
`,
			want: []string{"a.ts#f -> three.ts#deep call exact"},
		},
		{
			name: "an export that is gone breaks the import and its uses",
			archive: `
-- a.ts --
import { gone, kept } from './b'
import * as ns from './b'
export function f() { gone(); kept(); ns.gone() }
export const x = gone
-- b.ts --
export function kept() {}
`,
			want: []string{"a.ts#f -> b.ts#kept call exact"},
			unresolved: []string{
				`a.ts#f:3 call gone in "b.ts": no such export broken`,
				`a.ts#x:4 reference gone in "b.ts": no such export broken`,
				`a.ts:1 import gone in "b.ts": no such export broken`,
			},
		},
		{
			name: "the only export of a file is gone",
			archive: `
-- a.ts --
import byDefault, { gone } from './b'
-- b.ts --
function gone() {}
`,
			unresolved: []string{`a.ts:1 import default in "b.ts": no such export broken`, `a.ts:1 import gone in "b.ts": no such export broken`},
		},
		{
			name: "an export that is gone behind a barrel names the barrel",
			archive: `
-- a.ts --
import { gone } from './index'
gone()
-- index.ts --
export * from './b'
-- b.ts --
export const kept = 1
`,
			unresolved: []string{`a.ts:1 import gone in "index.ts": no such export broken`, `a.ts:2 call gone in "index.ts": no such export broken`},
		},
		{
			name: "a star from a package outside may have the export",
			archive: `
-- a.ts --
import { maybe } from './b'
maybe()
-- b.ts --
export * from 'outside'
`,
		},
		{
			name: "a file that does not parse whole may have the export",
			archive: `
-- a.ts --
import { maybe } from './b'
maybe()
-- b.ts --
export const = = 1
export const kept = 1
`,
			unresolved: []string{`a.ts:2 call maybe in "b.ts": module not followed`},
		},
		{
			name: "a file that is gone breaks its importers",
			archive: `
-- src/a.ts --
import { f } from './gone'
export function g() { f() }
-- src/c.js --
const { f } = require('../lib2/gone.js')
-- src/d.ts --
import x from '../dist/bundle'
import './style.css'
`,
			unresolved: []string{
				`src/a.ts#g:2 call f in "src/gone": no such file broken`,
				`src/a.ts:1 import ./gone in "src/gone": no such file broken`,
				`src/c.js:1 import ../lib2/gone.js in "lib2/gone.js": no such file broken`,
				`src/d.ts:1 import ../dist/bundle in "dist/bundle": no such file`,
				`src/d.ts:2 import ./style.css in "src/style.css": no such file`,
			},
		},
		{
			name: "a module that may be absent is not broken",
			archive: `
-- a.js --
let x
try { x = require('./optional') } catch {}
`,
			unresolved: []string{`a.js:2 import ./optional in "optional": no such file`},
		},
		{
			name: "extensions, directories and dots in names",
			archive: `
-- a.ts --
import { u } from './user.entity'
import { j } from './js.js'
import { d } from './dir'
import { m } from './mod.mjs'
export function f() { u(); j(); d(); m() }
-- user.entity.ts --
export function u() {}
-- js.ts --
export function j() {}
-- dir/index.ts --
export function d() {}
-- mod.mts --
export function m() {}
`,
			want: []string{"a.ts#f -> dir/index.ts#d call exact", "a.ts#f -> js.ts#j call exact",
				"a.ts#f -> mod.mts#m call exact", "a.ts#f -> user.entity.ts#u call exact"},
		},
		{
			name: "dynamic import and import types",
			archive: `
-- a.ts --
export async function f() {
  const m = await import('./b')
  m.b()
  const { b } = await import('./b')
  b()
  import('./b').then(x => x.b())
}
export function g(x: import('./b').C) { x.m() }
export function h(y: typeof import('./b')) { y.b() }
-- b.ts --
export function b() {}
export class C { m() {} }
`,
			want: []string{"a.ts#f -> b.ts#b call exact", "a.ts#g -> b.ts#C.m call exact", "a.ts#h -> b.ts#b call exact"},
		},
	})
}

func TestConfiguration(t *testing.T) {
	runAll(t, []linkTest{
		{
			name: "the directory of a package is its main file, at the root too",
			archive: `
-- package.json --
{ "main": "app.js" }
-- app.js --
exports.run = function () {}
-- test/a.js --
const app = require('..')
function f() { app.run() }
`,
			want: []string{"test/a.js#f -> app.js#run call exact"},
		},
		{
			name: "main files that lead to one another",
			archive: `
-- a/package.json --
{ "main": "b" }
-- a/b/package.json --
{ "main": ".." }
-- c.js --
const a = require('./a')
function f() { a.run() }
`,
			unresolved: []string{`c.js#f:2 call run in "": receiver type unknown`, `c.js#f:2 reference = in "a": no such file broken`,
				`c.js:1 import ./a in "a": no such file broken`},
		},
		{
			name: "paths of the nearest tsconfig, with extends, comments and trailing commas",
			archive: `
-- tsconfig.base.json --
{
  // shared
  "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["lib/src/*"], "@one": ["lib/src/one.ts"], } },
}
-- app/tsconfig.json --
{ "extends": "../tsconfig.base.json" }
-- app/a.ts --
import { x } from '@lib/x'
import { one } from '@one'
export function f() { x(); one() }
-- other/a.ts --
import { x } from '@lib/x'
export function f() { x() }
-- lib/src/x.ts --
export function x() {}
-- lib/src/one.ts --
export function one() {}
`,
			want: []string{"app/a.ts#f -> lib/src/one.ts#one call exact", "app/a.ts#f -> lib/src/x.ts#x call exact"},
		},
		{
			name: "baseUrl and the paths of a referenced project",
			archive: `
-- tsconfig.json --
{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }
-- tsconfig.app.json --
{ "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }
-- src/a.ts --
import { b } from '~/b'
export function f() { b() }
-- src/b.ts --
export function b() {}
-- web/jsconfig.json --
{ "compilerOptions": { "baseUrl": "src" } }
-- web/src/a.js --
import { c } from 'parts/c'
export function g() { c() }
-- web/src/parts/c.js --
export function c() {}
`,
			want: []string{"src/a.ts#f -> src/b.ts#b call exact", "web/src/a.js#g -> web/src/parts/c.js#c call exact"},
		},
		{
			name: "packages of the tree: exports, conditions, patterns, sources of built files",
			archive: `
-- package.json --
{ "name": "root", "workspaces": ["packages/*"] }
-- packages/a/package.json --
{ "name": "@s/a", "dependencies": { "@s/b": "workspace:*", "alias": "npm:@s/b@1" }, "imports": { "#own": "./src/own.ts" } }
-- packages/a/src/a.ts --
import { b } from '@s/b'
import { sub } from '@s/b/sub/deep'
import { b as again } from 'alias'
import { own } from '#own'
import { out } from 'not-here'
export function f() { b(); sub(); again(); own(); out() }
-- packages/a/src/own.ts --
export function own() {}
-- packages/b/package.json --
{ "name": "@s/b", "exports": { ".": { "types": "./dist/index.d.ts", "import": "./dist/index.js" }, "./sub/*": "./src/sub/*.ts" } }
-- packages/b/src/index.ts --
export function b() {}
-- packages/b/src/sub/deep.ts --
export function sub() {}
`,
			want: []string{"packages/a/src/a.ts#f -> packages/a/src/own.ts#own call exact",
				"packages/a/src/a.ts#f -> packages/b/src/index.ts#b call import",
				"packages/a/src/a.ts#f -> packages/b/src/sub/deep.ts#sub call exact"},
		},
		{
			name: "the same name in two packages is told apart by the import",
			archive: `
-- p/package.json --
{ "name": "p", "main": "index.js" }
-- p/index.js --
exports.run = function () {}
-- q/package.json --
{ "name": "q", "main": "index.js" }
-- q/index.js --
exports.run = function () {}
-- a.js --
const { run } = require('q')
function f() { run() }
`,
			want: []string{"a.js#f -> q/index.js#run call exact"},
		},
		{
			name: "a package name that two packages claim is not chosen",
			archive: `
-- p/package.json --
{ "name": "twin" }
-- p/index.js --
exports.run = function () {}
-- q/package.json --
{ "name": "twin" }
-- q/index.js --
exports.run = function () {}
-- a.js --
const { run } = require('twin')
function f() { run() }
`,
			unresolved: []string{`a.js#f:2 call run in "": module not followed`},
		},
		{
			name: "a workspace links its members, not every package.json",
			archive: `
-- pnpm-workspace.yaml --
packages: ['packages/*', '!packages/old']
-- package.json --
{ "name": "root" }
-- packages/lib/package.json --
{ "name": "lib", "main": "lib.js" }
-- packages/lib/lib.js --
exports.run = () => 1
-- packages/old/package.json --
{ "name": "lib", "main": "lib.js" }
-- packages/old/lib.js --
exports.run = () => 1
-- packages/app/package.json --
{ "name": "app" }
-- packages/app/a.js --
const { run } = require('lib')
const { render } = require('react')
function f() { run(); render() }
-- packages/app/fixtures/react/package.json --
{ "name": "react", "main": "index.js" }
-- packages/app/fixtures/react/index.js --
exports.render = () => 1
`,
			want: []string{"packages/app/a.js#f -> packages/lib/lib.js#run call exact"},
		},
		{
			name: "a file of another package that is gone breaks its importers",
			archive: `
-- b/package.json --
{ "name": "b" }
-- b/kept.js --
exports.kept = () => 1
-- c/package.json --
{ "name": "c", "exports": { "./kept": "./kept.js", "./made": "./dist/made.js" } }
-- c/kept.js --
exports.kept = () => 1
-- a.js --
const { kept } = require('b/kept')
require('b/gone')
require('c/gone')
require('c/made')
`,
			unresolved: []string{`a.js:2 import b/gone in "b/gone": no such file broken`, `a.js:3 import c/gone in "c/gone": no such file broken`},
		},
		{
			name: "configuration that is no JSON is no configuration",
			archive: `
-- tsconfig.json --
{ "compilerOptions": [
-- package.json --
"text"
-- a.ts --
import { b } from './b'
b()
-- b.ts --
export function b() {}
`,
			want: []string{"a.ts -> b.ts#b call exact"},
		},
	})
}

func TestCommonJS(t *testing.T) {
	runAll(t, []linkTest{
		{
			name: "exports, module.exports and require in its forms",
			archive: `
-- a.js --
const b = require('./b')
const { one, two: second } = require('./b')
const C = require('./c')
function f() { b.one(); one(); second(); new C().m(); require('./b').two() }
-- b.js --
exports.one = function () {}
module.exports.two = two
function two() {}
-- c.js --
class C { m() {} }
module.exports = C
`,
			want: []string{"a.js#f -> b.js#one call exact", "a.js#f -> b.js#two call exact", "a.js#f -> c.js#C call exact", "a.js#f -> c.js#C.m call exact"},
		},
		{
			name: "an object of functions, and what is added to it",
			archive: `
-- a.js --
const b = require('./b')
module.exports.f = function () { b.x(); b.y(); b.z(); b.w() }
-- b.js --
function x() {}
module.exports = { x, y() {}, z: () => 1 }
Object.assign(module.exports, { w: function () {} })
`,
			want: []string{"a.js#f -> b.js#w call exact", "a.js#f -> b.js#x call exact", "a.js#f -> b.js#y call exact", "a.js#f -> b.js#z call exact"},
		},
		{
			name: "names taken out of an exported object, and out of what another module exports",
			archive: `
-- a.js --
const { x, y } = require('./b')
const { x: again } = require('./c')
function f() { x(); y(); again() }
-- b.js --
function x() {}
module.exports = { x, y() {} }
-- c.js --
module.exports = require('./b')
`,
			want: []string{"a.js#f -> b.js#x call exact", "a.js#f -> b.js#y call exact"},
		},
		{
			name: "an export that is gone from CommonJS, if all exports are listed",
			archive: `
-- a.js --
const { gone } = require('./b')
const { maybe } = require('./c')
const b = require('./b')
gone(); maybe(); b.gone()
-- b.js --
exports.kept = 1
-- c.js --
module.exports = {}
module.exports[name] = 1
`,
			unresolved: []string{
				`a.js:1 import gone in "b.js": no such export broken`,
				`a.js:4 call gone in "b.js": no such export broken`,
				`a.js:4 call maybe in "c.js": module not followed`,
				`c.js:2 reference name in "c.js": no such name in the file`,
			},
		},
		{
			name: "a module that hands itself to its parts",
			archive: `
-- user/index.js --
const User = module.exports
require('./create')(User)
User.top = function () { User.create() }
-- user/create.js --
module.exports = function (User) {
  User.create = function () { User.top() }
}
-- a.js --
const user = require('./user')
function f() { user.create(); user.top() }
`,
			want: []string{"a.js#f -> user/create.js#User.create call exact", "a.js#f -> user/index.js#top call exact",
				"user/create.js#User.create -> user/index.js#top call exact",
				"user/index.js -> user/create.js#default call exact",
				"user/index.js#top -> user/create.js#User.create call exact"},
		},
		{
			name: "objects that are filled after they were exported",
			archive: `
-- a.js --
const b = require('./b')
function f() { b.mocks.note(); b.tools.move() }
-- b.js --
const B = module.exports
B.mocks = {}
B.mocks.note = function () {}
const tools = {}
B.tools = tools
tools.move = () => B.mocks.note()
`,
			want: []string{"a.js#f -> b.js#B.mocks.note call exact", "a.js#f -> b.js#tools.move call exact",
				"b.js#tools.move -> b.js#B.mocks.note call exact"},
		},
		{
			name: "require in a function, and a default import of CommonJS",
			archive: `
-- a.js --
function f() { const { late } = require('./b'); late() }
-- b.js --
exports.late = () => {}
-- c.ts --
import b from './b'
import legacy = require('./b')
export function g() { b.late(); legacy.late() }
`,
			want: []string{"a.js#f -> b.js#late call exact", "c.ts#g -> b.js#late call exact"},
		},
		{
			name: "prototype and constructor functions",
			archive: `
-- a.js --
function A() { this.b = new B() }
A.prototype.run = function () { this.stop(); this.b.go() }
A.prototype.stop = function () {}
A.make = function () { return new A() }
function B() {}
B.prototype.go = function () {}
function f() { A.make().run() }
`,
			want: []string{"a.js#A -> a.js#B call exact", "a.js#A.make -> a.js#A call exact", "a.js#A.run -> a.js#A.stop call exact",
				"a.js#A.run -> a.js#B.go call exact", "a.js#f -> a.js#A.make call exact", "a.js#f -> a.js#A.run call exact"},
		},
		{
			name: "members mixed into an object, and this in them",
			archive: `
-- lib.js --
const mixin = require('merge-descriptors')
const proto = require('./proto')
exports = module.exports = create
function create() {
  const app = function () { app.handle() }
  mixin(app, proto, false)
  app.init()
  return app
}
-- proto.js --
const app = exports = module.exports = {}
app.init = function () { this.handle() }
app.handle = function () {}
-- a.js --
const lib = require('./lib')
function f() { const app = lib(); app.handle() }
`,
			want: []string{"a.js#f -> lib.js#create call exact", "a.js#f -> proto.js#handle call exact",
				"lib.js#create -> proto.js#init call exact", "lib.js#create.app -> proto.js#handle call exact",
				"proto.js#init -> proto.js#handle call exact"},
		},
	})
}
