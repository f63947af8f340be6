package treesitter

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"strings"

	"github.com/previdence/previdence/graph"
)

// A Digester adds up tokens or bytes to a [graph.Digest]. The zero Digester is
// ready and, while nothing is added, gives the zero digest.
type Digester struct{ hash hash.Hash }

// Add adds one token. Its length is hashed with it, so that tokens cannot run
// into one another.
func (d *Digester) Add(token []byte) {
	if d.hash == nil {
		d.hash = sha256.New()
	}
	var size [4]byte
	binary.LittleEndian.PutUint32(size[:], uint32(len(token)))
	d.hash.Write(size[:])
	d.hash.Write(token)
}

// Sum is the digest of what was added.
func (d *Digester) Sum() graph.Digest {
	var out graph.Digest
	if d.hash != nil {
		copy(out[:], d.hash.Sum(nil))
	}
	return out
}

// Tokens adds the leaves of the subtree of n, without the subtrees for which
// skip returns true: comments, nested definitions.
func (t *Tree) Tokens(d *Digester, n Node, skip func(Node) bool) {
	for i, end := n, t.After(n); i >= 0 && i < end; {
		if skip(i) {
			i = t.After(i)
			continue
		}
		if t.nodes[i].size == 1 {
			if text := t.Source[t.nodes[i].start:t.nodes[i].end]; len(text) > 0 {
				d.Add(text)
			}
		}
		i++
	}
}

// Bytes adds the source of the subtree of n as it stands, without the subtrees
// for which skip returns true.
func (t *Tree) Bytes(d *Digester, n Node, skip func(Node) bool) {
	at := t.Start(n)
	for i, end := n, t.After(n); i >= 0 && i < end; {
		if !skip(i) {
			i++
			continue
		}
		if s := t.Start(i); s > at {
			d.Add(t.Source[at:s])
		}
		at = max(at, t.End(i))
		i = t.After(i)
	}
	if e := t.End(n); e > at {
		d.Add(t.Source[at:e])
	}
}

// Fold returns text with every run of white space as one space, none at the
// ends, and at most limit bytes.
func Fold(text []byte, limit int) string {
	s := strings.Join(strings.Fields(string(bytes.ToValidUTF8(text, []byte("\uFFFD")))), " ")
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
