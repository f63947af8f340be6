package ecmascript

import (
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// libraryMethods are names of methods of the language's library and of the
// browser. A call of one of them on an unknown receiver most often leaves the
// tree, so a name alone decides nothing about it.
var libraryMethods = setOf(`
	add addEventListener all allSettled any append appendChild apply assign at bind blur call catch charAt charCodeAt clear
	click clone close closest codePointAt concat contains copyWithin create createElement defineProperty delete dispatchEvent
	emit end endsWith entries every exec fetch fill filter finally find findIndex findLast findLastIndex flat flatMap focus
	forEach freeze from fromEntries get getAttribute getElementById getElementsByTagName getItem getOwnPropertyNames getTime
	has hasAttribute hasOwnProperty includes indexOf insertBefore isArray isInteger isNaN isPrototypeOf item join json keys
	lastIndexOf localeCompare log map match matchAll matches max min next normalize now of off on once open padEnd padStart
	parse pipe play pop postMessage preventDefault push querySelector querySelectorAll race raw read reduce reduceRight reject
	remove removeAttribute removeChild removeEventListener removeItem repeat replace replaceAll replaceChild resolve return
	reverse scrollTo search send set setAttribute setItem shift slice some sort splice split startsWith stopPropagation
	stringify sub substr substring test text then throw toFixed toISOString toJSON toLocaleLowerCase toLocaleString
	toLocaleUpperCase toLowerCase toReversed toSorted toSpliced toString toUpperCase trim trimEnd trimStart unshift update
	valueOf values warn with write error info debug
	toBe toEqual toStrictEqual toThrow toHaveBeenCalled toHaveBeenCalledWith toHaveBeenCalledTimes toMatch toContain
	toBeUndefined toBeDefined toBeNull toBeTruthy toBeFalsy toHaveLength toMatchInlineSnapshot toMatchObject toBeInstanceOf
	toEqualTypeOf mockImplementation mockReturnValue mockRestore`)

// ofEverything are the methods that every object or function has.
var ofEverything = setOf(`apply bind call hasOwnProperty isPrototypeOf propertyIsEnumerable prototype toLocaleString toString
	valueOf`)

// globals are names of values that a program has without binding them: of the
// language, of browsers and Node, and of test frameworks. Words that are more often
// a parameter than what a browser has (event, context, parent) are left out: where
// a parameter was dropped, its uses are worth telling.
var globals = setOf(`
	AbortController AbortSignal Array ArrayBuffer Atomics BigInt Blob Boolean Buffer CSS CustomEvent DOMParser DataView Date
	Document DocumentFragment Element Error EvalError Event EventTarget File FileReader FinalizationRegistry Float32Array
	Float64Array FormData Function HTMLElement Headers Image Infinity Int16Array Int32Array Int8Array IntersectionObserver
	Intl Iterator JSON Map MathMLElement Math MessageChannel MutationObserver NaN Node Number Object Option Promise Proxy
	RangeError ReadableStream ReferenceError Reflect RegExp Request ResizeObserver Response SVGElement Set ShadowRoot
	SharedArrayBuffer String Symbol SyntaxError Text TextDecoder TextEncoder TransformStream TypeError URIError URL
	URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly WebSocket
	Worker WritableStream XMLHttpRequest
	__dirname __filename alert arguments atob btoa caches cancelAnimationFrame clearImmediate clearInterval clearTimeout
	confirm console crypto customElements decodeURI decodeURIComponent document encodeURI encodeURIComponent escape eval
	exports fetch getComputedStyle global globalThis isFinite isNaN jQuery localStorage matchMedia
	module navigator parseFloat parseInt performance postMessage process queueMicrotask require
	requestAnimationFrame requestIdleCallback scrollTo sessionStorage setImmediate setInterval setTimeout
	structuredClone undefined unescape window
	after afterAll afterEach assert before beforeAll beforeEach chai describe expect expectTypeOf it jest mocha
	sinon specify test vi
	define $ _`)

// globalTypes are names of types that a program has without binding them, beside
// those that are values as well.
var globalTypes = setOf(`
	AddEventListenerOptions AggregateErrorConstructor AnimationFrameProvider ArrayBufferConstructor ArrayBufferLike
	ArrayBufferView ArrayConstructor ArrayIterator AsyncDisposable AsyncDisposableStackConstructor AsyncGeneratorFunction
	AsyncGeneratorFunctionConstructor AsyncIterableIterator AsyncIterator AsyncIteratorObject Awaited BigInt64Array BigIntConstructor
	BigUint64Array BlobPart BodyInit BooleanConstructor BufferEncoding BufferSource BuiltinIteratorReturn CallableFunction
	Capitalize ChildNode ClassDecorator ClassDecoratorContext ClipboardItem ConcatArray ConstructorParameters
	CustomElementConstructor DataViewConstructor DateConstructor Disposable DisposableStackConstructor ElementCreationOptions
	ErrorConstructor ErrorOptions EvalErrorConstructor EventListener EventListenerObject EventListenerOptions
	EventListenerOrEventListenerObject EventSource FileList FinalizationRegistryConstructor FlatArray FrameRequestCallback
	FunctionConstructor GeneratorFunction GeneratorFunctionConstructor GlobalEventHandlers HeadersInit History IArguments
	IdleDeadline ImportMeta ImportMetaEnv InstanceType IteratorObject IteratorObjectConstructor IteratorResult IteratorReturnResult
	IteratorYieldResult JSX Location Lowercase MapConstructor MapIterator MessagePort MethodDecorator NamedNodeMap Navigator
	NewableFunction NodeFilter NodeList NodeListOf NodeModule NodeRequire NumberConstructor ObjectConstructor
	OmitThisParameter ParameterDecorator Parameters ParentNode PerformanceObserver PermissionState Position PromiseConstructor
	PromiseConstructorLike PromiseFulfilledResult PromiseRejectedResult PromiseSettledResult PropertyDecorator
	PropertyDescriptor PropertyDescriptorMap PropertyKey ProxyConstructor ProxyHandler QueuingStrategy Range
	RangeErrorConstructor ReadableStreamDefaultController ReadableStreamDefaultReader ReferenceErrorConstructor
	RegExpConstructor RegExpExecArray RegExpMatchArray RelativeIndexable ReportingObserver RequestCredentials RequestInfo
	RequestInit RequestMode ResponseInit ReturnType Screen Selection ServiceWorker SetConstructor SetIterator
	SharedArrayBufferConstructor Storage StringConstructor StringIterator StructuredSerializeOptions StyleSheet
	SuppressedError SuppressedErrorConstructor SymbolConstructor SyntaxErrorConstructor TemplateStringsArray ThisParameterType
	Transferable TreeWalker TypeErrorConstructor TypedPropertyDescriptor URIErrorConstructor Uncapitalize UnderlyingSource
	Uppercase ValidityState VisibilityState WeakMapConstructor WeakRefConstructor WeakSetConstructor Window WindowProxy`)

// familyBegins and familyEnds are how the names of whole families of a browser's
// types begin and end. Better one missing name too few than one that a browser has.
var (
	familyBegins = []string{"HTML", "SVG", "MathML", "CSS", "DOM", "IDB", "RTC", "GPU", "XR", "WebGL", "XML", "Audio", "Media", "Intl"}
	familyEnds   = []string{"Event", "EventMap", "EventInit", "TagNameMap", "DecoratorContext"}
)

// globalType reports whether a type of this name may be one that every program has.
func globalType(name string) bool {
	if globalTypes[name] || passThrough[name] || sameAs[name] != "" || builtinID(name) > 0 {
		return true
	}
	return slices.ContainsFunc(familyBegins, func(x string) bool { return strings.HasPrefix(name, x) }) ||
		slices.ContainsFunc(familyEnds, func(x string) bool { return strings.HasSuffix(name, x) })
}

// free is what became of a name that no scope of the file binds. Only what is no
// known global, and what no file of the tree declares for all, is worth telling.
func (l *fileLinker) free(name string, space space) outcome {
	if globals[name] || l.p.ambient[name] || space == types && globalType(name) {
		return outcome{external: true}
	}
	return outcome{external: true, reason: reasonFree, in: l.f.Path}
}

// indexAmbient notes the names that declaration files, scripts and blocks of the
// global scope bind for every file.
func (p *program) indexAmbient() {
	p.ambient = map[string]bool{}
	for _, f := range p.files {
		script := strings.HasSuffix(f.Path, ".d.ts") || len(f.f.Imports) == 0 && len(f.f.Exports) == 0
		for i := range f.f.Bindings {
			b := &f.f.Bindings[i]
			s := &f.f.Scopes[b.Scope]
			if b.Kind == graph.BindNarrow {
				continue
			}
			if s.Kind == graph.ScopeFile && script || s.Kind == graph.ScopeNamespace && s.Symbol != graph.None && f.f.Symbols[s.Symbol].Kind != graph.KindPackage {
				p.ambient[b.Name] = true
			}
		}
	}
}

func setOf(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// indexMethods lists all members that can be called, by name, and puts the
// files into the order of their symbols.
func (p *program) indexMethods() {
	p.methods = map[string][]target{}
	p.order = slices.Clone(p.files)
	slices.SortFunc(p.order, func(a, b *file) int { return int(a.Symbols - b.Symbols) })
	for _, f := range p.files {
		for i := range f.f.Symbols {
			if s := &f.f.Symbols[i]; s.Kind == graph.KindMethod && s.Flags&graph.FlagOverload == 0 {
				p.methods[s.Name] = append(p.methods[s.Name], target{f.index, int32(i), graph.TierName})
			}
		}
	}
}

// byName finds methods by their name alone, among the files that this one
// imports directly or indirectly.
func (l *fileLinker) byName(r *graph.Ref, why outcome) ([]target, outcome) {
	if libraryMethods[r.Name] {
		return nil, outcome{external: true}
	}
	all := l.p.methods[r.Name]
	if len(all) == 0 || l.f.f.Exprs[r.Expr].Kind != graph.ExprMember {
		return nil, why
	}
	near := l.near()
	var out []target
	for _, t := range all {
		if near[t.file] {
			out = append(out, t)
		}
	}
	if len(out) > maxCandidates {
		why.reason = reasonCandidates
		return nil, why
	}
	return out, why
}

// near marks the files that this one imports, directly or indirectly.
func (l *fileLinker) near() []bool {
	if l.reach != nil {
		return l.reach
	}
	l.reach = make([]bool, len(l.p.files))
	l.reach[l.f.index] = true
	for queue := []int32{l.f.index}; len(queue) > 0; queue = queue[1:] {
		for _, m := range l.p.files[queue[0]].modules {
			if m.state == moduleFile && !l.reach[m.file] {
				l.reach[m.file] = true
				queue = append(queue, m.file)
			}
		}
	}
	return l.reach
}
