package golang

import (
	"encoding/binary"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/previdence/previdence/graph"
)

// partFormat is the version of encoded parts, their first byte.
//
//	1: the first
const partFormat = 1

// A partCoder goes through a part once and either writes or reads every field,
// so that both directions cannot differ. Symbols and places of the step's own
// files are written by number; those of other files, which may have changed
// elsewhere, by the ID of the symbol. Reading gives zeros after the first thing
// that does not fit.
type partCoder struct {
	*tree
	files   []*file // of the step
	writing bool
	bad     bool
	body    []byte // written so far, or left to read

	texts   map[string]int // writing: text → place in the table
	symbols map[int32]int  // writing: symbol → place in the table
	head    []byte         // writing: both tables
	text    []string       // reading
	symbol  []int32        // reading
}

// encode writes a part of a step.
func (t *tree) encode(files []*file, p *part) []byte {
	texts := &partCoder{tree: t, files: files, writing: true, texts: map[string]int{}, symbols: map[int32]int{}}
	texts.part(p)
	out := []byte{partFormat}
	out = binary.AppendUvarint(out, uint64(len(texts.texts)))
	out = binary.AppendUvarint(out, uint64(len(texts.symbols)))
	out = append(out, texts.head...)
	return append(out, texts.body...)
}

// decode reads what encode wrote for the same step; nil if that does not fit
// this tree.
func (t *tree) decode(files []*file, data []byte) *part {
	if len(data) == 0 || data[0] != partFormat {
		return nil
	}
	c := &partCoder{tree: t, files: files, body: data[1:]}
	texts, symbols := c.length(1), c.length(1)
	c.text, c.symbol = make([]string, 0, texts), make([]int32, 0, symbols)
	for range texts + symbols {
		if c.bad {
			return nil
		}
		switch kind := c.uvarint(); kind {
		case headText:
			n := c.length(1)
			c.text = append(c.text, string(c.body[:n]))
			c.body = c.body[n:]
		case headSymbol:
			c.symbol = append(c.symbol, c.find(c.readText()))
		default:
			c.own(kind - headOwn)
		}
	}
	p := &part{}
	c.part(p)
	if c.bad || len(c.body) > 0 {
		return nil
	}
	return p
}

// What an entry of the tables is.
const (
	headText   = iota
	headSymbol // by the text before it
	headOwn    // a file of the step, counted from here; then the symbol in it
)

func (c *partCoder) fail() { c.bad, c.body = true, nil }

func (c *partCoder) uvarint() uint64 {
	n, size := binary.Uvarint(c.body)
	if size <= 0 {
		c.fail()
		return 0
	}
	c.body = c.body[size:]
	return n
}

// length reads the length of a list whose items take at least min bytes each.
func (c *partCoder) length(min int) int {
	n := c.uvarint()
	if n > uint64(len(c.body)/min) {
		c.fail()
		return 0
	}
	return int(n)
}

func (c *partCoder) readText() string {
	i := c.uvarint()
	if i >= uint64(len(c.text)) {
		c.fail()
		return ""
	}
	return c.text[i]
}

// own reads a symbol of one of the step's files.
func (c *partCoder) own(file uint64) {
	i := c.uvarint()
	if file >= uint64(len(c.files)) || i >= uint64(len(c.files[file].in.Facts.Symbols)) {
		c.fail()
		return
	}
	c.symbol = append(c.symbol, c.files[file].in.Symbols+int32(i))
}

// find looks a symbol of another file up.
func (c *partCoder) find(id string) int32 {
	if dir, ok := strings.CutSuffix(id, packageMark); ok {
		s, ok := c.packages[dir]
		if !ok {
			c.fail()
		}
		return s
	}
	_, p, _ := strings.Cut(id, ":")
	for at := 0; ; { // a path may hold the mark that ends it
		n := strings.IndexByte(p[at:], '#')
		if n < 0 {
			c.fail()
			return 0
		}
		at += n
		if f := c.fileAt(p[:at]); f != nil {
			if i := slices.IndexFunc(c.in.Symbols[f.in.Symbols:][:len(f.in.Facts.Symbols)], func(s graph.Symbol) bool { return string(s.ID) == id }); i >= 0 {
				return f.in.Symbols + int32(i)
			}
		}
		at++
	}
}

func (t *tree) fileAt(path string) *file {
	i := sort.Search(len(t.files), func(i int) bool { return t.files[i].path >= path })
	if i == len(t.files) || t.files[i].path != path {
		return nil
	}
	return t.files[i]
}

// fileOf is the file that a symbol stands in; nil for a package.
func (t *tree) fileOf(symbol int32) *file {
	if int(symbol) >= len(t.in.Symbols) {
		return nil
	}
	return t.files[sort.Search(len(t.files), func(i int) bool { return t.files[i].in.Symbols > symbol })-1]
}

// packageMark ends the text of the symbol of a package, which no ID does.
const packageMark = "#package"

// number codes a number that is never below graph.None.
func (c *partCoder) number(ps ...*int32) {
	for _, p := range ps {
		if c.writing {
			c.body = binary.AppendUvarint(c.body, uint64(*p+1))
			continue
		}
		n := c.uvarint()
		if n > 1<<31-1 {
			c.fail()
		}
		*p = int32(n) - 1
	}
}

func (c *partCoder) int(ps ...*int) {
	for _, p := range ps {
		n := int32(*p)
		c.number(&n)
		*p = int(n)
	}
}

func (c *partCoder) flag(ps ...*bool) {
	for _, p := range ps {
		n := int32(0)
		if *p {
			n = 1
		}
		c.number(&n)
		*p = n == 1
	}
}

func (c *partCoder) string(ps ...*string) {
	for _, p := range ps {
		if c.writing {
			c.body = binary.AppendUvarint(c.body, uint64(c.placeOfText(*p)))
		} else {
			*p = c.readText()
		}
	}
}

func (c *partCoder) placeOfText(s string) int {
	i, ok := c.texts[s]
	if !ok {
		i = len(c.texts)
		c.texts[s] = i
		c.head = binary.AppendUvarint(c.head, headText)
		c.head = binary.AppendUvarint(c.head, uint64(len(s)))
		c.head = append(c.head, s...)
	}
	return i
}

// ref codes a symbol, or graph.None.
func (c *partCoder) ref(ps ...*int32) {
	for _, p := range ps {
		switch {
		case !c.writing:
			n := c.uvarint()
			switch {
			case n == 0:
				*p = graph.None
			case n > uint64(len(c.symbol)):
				c.fail()
			default:
				*p = c.symbol[n-1]
			}
		case *p == graph.None:
			c.body = binary.AppendUvarint(c.body, 0)
		default:
			c.body = binary.AppendUvarint(c.body, uint64(c.placeOfSymbol(*p)+1))
		}
	}
}

func (c *partCoder) placeOfSymbol(s int32) int {
	i, ok := c.symbols[s]
	if ok {
		return i
	}
	i = len(c.symbols)
	c.symbols[s] = i
	f := c.fileOf(s)
	if n := slices.Index(c.files, f); n >= 0 {
		c.head = binary.AppendUvarint(c.head, uint64(headOwn+n))
		c.head = binary.AppendUvarint(c.head, uint64(s-f.in.Symbols))
		return i
	}
	var id string
	if f == nil {
		id = path.Dir(c.out.Symbols[int(s)-len(c.in.Symbols)].Path) + packageMark
	} else {
		id = string(c.in.Symbols[s].ID)
	}
	text := c.placeOfText(id)
	c.head = binary.AppendUvarint(c.head, headSymbol)
	c.head = binary.AppendUvarint(c.head, uint64(text))
	return i
}

// place codes a place: the symbol around it and the byte from its name on, so
// that it stays when something else in the file changes.
func (c *partCoder) place(p *place) {
	symbol, at := graph.None, int32(0)
	if c.writing && *p != 0 {
		f := c.fileOf(int32(*p >> 32))
		i := f.around(int32(uint32(*p)))
		symbol, at = f.in.Symbols+i, int32(uint32(*p))-f.in.Facts.Symbols[i].NameAt
	}
	c.ref(&symbol)
	sign := at < 0
	c.flag(&sign)
	if sign {
		at = -at
	}
	c.number(&at)
	if sign {
		at = -at
	}
	if c.writing || c.bad {
		return
	}
	*p = 0
	if symbol != graph.None {
		f := c.fileOf(symbol)
		if f == nil {
			c.fail()
			return
		}
		*p = place(f.symbol())<<32 | place(uint32(f.in.Facts.Symbols[symbol-f.in.Symbols].NameAt+at))
	}
}

// list codes a list of items that take at least min bytes each; an empty one is
// nil.
func list[T any](c *partCoder, l *[]T, item func(*T)) {
	if c.writing {
		c.body = binary.AppendUvarint(c.body, uint64(len(*l)))
	} else if n := c.length(1); n > 0 {
		*l = make([]T, n)
	}
	for i := range *l {
		item(&(*l)[i])
	}
}

func (c *partCoder) part(p *part) {
	list(c, &p.edges, c.edge)
	list(c, &p.unresolved, func(u *graph.Unresolved) {
		c.ref(&u.From)
		c.number(&u.Line)
		kind := int32(u.Kind)
		c.number(&kind)
		u.Kind = graph.EdgeKind(kind)
		c.string(&u.Name, &u.In, &u.Reason)
		c.flag(&u.Broken)
	})
	c.int(&p.counts.Compiler, &p.counts.Dispatch, &p.counts.Unresolved, &p.counts.External)
	list(c, &p.abstract, func(a *abstractCall) {
		c.site(&a.site)
		c.string(&a.iface, &a.method)
		c.flag(&a.inTree)
		c.typeSources(&a.recv)
	})
	list(c, &p.dynamic, func(d *dynamicCall) {
		c.site(&d.site)
		c.string(&d.name)
		c.sources(&d.src)
	})
	list(c, &p.flows, func(f *flow) {
		c.place(&f.to)
		c.sources(&f.src)
	})
	list(c, &p.typeFlows, func(f *typeFlow) {
		c.place(&f.to)
		c.typeSources(&f.src)
	})
	list(c, &p.created, func(s *string) { c.string(s) })
	list(c, &p.converted, func(v *conversion) {
		c.string(&v.name)
		list(c, &v.by, func(s *int32) { c.ref(s) })
	})
	list(c, &p.shapes, c.shape)
	list(c, &p.standIns, func(s *string) { c.string(s) })
	c.flag(&p.tainted)
}

func (c *partCoder) edge(e *graph.Edge) {
	c.ref(&e.From, &e.To)
	kind, tier := int32(e.Kind), int32(e.Tier)
	c.number(&kind, &tier)
	e.Kind, e.Tier = graph.EdgeKind(kind), graph.Tier(tier)
	list(c, &e.Lines, func(n *int32) { c.number(n) })
}

func (c *partCoder) site(s *site) {
	c.ref(&s.from, &s.literal)
	c.number(&s.line)
	c.string(&s.test)
	c.flag(&s.again)
}

func (c *partCoder) sources(s *sources) {
	list(c, &s.funcs, func(f *int32) { c.ref(f) })
	list(c, &s.vars, c.place)
	c.flag(&s.outside)
}

func (c *partCoder) typeSources(s *typeSources) {
	list(c, &s.types, func(t *string) { c.string(t) })
	list(c, &s.vars, c.place)
	c.flag(&s.open)
}

func (c *partCoder) shape(s *shape) {
	c.string(&s.name, &s.origin)
	c.ref(&s.symbol)
	c.flag(&s.declared, &s.iface, &s.limited, &s.open, &s.broken, &s.doubtful)
	list(c, &s.methods, func(m *method) {
		c.string(&m.id, &m.signature)
		c.int(&m.arity[0], &m.arity[1])
		list(c, &m.params, c.slot)
		list(c, &m.results, c.slot)
		c.flag(&m.variadic, &m.inherited)
		c.ref(&m.target)
	})
	list(c, &s.holds, func(h *string) { c.string(h) })
}

func (c *partCoder) slot(s *slot) {
	c.place(&s.at)
	c.flag(&s.funcs)
}
