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
var ofEverything = setOf(`apply bind call hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf`)

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
