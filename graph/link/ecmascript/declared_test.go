package ecmascript_test

import (
	"testing"

	"github.com/previdence/previdence/graph"
)

func TestDeclaredElsewhere(t *testing.T) {
	runAll(t, []linkTest{
		{
			name:  "a module that is reopened",
			kinds: []graph.EdgeKind{graph.EdgeCall, graph.EdgeDispatch, graph.EdgeOverride},
			archive: `
-- router.ts --
export class Router { start() {} }
export interface Options { verbose: boolean }
-- index.ts --
export * from './router'
-- plugin.ts --
import { Router } from './router'
class Log { write() {} }
declare module './router' {
  interface Router { log(): Log }
  interface Options { sink: Log }
  interface Extra { log: Log }
}
Router.prototype.log = function () { this.start(); return new Log() }
-- app.ts --
import { Router, Options, Extra } from './index'
export function f(r: Router) { r.start(); r.log().write() }
export function g(o: Options, x: Extra) { o.sink.write(); x.log.write() }
-- other.ts --
export class Router { start() {} }
export function h(r: Router) { r.log() }
`,
			want: []string{"app.ts#f -> plugin.ts#Log.write call exact", "app.ts#f -> plugin.ts#Router.log call exact",
				"plugin.ts#Router.log -> plugin.ts#Router.log override exact",
				"app.ts#f -> router.ts#Router.start call exact", "app.ts#g -> plugin.ts#Log.write call exact",
				"plugin.ts#Router.log -> plugin.ts#Log call exact", "plugin.ts#Router.log -> router.ts#Router.start call exact"},
			unresolved: []string{`other.ts#h:2 call log in "typescript:other.ts#Router/class": no such member`},
		},
	})
}

func TestPrototypes(t *testing.T) {
	runAll(t, []linkTest{
		{
			name: "a prototype that is set whole",
			archive: `
-- a.js --
function Queue() {}
function drain() {}
Queue.prototype = {
  push(x) { this.grow() },
  grow: function () { drain() },
  drain,
  size: 0,
}
function run() { const q = new Queue(); q.push(1); q.drain() }
module.exports = { run, Queue }
-- b.js --
const { Queue } = require('./a')
function use() { new Queue().grow(); Queue.grow() }
`,
			want: []string{"a.js#Queue.grow -> a.js#drain call exact", "a.js#Queue.push -> a.js#Queue.grow call exact",
				"a.js#run -> a.js#Queue call exact", "a.js#run -> a.js#Queue.push call exact", "a.js#run -> a.js#drain call exact",
				"b.js#use -> a.js#Queue call exact", "b.js#use -> a.js#Queue.grow call exact"},
		},
	})
}

func TestContextualTypes(t *testing.T) {
	runAll(t, []linkTest{
		{
			name: "functions in an object that is passed",
			archive: `
-- a.ts --
class Context { help() {} }
interface Handlers { done?: (c: Context) => void; failed(c: Context): void; nested: { steps: ((c: Context) => void)[] } }
declare function on(h: Handlers): void
declare const emit: (h: Handlers) => void
class Machine { constructor(name: string, h: Handlers) {} }
class Engine extends Machine {}
export function f() {
  on({ done(c) { c.help() }, failed: (c) => c.help(), nested: { steps: [(c) => c.help()] } })
}
export function g() { emit({ failed(c) { c.help() } }) }
export function h() { new Engine('x', { failed(c) { c.help() } }) }
export function other() { on({ unknown(c) { c.help() } }) }
`,
			want: []string{"a.ts#f -> a.ts#Context.help call exact", "a.ts#f -> a.ts#on call exact",
				"a.ts#f.done -> a.ts#Context.help call exact", "a.ts#f.failed -> a.ts#Context.help call exact",
				"a.ts#g -> a.ts#emit call exact", "a.ts#g.failed -> a.ts#Context.help call exact",
				"a.ts#h -> a.ts#Engine call exact", "a.ts#h.failed -> a.ts#Context.help call exact",
				"a.ts#other -> a.ts#on call exact", "a.ts#other.unknown -> a.ts#Context.help call name"},
		},
		{
			name: "an instance of what is no class, in a file with more types than symbols",
			archive: `
-- a.ts --
declare const none: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
declare const Observer: { new (f: (c: { help(): void }) => void): object }
export function f() { new Observer(c => c.help()) }
`,
			want:       []string{"a.ts#f -> a.ts#Observer call exact"},
			unresolved: []string{`a.ts#f:3 call help in "": receiver type unknown`},
		},
	})
}

func TestLiterals(t *testing.T) {
	runAll(t, []linkTest{
		{
			name: "literals that a condition or a loop binds",
			archive: `
-- a.ts --
declare const fast: boolean
function a() {}
function b() {}
let run: () => void
if (fast) run = () => a()
else run = () => { b() }
let last
for (const x of [1, 2]) last = function () { a() }
const chosen = fast ? () => a() : () => b()
export function f() { run() }
export function g() { last() }
export function h() { chosen() }
export function i() { let own; if (fast) own = () => a(); own() }
`,
			kinds: []graph.EdgeKind{graph.EdgeCall, graph.EdgeReference},
			want: []string{"a.ts -> a.ts#fast reference exact", "a.ts -> a.ts#last reference exact", "a.ts -> a.ts#run reference exact",
				"a.ts#chosen -> a.ts#fast reference exact", "a.ts#f -> a.ts#run reference exact", "a.ts#i -> a.ts#fast reference exact",
				"a.ts#chosen -> a.ts#a call exact", "a.ts#chosen -> a.ts#b call exact",
				"a.ts#f -> a.ts#run call exact", "a.ts#g -> a.ts#last call exact", "a.ts#g -> a.ts#last reference exact",
				"a.ts#h -> a.ts#chosen call exact", "a.ts#h -> a.ts#chosen reference exact",
				"a.ts#i -> a.ts#a call exact", "a.ts#last -> a.ts#a call exact", "a.ts#last -> a.ts#last reference exact",
				"a.ts#run -> a.ts#a call exact", "a.ts#run -> a.ts#b call exact", "a.ts#run -> a.ts#run reference exact"},
		},
	})
}
