package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"github.com/previdence/previdence/graph"
)

// Digest is the canonical digest of a graph in canonical order: SHA-256 in hex
// over all its rows, every text preceded by its length. Two graphs are equal
// exactly if their digests are.
func Digest(g *graph.Graph) string {
	d := newDigester()
	d.number(len(g.Symbols))
	for i := range g.Symbols {
		d.symbol(&g.Symbols[i])
	}
	d.number(len(g.Edges))
	for i := range g.Edges {
		d.edge(&g.Edges[i])
	}
	return d.end(g)
}

func newDigester() *digester {
	d := &digester{h: sha256.New(), buf: make([]byte, 0, 1<<16)}
	d.number(1) // version of this order of rows
	return d
}

// end returns the digest of a graph whose symbols and edges were counted and given
// before.
func (d *digester) end(g *graph.Graph) string {
	d.unresolved(g.Unresolved)
	d.files(g.Files)
	d.counts(g.Counts)
	d.caveats(g.Caveats)
	d.flush()
	return hex.EncodeToString(d.h.Sum(nil))
}

// A digester collects rows and hashes them in large pieces.
type digester struct {
	h   hash.Hash
	buf []byte
}

func (d *digester) flush() {
	d.h.Write(d.buf)
	d.buf = d.buf[:0]
}

func (d *digester) number(n int) { d.buf = binary.AppendVarint(d.buf, int64(n)) }

func (d *digester) yes(b bool) {
	if b {
		d.buf = append(d.buf, 1)
	} else {
		d.buf = append(d.buf, 0)
	}
}

func (d *digester) text(s string) {
	d.buf = binary.AppendUvarint(d.buf, uint64(len(s)))
	d.buf = append(d.buf, s...)
	if len(d.buf) > 1<<15 {
		d.flush()
	}
}

func (d *digester) symbol(s *graph.Symbol) {
	d.text(string(s.ID))
	d.text(s.Name)
	d.text(s.Container)
	d.text(s.Kind.String())
	d.text(s.Language)
	d.text(s.Path)
	d.number(s.Line)
	d.number(s.EndLine)
	d.number(s.Start)
	d.number(s.End)
	d.yes(s.Exported)
	d.yes(s.Test)
	d.text(s.Framework)
	d.yes(s.Generated)
	d.text(s.Signature)
	d.number(len(s.Params))
	for _, p := range s.Params {
		d.text(p.Name)
		d.number(int(p.Kind))
		d.yes(p.Optional)
		d.text(p.TypeText)
	}
	d.text(s.Result)
	for _, part := range digestParts(&s.Digests) {
		d.buf = append(d.buf, part[:]...)
	}
}

func (d *digester) edge(e *graph.Edge) {
	d.number(int(e.From))
	d.number(int(e.To))
	d.text(e.Kind.String())
	d.text(e.Tier.String())
	d.number(len(e.Lines))
	for _, l := range e.Lines {
		d.number(int(l))
	}
}

func (d *digester) unresolved(rows []graph.Unresolved) {
	d.number(len(rows))
	for i := range rows {
		u := &rows[i]
		d.number(int(u.From))
		d.number(int(u.Line))
		d.text(u.Kind.String())
		d.text(u.Name)
		d.text(u.In)
		d.yes(u.Broken)
		d.text(u.Reason)
	}
}

func (d *digester) files(rows []graph.File) {
	d.number(len(rows))
	for i := range rows {
		f := &rows[i]
		d.text(f.Path)
		d.text(f.Blob)
		d.number(int(f.Size))
		d.text(f.Language)
		d.text(f.State.String())
		d.text(f.Reason)
		d.number(len(f.Gaps))
		for _, g := range f.Gaps {
			d.number(g.Start)
			d.number(g.End)
		}
		d.yes(f.Generated)
	}
}

func (d *digester) counts(rows []graph.Counts) {
	d.number(len(rows))
	for _, c := range rows {
		d.text(c.Language)
		for _, n := range [...]int{c.Compiler, c.Exact, c.Dispatch, c.Import, c.Name, c.Unresolved, c.External} {
			d.number(n)
		}
	}
}

func (d *digester) caveats(rows []graph.Caveat) {
	d.number(len(rows))
	for _, c := range rows {
		d.text(c.ID)
		d.text(c.Text)
		d.number(c.Count)
		d.number(c.Of)
		d.number(len(c.Examples))
		for _, e := range c.Examples {
			d.text(e)
		}
	}
}

// digestParts lists the digests of a symbol in their fixed order.
func digestParts(d *graph.Digests) [5]*graph.Digest {
	return [...]*graph.Digest{&d.Signature, &d.Body, &d.Attributes, &d.Doc, &d.Raw}
}
