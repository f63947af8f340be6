package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"

	"github.com/previdence/previdence/graph"
)

// errTooLarge means that a part of a body would need more bytes than its numbers
// can say.
var errTooLarge = errors.New("graph is too large to be stored")

// maxPart is the size of the largest part, in bytes. Tests make it less.
var maxPart = math.MaxUint32

// breath is how many symbols or edges are written before the context is looked at.
const breath = 1 << 12

// A bodyWriter writes the parts of a body one after the other, in pages with a
// checksum each, until the first error.
type bodyWriter struct {
	ctx   context.Context
	file  *os.File
	start int64 // of the body in the file
	buf   []byte
	at    [parts]span
	open  part
	done  int // bytes of the body that are in the file
	sums  []byte
	err   error
}

// writeBody appends the body of a graph to a file that holds its database.
func writeBody(ctx context.Context, f *os.File, g *graph.Graph, digest string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if len(g.Symbols) > maxSymbols || uint64(len(g.Edges)) > math.MaxUint32/8 {
		return errTooLarge
	}
	w := &bodyWriter{ctx: ctx, file: f, start: info.Size(), done: bodyPage, buf: make([]byte, 0, flushAt+bodyPage)}
	w.symbols(g.Symbols)
	w.names(g.Symbols)
	w.leaving(g)
	w.arriving(g)
	w.end(digest, len(g.Symbols), len(g.Edges))
	return w.err
}

// flushAt is how many bytes are collected before they are written.
const flushAt = 1 << 18

func (w *bodyWriter) size() int { return w.done + len(w.buf) }

// begin ends the part before and begins another.
func (w *bodyWriter) begin(p part) {
	w.finish()
	w.open = p
	w.at[p].start = w.size()
}

func (w *bodyWriter) finish() {
	at := &w.at[w.open]
	if at.start == 0 {
		return // nothing was begun
	}
	at.size = w.size() - at.start
	if at.size > maxPart && w.err == nil {
		w.err = errTooLarge
	}
	w.buf = append(w.buf, make([]byte, aligned(at.size)-at.size)...)
}

func (w *bodyWriter) number(n uint32) { w.buf = binary.LittleEndian.AppendUint32(w.buf, n) }

// here is where the open part ends so far.
func (w *bodyWriter) here() uint32 { return uint32(w.size() - w.at[w.open].start) }

// each calls fn for 0 to n-1, until the first error, and writes what was collected.
func (w *bodyWriter) each(n int, fn func(i int)) {
	for i := 0; i < n && w.err == nil; i++ {
		if i%breath == 0 {
			w.err = w.ctx.Err()
		}
		fn(i)
		if len(w.buf) >= flushAt {
			w.flush(len(w.buf) / bodyPage)
		}
	}
}

// flush writes the first pages of what was collected.
func (w *bodyWriter) flush(pages int) {
	full := w.buf[:pages*bodyPage]
	for page := range slices.Chunk(full, bodyPage) {
		w.sums = binary.LittleEndian.AppendUint32(w.sums, crc32.Checksum(page, castagnoli))
	}
	w.write(full, w.done)
	w.done += len(full)
	w.buf = append(w.buf[:0], w.buf[len(full):]...)
}

func (w *bodyWriter) write(data []byte, at int) {
	if w.err == nil {
		_, w.err = w.file.WriteAt(data, w.start+int64(at))
	}
}

// ends writes where the entries of a part begin.
func (w *bodyWriter) ends(p part, ends []uint32) {
	w.begin(p)
	w.each(len(ends), func(i int) { w.number(ends[i]) })
}

func (w *bodyWriter) symbols(symbols []graph.Symbol) {
	ends := make([]uint32, len(symbols)+1)
	w.begin(partSymbols)
	w.each(len(symbols), func(i int) {
		w.buf = appendSymbol(w.buf, &symbols[i])
		ends[i+1] = w.here()
	})
	w.ends(partSymbolAt, ends)
	w.begin(partTraits)
	w.each(len(symbols), func(i int) { w.buf = append(w.buf, byte(symbols[i].Traits())) })
}

func (w *bodyWriter) names(symbols []graph.Symbol) {
	ends := make([]uint32, len(symbols)+1)
	w.begin(partTexts)
	w.each(len(symbols), func(i int) {
		w.buf = appendSearchText(w.buf, &symbols[i])
		ends[i+1] = w.here()
	})
	w.ends(partTextAt, ends)
	names := hashed(symbols)
	w.begin(partNames)
	w.each(len(names), func(i int) { w.number(uint32(names[i] >> 32)); w.number(uint32(names[i])) })
}

// hashed lists the hashes of all names, each above its symbol, in order.
func hashed(symbols []graph.Symbol) []uint64 {
	var names []uint64
	for i := range symbols {
		if name := foundAs(&symbols[i]); name != "" {
			names = append(names, uint64(hashName(name))<<32|uint64(i))
		}
	}
	slices.Sort(names)
	return names
}

func (w *bodyWriter) leaving(g *graph.Graph) {
	line := 0
	w.begin(partLeaving)
	w.each(len(g.Edges), func(i int) {
		e := &g.Edges[i]
		w.number(pack(e.To, e.Kind, e.Tier))
		w.number(uint32(line))
		line += len(e.Lines)
	})
	w.begin(partLeavingAt)
	at := 0
	w.each(len(g.Symbols)+1, func(i int) {
		for at < len(g.Edges) && int(g.Edges[at].From) < i {
			at++
		}
		w.number(uint32(at))
	})
	w.begin(partLines)
	w.each(len(g.Edges), func(i int) {
		for _, l := range g.Edges[i].Lines {
			w.number(uint32(l))
		}
	})
}

func (w *bodyWriter) arriving(g *graph.Graph) {
	w.begin(partArriving)
	w.each(len(g.Symbols), func(i int) {
		for _, n := range g.In(int32(i)) {
			e := &g.Edges[n]
			w.number(pack(e.From, e.Kind, e.Tier))
			w.number(uint32(firstLine(e.Lines)))
		}
	})
	w.begin(partArrivingAt)
	at := 0
	w.each(len(g.Symbols)+1, func(i int) {
		w.number(uint32(at))
		if i < len(g.Symbols) {
			at += len(g.In(int32(i)))
		}
	})
}

func firstLine(lines []int32) int32 {
	if len(lines) == 0 {
		return 0
	}
	return lines[0]
}

// end writes the checksums, and then the head, without which there is no body.
func (w *bodyWriter) end(digest string, symbols, edges int) {
	w.finish()
	if rest := len(w.buf) % bodyPage; rest > 0 {
		w.buf = append(w.buf, make([]byte, bodyPage-rest)...)
	}
	w.flush(len(w.buf) / bodyPage)
	w.write(w.sums, w.done)
	head := append(make([]byte, 0, bodyPage), bodyMagic...)
	head = append(head, make([]byte, digestSize)...)
	copy(head[len(bodyMagic):], digest)
	head = binary.LittleEndian.AppendUint32(head, uint32(symbols))
	head = binary.LittleEndian.AppendUint32(head, uint32(edges))
	for _, at := range w.at {
		head = binary.LittleEndian.AppendUint64(head, uint64(at.start))
		head = binary.LittleEndian.AppendUint64(head, uint64(at.size))
	}
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(w.sums, castagnoli))
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, castagnoli))
	w.write(head[:bodyPage], 0)
	if w.err != nil {
		w.err = fmt.Errorf("body of the graph: %w", w.err)
	}
}
