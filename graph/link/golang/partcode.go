package golang

import (
	"path"
	"slices"
	"sort"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/codec"
	extract "github.com/previdence/previdence/graph/extract/golang"
)

// partFormat is the version of encoded parts, their first byte.
//
//	1: the first
//	2: symbols stand where they are met first, those of other files with their number
const partFormat = 2

// A partCoder shows the fields of a part. Symbols and places of the step's own files
// are written by number; those of other files, which may have changed elsewhere, by
// the ID of the symbol.
type partCoder struct {
	*codec.Coder
	*tree
	files []*file // of the step

	symbols map[int32]int // writing: symbol → place among those met so far
	others  map[*file]int // writing: likewise for other files
	symbol  []placed      // reading
	other   []*file       // reading
}

// A placed symbol is one that was met, with its file; nil for a package.
type placed struct {
	symbol int32
	file   *file
}

// encode writes a part of a step.
func (t *tree) encode(files []*file, p *part) []byte {
	c := &partCoder{Coder: codec.NewWriter(), tree: t, files: files, symbols: map[int32]int{}, others: map[*file]int{}}
	c.part(p)
	return c.Bytes(partFormat)
}

// decode reads what encode wrote for the same step; nil if that does not fit
// this tree.
func (t *tree) decode(files []*file, data []byte) *part {
	if len(data) == 0 || data[0] != partFormat {
		return nil
	}
	c := &partCoder{Coder: codec.NewReader(data[1:]), tree: t, files: files}
	p := &part{}
	c.part(p)
	if !c.Done() {
		return nil
	}
	return p
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

// known codes symbols that stand in files.
func (c *partCoder) known(ps ...*int32) {
	for _, p := range ps {
		if s := c.ref(p); s.file == nil && !c.Writing() {
			c.Fail()
		}
	}
}

// perhaps codes symbols that stand in files, or graph.None.
func (c *partCoder) perhaps(ps ...*int32) {
	for _, p := range ps {
		if s := c.ref(p); s.file == nil && s.symbol != graph.None && !c.Writing() {
			c.Fail()
		}
	}
}

// ref codes any symbol, or graph.None.
func (c *partCoder) ref(p *int32) (s placed) {
	if c.Writing() {
		c.writeRef(*p)
		return s
	}
	s = c.readRef()
	*p = s.symbol
	return s
}

// writeRef writes a symbol by its place among those met so far, and one that is new as
// the next of them, followed by what it is.
func (c *partCoder) writeRef(s int32) {
	at := graph.None
	if s == graph.None {
		c.Number(&at)
		return
	}
	i, met := c.symbols[s]
	if !met {
		i = len(c.symbols)
		c.symbols[s] = i
	}
	at = int32(i)
	if c.Number(&at); !met {
		c.definition(&placed{s, c.fileOf(s)})
	}
}

func (c *partCoder) readRef() placed {
	var at int32
	c.Number(&at)
	switch {
	case at == graph.None:
		return placed{symbol: graph.None}
	case at >= 0 && int(at) < len(c.symbol):
		return c.symbol[at]
	case int(at) != len(c.symbol):
		c.Fail()
		return placed{}
	}
	var s placed
	c.definition(&s)
	c.symbol = append(c.symbol, s)
	return s
}

// Where a symbol stands.
const (
	inPackage int32 = iota // nowhere: it is that of a directory
	inOther                // in a file that is none of the step's
	inOwn                  // a file of the step, counted from here
)

// definition codes what a symbol is.
func (c *partCoder) definition(s *placed) {
	where := inPackage
	if own := slices.Index(c.files, s.file); own >= 0 {
		where = inOwn + int32(own)
	} else if s.file != nil {
		where = inOther
	}
	c.Number(&where)
	switch {
	case where == inPackage:
		c.ofPackage(s)
	case where == inOther:
		c.ofOther(s)
	case where < inOwn || int(where-inOwn) >= len(c.files):
		c.Fail()
	default:
		s.file = c.files[where-inOwn]
		if !c.numbered(s) {
			c.Fail()
		}
	}
}

func (c *partCoder) ofPackage(s *placed) {
	dir := ""
	if c.Writing() {
		dir = path.Dir(c.out.Symbols[int(s.symbol)-len(c.in.Symbols)].Path)
	}
	c.Text(&dir)
	if c.Writing() {
		return
	}
	var ok bool
	if s.symbol, ok = c.packages[dir]; !ok {
		c.Fail()
	}
}

// numbered codes the number of a symbol in its file. Without such a symbol the file
// stands for it.
func (c *partCoder) numbered(s *placed) bool {
	n := s.symbol - s.file.in.Symbols
	c.Number(&n)
	if n < 0 || int(n) >= len(s.file.in.Facts.Symbols) {
		s.symbol = s.file.symbol()
		return false
	}
	s.symbol = s.file.in.Symbols + n
	return true
}

// ofOther codes a symbol of another file, whose number is only where it is looked for
// first.
func (c *partCoder) ofOther(s *placed) {
	if !c.otherFile(&s.file) {
		c.Fail()
		return
	}
	begin := len(extract.Language) + 1 + len(s.file.path) // what the IDs of a file have in common
	rest := ""
	if c.Writing() {
		rest = string(c.in.Symbols[s.symbol].ID)[begin:]
	}
	c.Text(&rest)
	found := c.numbered(s)
	if c.Writing() || found && string(c.in.Symbols[s.symbol].ID)[begin:] == rest {
		return
	}
	all := c.in.Symbols[s.file.in.Symbols:][:len(s.file.in.Facts.Symbols)]
	i := slices.IndexFunc(all, func(s graph.Symbol) bool { return string(s.ID)[begin:] == rest })
	if i < 0 {
		c.Fail()
		return
	}
	s.symbol = s.file.in.Symbols + int32(i)
}

// otherFile codes a file that is none of the step's, as symbols are coded. It reports
// whether there is one.
func (c *partCoder) otherFile(f **file) bool {
	at, name := int32(len(c.other)), ""
	if c.Writing() {
		i, met := c.others[*f]
		if !met {
			i, name = len(c.others), (*f).path
			c.others[*f] = i
		}
		at = int32(i)
		if c.Number(&at); !met {
			c.Text(&name)
		}
		return true
	}
	c.Number(&at)
	if at >= 0 && int(at) < len(c.other) {
		*f = c.other[at]
		return true
	}
	c.Text(&name)
	*f = c.fileAt(name)
	c.other = append(c.other, *f)
	return *f != nil && int(at) == len(c.other)-1
}

// place codes a place: the symbol around it and the byte from its name on, so
// that it stays when something else in the file changes.
func (c *partCoder) place(p *place) {
	if c.Writing() {
		if *p == 0 {
			c.writeRef(graph.None)
			return
		}
		f := c.fileOf(int32(*p >> 32))
		i := f.around(int32(uint32(*p)))
		at := int32(uint32(*p)) - f.in.Facts.Symbols[i].NameAt
		c.writeRef(f.in.Symbols + i)
		c.Signed(&at)
		return
	}
	s := c.readRef()
	switch {
	case s.symbol == graph.None:
		*p = 0
		return
	case s.file == nil:
		c.Fail()
		return
	}
	var at int32
	c.Signed(&at)
	*p = place(s.file.symbol())<<32 | place(uint32(s.file.in.Facts.Symbols[s.symbol-s.file.in.Symbols].NameAt+at))
}

func (c *partCoder) part(p *part) {
	codec.List(c.Coder, &p.edges, 5, c.edge)
	codec.List(c.Coder, &p.unresolved, 7, func(u *graph.Unresolved) {
		c.known(&u.From)
		c.Number(&u.Line)
		codec.Small(c.Coder, &u.Kind)
		c.Text(&u.Name, &u.In, &u.Reason)
		c.Yes(&u.Broken)
	})
	c.Int(&p.counts.Compiler, &p.counts.Dispatch, &p.counts.Unresolved, &p.counts.External)
	codec.List(c.Coder, &p.abstract, 11, func(a *abstractCall) {
		c.site(&a.site)
		c.Text(&a.iface, &a.method)
		c.Yes(&a.inTree)
		c.typeSources(&a.recv)
	})
	codec.List(c.Coder, &p.dynamic, 9, func(d *dynamicCall) {
		c.site(&d.site)
		c.Text(&d.name)
		c.sources(&d.src)
	})
	codec.List(c.Coder, &p.flows, 4, func(f *flow) {
		c.place(&f.to)
		c.sources(&f.src)
	})
	codec.List(c.Coder, &p.typeFlows, 4, func(f *typeFlow) {
		c.place(&f.to)
		c.typeSources(&f.src)
	})
	c.texts(&p.created)
	codec.List(c.Coder, &p.converted, 2, func(v *conversion) {
		c.Text(&v.name)
		c.symbolList(&v.by)
	})
	codec.List(c.Coder, &p.shapes, 6, c.shape)
	c.texts(&p.standIns)
	c.Yes(&p.tainted)
}

func (c *partCoder) edge(e *graph.Edge) {
	c.known(&e.From)
	if c.ref(&e.To); e.To == graph.None { // a package can be referred to
		c.Fail()
	}
	codec.Small(c.Coder, &e.Kind)
	codec.Small(c.Coder, &e.Tier)
	c.Numbers(&e.Lines)
}

func (c *partCoder) site(s *site) {
	c.known(&s.from)
	c.perhaps(&s.literal)
	c.Number(&s.line)
	c.Text(&s.test)
	c.Yes(&s.again)
}

func (c *partCoder) sources(s *sources) {
	c.symbolList(&s.funcs)
	codec.List(c.Coder, &s.vars, 1, c.place)
	c.Yes(&s.outside)
}

func (c *partCoder) typeSources(s *typeSources) {
	c.texts(&s.types)
	codec.List(c.Coder, &s.vars, 1, c.place)
	c.Yes(&s.open)
}

func (c *partCoder) shape(s *shape) {
	c.Text(&s.name, &s.origin)
	c.perhaps(&s.symbol)
	c.Yes(&s.declared, &s.iface, &s.limited, &s.open, &s.broken, &s.doubtful)
	codec.List(c.Coder, &s.methods, 8, func(m *method) {
		c.Text(&m.id, &m.signature)
		c.Int(&m.arity[0], &m.arity[1])
		codec.List(c.Coder, &m.params, 2, c.slot)
		codec.List(c.Coder, &m.results, 2, c.slot)
		c.Yes(&m.variadic, &m.inherited)
		c.perhaps(&m.target)
	})
	c.texts(&s.holds)
}

func (c *partCoder) slot(s *slot) {
	c.place(&s.at)
	c.Yes(&s.funcs)
}

func (c *partCoder) texts(l *[]string) {
	codec.List(c.Coder, l, 1, func(s *string) { c.Text(s) })
}

func (c *partCoder) symbolList(l *[]int32) {
	codec.List(c.Coder, l, 1, func(s *int32) { c.known(s) })
}
