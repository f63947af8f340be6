package factcache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/previdence/previdence/graph"
)

// ErrFormat means that bytes are no facts in the format of this program.
var ErrFormat = errors.New("not encoded facts")

// format is the version of the encoding, its first byte.
//
//	1: the first
const format = 1

// Encode writes facts compactly: every number as a varint, every text once in
// a table and by its place there afterwards.
func Encode(f *graph.Facts) []byte {
	c := codec{writing: true, places: map[string]int{"": 0}}
	c.facts(f)
	head := append(make([]byte, 0, len(c.body)+len(c.texts)+16), format)
	head = binary.AppendUvarint(head, uint64(len(c.places)-1))
	head = append(head, c.lengths...)
	head = append(head, c.texts...)
	return append(head, c.body...)
}

// Decode is the inverse of [Encode]; empty lists come back as nil. It refuses
// facts whose parts refer to parts that do not exist, so a reader of facts need
// not care whether they come from an extractor or from a file. It allocates no
// more than a fixed multiple of the bytes given.
func Decode(data []byte) (*graph.Facts, error) {
	if len(data) == 0 || data[0] != format {
		return nil, fmt.Errorf("unknown format: %w", ErrFormat)
	}
	c := codec{body: data[1:]}
	c.readTable()
	f := &graph.Facts{}
	c.facts(f)
	if c.bad || len(c.body) != 0 {
		return nil, ErrFormat
	}
	if !sound(f) {
		return nil, fmt.Errorf("parts that do not exist: %w", ErrFormat)
	}
	return f, nil
}

// A codec goes through facts once and either writes or reads every field, so
// that both directions cannot differ. Reading gives zeros after the first thing
// that does not fit.
type codec struct {
	writing bool
	bad     bool
	body    []byte // written so far, or left to read

	places         map[string]int // writing: text → place
	lengths, texts []byte         // writing: the table

	table []string // reading
	free  []int32  // reading: numbers of many short lists in one allocation
}

// readTable reads the table of texts, which share one string.
func (c *codec) readTable() {
	n := c.count(1)
	c.table = make([]string, 1, n+1) // place 0 is the empty text
	lengths := make([]int, n)
	total := 0
	for i := range lengths {
		lengths[i] = int(c.uint())
		if lengths[i] < 0 || lengths[i] > len(c.body)-total {
			c.fail()
			return
		}
		total += lengths[i]
	}
	if total > len(c.body) {
		c.fail()
		return
	}
	all := string(c.body[:total])
	c.body = c.body[total:]
	for _, l := range lengths {
		c.table = append(c.table, all[:l])
		all = all[l:]
	}
}

func (c *codec) fail() { c.bad, c.body = true, nil }

func (c *codec) uint() uint64 {
	n, size := binary.Uvarint(c.body)
	if size <= 0 {
		c.fail()
		return 0
	}
	c.body = c.body[size:]
	return n
}

// count reads the length of a list whose items take at least min bytes each.
func (c *codec) count(min int) int {
	n := c.uint()
	if n > uint64(len(c.body)/min) {
		c.fail()
		return 0
	}
	return int(n)
}

// number codes integers that are never below graph.None.
func (c *codec) number(ps ...*int32) {
	for _, p := range ps {
		if c.writing {
			c.body = binary.AppendUvarint(c.body, uint64(uint32(*p+1)))
			continue
		}
		n := c.uint()
		if n > 1<<32-1 {
			c.fail()
			return
		}
		*p = int32(uint32(n)) - 1
	}
}

func (c *codec) int(p *int) {
	n := int32(*p)
	c.number(&n)
	*p = int(n)
}

func (c *codec) text(ps ...*string) {
	for _, p := range ps {
		if c.writing {
			c.body = binary.AppendUvarint(c.body, uint64(c.place(*p)))
			continue
		}
		at := c.uint()
		if at >= uint64(len(c.table)) {
			c.fail()
			return
		}
		*p = c.table[at]
	}
}

// place finds a text in the table that is being written, or puts it there.
func (c *codec) place(text string) int {
	at, ok := c.places[text]
	if !ok {
		at = len(c.places)
		c.places[text] = at
		c.lengths = binary.AppendUvarint(c.lengths, uint64(len(text)))
		c.texts = append(c.texts, text...)
	}
	return at
}

// small codes a value of one byte.
func small[T ~uint8](c *codec, p *T) {
	if c.writing {
		c.body = append(c.body, byte(*p))
		return
	}
	if len(c.body) == 0 {
		c.fail()
		return
	}
	*p = T(c.body[0])
	c.body = c.body[1:]
}

// yes codes up to eight truths in one byte.
func (c *codec) yes(ps ...*bool) {
	var bits uint8
	for i, p := range ps {
		if c.writing && *p {
			bits |= 1 << i
		}
	}
	small(c, &bits)
	for i, p := range ps {
		*p = bits&(1<<i) != 0
	}
}

// list codes a slice whose items take at least min bytes each.
func list[T any](c *codec, p *[]T, min int, item func(*T)) {
	n := len(*p)
	if c.writing {
		c.body = binary.AppendUvarint(c.body, uint64(n))
	} else if n = c.count(min); n > 0 {
		*p = make([]T, n)
	}
	for i := range *p {
		item(&(*p)[i])
	}
}

func (c *codec) indexes(p *[]int32) {
	if c.writing {
		c.body = binary.AppendUvarint(c.body, uint64(len(*p)))
	} else if n := c.count(1); n > 0 {
		if n > len(c.free) {
			c.free = make([]int32, max(n, min(1024, len(c.body))))
		}
		*p, c.free = c.free[:n:n], c.free[n:]
	}
	for i := range *p {
		c.number(&(*p)[i])
	}
}

func (c *codec) facts(f *graph.Facts) {
	c.text(&f.Language)
	version := int32(f.Version)
	c.number(&version)
	f.Version = uint32(version)
	c.text(&f.Package)
	c.yes(&f.Generated)
	c.number(&f.Lines)
	list(c, &f.Symbols, 24, c.symbol)
	list(c, &f.Scopes, 3, func(s *graph.Scope) { small(c, &s.Kind); c.number(&s.Parent, &s.Symbol) })
	list(c, &f.Bindings, 9, c.binding)
	list(c, &f.Exprs, 9, c.expr)
	list(c, &f.Refs, 6, c.ref)
	list(c, &f.Imports, 6, c.imported)
	list(c, &f.Exports, 5, c.exported)
	list(c, &f.Gaps, 2, func(s *graph.Span) { c.int(&s.Start); c.int(&s.End) })
	c.notes(&f.Notes)
}

func (c *codec) symbol(s *graph.SymbolFact) {
	c.text(&s.Name, &s.Container, &s.Framework, &s.Discriminator, &s.Signature, &s.ResultText)
	small(c, &s.Kind)
	small(c, &s.Test)
	c.yes(&s.Exported)
	c.number(&s.Parent, &s.Start, &s.End, &s.NameAt, &s.Line, &s.EndLine, &s.Result, &s.Scope)
	flags := int32(s.Flags)
	c.number(&flags)
	s.Flags = graph.SymbolFlags(flags)
	list(c, &s.Params, 5, func(p *graph.Param) {
		c.text(&p.Name, &p.TypeText)
		small(c, &p.Kind)
		c.yes(&p.Optional)
		c.number(&p.Type)
	})
	c.indexes(&s.Returns)
	c.indexes(&s.Bases)
	c.indexes(&s.Decorators)
	c.digests(&s.Digests)
}

// digests codes which digests exist and then those.
func (c *codec) digests(d *graph.Digests) {
	parts := [...]*graph.Digest{&d.Signature, &d.Body, &d.Attributes, &d.Doc, &d.Raw}
	var present [len(parts)]bool
	for i, p := range parts {
		present[i] = *p != graph.Digest{}
	}
	c.yes(&present[0], &present[1], &present[2], &present[3], &present[4])
	for i, p := range parts {
		switch {
		case !present[i]:
		case c.writing:
			c.body = append(c.body, p[:]...)
		case len(c.body) < len(p):
			c.fail()
			return
		default:
			c.body = c.body[copy(p[:], c.body):]
		}
	}
}

func (c *codec) binding(b *graph.Binding) {
	c.text(&b.Name)
	small(c, &b.Kind)
	c.number(&b.Scope, &b.At, &b.Symbol, &b.Param, &b.Import, &b.Type, &b.Value)
}

func (c *codec) expr(e *graph.Expr) {
	c.text(&e.Name)
	small(c, &e.Kind)
	c.number(&e.Base, &e.Symbol, &e.Scope, &e.Start, &e.End, &e.Line)
	c.indexes(&e.Args)
}

func (c *codec) ref(r *graph.Ref) {
	c.text(&r.Name)
	small(c, &r.Kind)
	c.number(&r.Expr, &r.From, &r.Line, &r.Args)
}

func (c *codec) imported(i *graph.Import) {
	c.text(&i.Module, &i.Name, &i.Alias)
	c.yes(&i.TypeOnly, &i.Dynamic, &i.Guarded)
	c.number(&i.From, &i.Line)
}

func (c *codec) exported(e *graph.Export) {
	c.text(&e.Name, &e.Local)
	c.number(&e.Import, &e.Expr, &e.Line)
}

// notes codes the notes in the order of their keys.
func (c *codec) notes(p *map[string]string) {
	keys := slices.Sorted(maps.Keys(*p))
	list(c, &keys, 2, func(k *string) {
		value := (*p)[*k]
		c.text(k, &value)
		if c.writing {
			return
		}
		if *p == nil {
			*p = map[string]string{}
		}
		(*p)[*k] = value
	})
}
