package factcache

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/codec"
)

// ErrFormat means that bytes are no facts in the format of this program.
var ErrFormat = errors.New("not encoded facts")

// format is the version of the encoding, its first byte.
//
//	1: the first
const format = 1

// Encode writes facts compactly.
func Encode(f *graph.Facts) []byte {
	c := coder{codec.NewWriter()}
	c.facts(f)
	return c.Bytes(format)
}

// Decode is the inverse of [Encode]; empty lists come back as nil. It refuses
// facts whose parts refer to parts that do not exist, so a reader of facts need
// not care whether they come from an extractor or from a file. It allocates no
// more than a fixed multiple of the bytes given.
func Decode(data []byte) (*graph.Facts, error) {
	if len(data) == 0 || data[0] != format {
		return nil, fmt.Errorf("unknown format: %w", ErrFormat)
	}
	c := coder{codec.NewReader(data[1:])}
	f := &graph.Facts{}
	c.facts(f)
	if !c.Done() {
		return nil, ErrFormat
	}
	if !sound(f) {
		return nil, fmt.Errorf("parts that do not exist: %w", ErrFormat)
	}
	return f, nil
}

// A coder shows the fields of facts.
type coder struct{ *codec.Coder }

func (c coder) facts(f *graph.Facts) {
	c.Text(&f.Language)
	version := int32(f.Version)
	c.Number(&version)
	f.Version = uint32(version)
	c.Text(&f.Package)
	c.Yes(&f.Generated)
	c.Number(&f.Lines)
	codec.List(c.Coder, &f.Symbols, 24, c.symbol)
	codec.List(c.Coder, &f.Scopes, 3, func(s *graph.Scope) { codec.Small(c.Coder, &s.Kind); c.Number(&s.Parent, &s.Symbol) })
	codec.List(c.Coder, &f.Bindings, 9, c.binding)
	codec.List(c.Coder, &f.Exprs, 9, c.expr)
	codec.List(c.Coder, &f.Refs, 6, c.ref)
	codec.List(c.Coder, &f.Imports, 6, c.imported)
	codec.List(c.Coder, &f.Exports, 5, c.exported)
	codec.List(c.Coder, &f.Gaps, 2, func(s *graph.Span) { c.Int(&s.Start); c.Int(&s.End) })
	c.notes(&f.Notes)
}

func (c coder) symbol(s *graph.SymbolFact) {
	c.Text(&s.Name, &s.Container, &s.Framework, &s.Discriminator, &s.Signature, &s.ResultText)
	codec.Small(c.Coder, &s.Kind)
	codec.Small(c.Coder, &s.Test)
	c.Yes(&s.Exported)
	c.Number(&s.Parent, &s.Start, &s.End, &s.NameAt, &s.Line, &s.EndLine, &s.Result, &s.Scope)
	flags := int32(s.Flags)
	c.Number(&flags)
	s.Flags = graph.SymbolFlags(flags)
	codec.List(c.Coder, &s.Params, 5, func(p *graph.Param) {
		c.Text(&p.Name, &p.TypeText)
		codec.Small(c.Coder, &p.Kind)
		c.Yes(&p.Optional)
		c.Number(&p.Type)
	})
	c.Numbers(&s.Returns)
	c.Numbers(&s.Bases)
	c.Numbers(&s.Decorators)
	c.digests(&s.Digests)
}

// digests codes which digests exist and then those.
func (c coder) digests(d *graph.Digests) {
	parts := [...]*graph.Digest{&d.Signature, &d.Body, &d.Attributes, &d.Doc, &d.Raw}
	var present [len(parts)]bool
	for i, p := range parts {
		present[i] = *p != graph.Digest{}
	}
	c.Yes(&present[0], &present[1], &present[2], &present[3], &present[4])
	for i, p := range parts {
		if present[i] {
			c.Raw(p[:])
		}
	}
}

func (c coder) binding(b *graph.Binding) {
	c.Text(&b.Name)
	codec.Small(c.Coder, &b.Kind)
	c.Number(&b.Scope, &b.At, &b.Symbol, &b.Param, &b.Import, &b.Type, &b.Value)
}

func (c coder) expr(e *graph.Expr) {
	c.Text(&e.Name)
	codec.Small(c.Coder, &e.Kind)
	c.Number(&e.Base, &e.Symbol, &e.Scope, &e.Start, &e.End, &e.Line)
	c.Numbers(&e.Args)
}

func (c coder) ref(r *graph.Ref) {
	c.Text(&r.Name)
	codec.Small(c.Coder, &r.Kind)
	c.Number(&r.Expr, &r.From, &r.Line, &r.Args)
}

func (c coder) imported(i *graph.Import) {
	c.Text(&i.Module, &i.Name, &i.Alias)
	c.Yes(&i.TypeOnly, &i.Dynamic, &i.Guarded)
	c.Number(&i.From, &i.Line)
}

func (c coder) exported(e *graph.Export) {
	c.Text(&e.Name, &e.Local)
	c.Number(&e.Import, &e.Expr, &e.Line)
}

// notes codes the notes in the order of their keys.
func (c coder) notes(p *map[string]string) {
	keys := slices.Sorted(maps.Keys(*p))
	codec.List(c.Coder, &keys, 2, func(k *string) {
		value := (*p)[*k]
		c.Text(k, &value)
		if c.Writing() {
			return
		}
		if *p == nil {
			*p = map[string]string{}
		}
		(*p)[*k] = value
	})
}
