package ecmascript

import (
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// digests computes the digests of all symbols. Each token belongs to the
// innermost symbol around it.
func (b *builder) digests() {
	whole := make(map[node]int, len(b.parts)) // first symbol of a node
	for i, p := range b.parts {
		if _, ok := whole[p.node]; !ok && !p.shared {
			whole[p.node] = i
		}
	}
	outer := map[node]bool{} // decorators and comments outside the node of their symbol
	for _, p := range b.parts {
		for _, d := range p.docs {
			outer[d] = true
		}
		for _, d := range p.decorators {
			outer[d] = true
		}
	}
	for i := range b.parts {
		b.digest(int32(i), whole, outer)
	}
}

// digest walks the nodes of one symbol.
func (b *builder) digest(sym int32, whole map[node]int, outer map[node]bool) {
	p := &b.parts[sym]
	nested := func(n node) bool {
		_, is := whole[n]
		return is && n != p.node || n != p.node && outer[n]
	}
	var sig, body, attributes, doc, raw treesitter.Digester
	for i, end := p.node, b.t.After(p.node); i < end; {
		if nested(i) {
			i = b.t.After(i)
			continue
		}
		if b.t.First(i) < 0 {
			switch {
			case b.t.Kind(i) == "comment":
				doc.Add([]byte(treesitter.Fold([]byte(b.text(i)), int(b.t.End(i)))))
			case b.formatting(i):
			case p.body >= 0 && i >= p.body && i < b.t.After(p.body):
				body.Add(b.token(i))
			default:
				sig.Add(b.token(i))
			}
		}
		i++
	}
	for _, d := range p.decorators {
		b.t.Tokens(&attributes, d, func(n node) bool { return b.t.Kind(n) == "comment" })
		b.t.Bytes(&raw, d, func(node) bool { return false })
	}
	for _, d := range p.docs {
		doc.Add([]byte(treesitter.Fold([]byte(b.text(d)), int(b.t.End(d)))))
		b.t.Bytes(&raw, d, func(node) bool { return false })
	}
	b.t.Bytes(&raw, p.node, nested)
	b.f.Symbols[sym].Digests = graph.Digests{Signature: sig.Sum(), Body: body.Sum(),
		Attributes: attributes.Sum(), Doc: doc.Sum(), Raw: raw.Sum()}
}

// token is a leaf as it counts: the two quotes of strings are one.
func (b *builder) token(n node) []byte {
	if b.t.Kind(n) == "'" {
		return []byte{'"'}
	}
	return b.t.Source[b.t.Start(n):b.t.End(n)]
}

// formatting reports whether a leaf is a matter of style: a semicolon, a comma
// before a closing bracket.
func (b *builder) formatting(n node) bool {
	switch b.t.Kind(n) {
	case ";":
		return b.t.Kind(b.t.Parent(n)) != "for_statement"
	case ",":
		next := b.t.Next(n)
		for b.t.Kind(next) == "comment" {
			next = b.t.Next(next)
		}
		switch b.t.Kind(next) {
		case ")", "]", "}", ">":
			return b.t.Kind(n-1) != ","
		}
	}
	return false
}
