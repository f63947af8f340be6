package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime/debug"
	"sync/atomic"

	"github.com/previdence/previdence/graph"
)

// The body of a graph follows the last page of its database in the same file, so
// that one rename publishes both and neither can be taken for another graph's. It
// holds what there are a million of, laid out so that a question touches only what
// it reads: rows of a database cost a hundred times as much to write and to walk.
//
// A body is a head of one page, the parts, and a checksum for each page of the
// parts. A page is compared with its checksum when it is first touched. All numbers
// are little-endian and have 32 bits.
const (
	bodyMagic = "PREVBODY"
	bodyPage  = 4096
)

// A part is one array of a body.
type part int

const (
	partSymbols    part = iota // what appendSymbol writes, in the order of IDs
	partSymbolAt               // where each begins, and where the last one ends
	partTraits                 // one byte for each symbol
	partTexts                  // what names are searched in: see searchText
	partTextAt                 // where each begins, and where the last one ends
	partNames                  // hash of a name and its symbol, ascending
	partLeaving                // edges by the symbol that they leave: packed other end, where its lines begin
	partLeavingAt              // first edge of each symbol, and how many there are
	partLines                  // lines of the sites of all edges, in that order
	partArriving               // edges by the symbol that they reach: packed other end, first line
	partArrivingAt             // first edge of each symbol, and how many there are
	parts
)

// headSize is what a body's head holds: magic, the digest of the graph, symbols,
// edges, the place of each part, the checksum of the checksums, and its own.
const headSize = len(bodyMagic) + digestSize + 2*4 + int(parts)*2*8 + 4 + 4

// digestSize is the length of a graph's digest in hex.
const digestSize = 64

// An edge's other end, kind and tier are packed into one number.
const (
	packedBits = 6
	maxSymbols = 1 << (32 - packedBits)
)

func pack(other int32, kind graph.EdgeKind, tier graph.Tier) uint32 {
	return uint32(other)<<packedBits | uint32(kind)<<3 | uint32(tier)
}

func unpack(n uint32) (other int32, kind graph.EdgeKind, tier graph.Tier) {
	return int32(n >> packedBits), graph.EdgeKind(n >> 3 & 7), graph.Tier(n & 7)
}

// A span is where a part lies in its body, in bytes.
type span struct{ start, size int }

// A body is the mapped body of one graph. Whatever its bytes are, reading it ends
// with an error or with what was written.
type body struct {
	data    []byte // from the head to the end of the file
	file    mapping
	digest  string // of the graph; what the stamp says must be the same
	symbols int
	edges   int
	at      [parts]span
	sums    []byte          // a checksum for each page of data after the head
	seen    []atomic.Uint32 // a bit for each page that was compared with its checksum
}

var errBody = fmt.Errorf("body of the graph: %w", ErrCorrupt)

// openBody maps what follows the database in a file whose first bytes are given.
func openBody(f *os.File, head []byte, size int64) (*body, error) {
	page := int64(binary.BigEndian.Uint16(head[16:]))
	start := page * int64(binary.BigEndian.Uint32(head[28:]))
	if start%bodyPage != 0 || start+bodyPage > size {
		return nil, fmt.Errorf("it is not there: %w", errBody)
	}
	m, err := mapFile(f, size)
	if err != nil {
		return nil, err
	}
	b := &body{data: m.bytes[start:], file: m}
	err = guarded(b.readHead)
	if err != nil {
		return nil, errors.Join(err, m.close())
	}
	return b, nil
}

func (b *body) close() error { return b.file.close() }

// apart returns the database of the file and what follows it.
func (b *body) apart() (database, body []byte) {
	return b.file.bytes[:len(b.file.bytes)-len(b.data)], b.data
}

func (b *body) readHead() error {
	head := b.data[:headSize]
	if string(head[:len(bodyMagic)]) != bodyMagic || crc32.Checksum(head[:headSize-4], castagnoli) != binary.LittleEndian.Uint32(head[headSize-4:]) {
		return errBody
	}
	r := head[len(bodyMagic):]
	b.digest, r = string(r[:digestSize]), r[digestSize:]
	b.symbols, b.edges = int(binary.LittleEndian.Uint32(r)), int(binary.LittleEndian.Uint32(r[4:]))
	r = r[8:]
	end := bodyPage
	for p := range b.at {
		start, size := binary.LittleEndian.Uint64(r), binary.LittleEndian.Uint64(r[8:])
		if start != uint64(end) || size > uint64(len(b.data)-end) {
			return errBody
		}
		b.at[p] = span{int(start), int(size)}
		end += aligned(int(size))
		r = r[16:]
	}
	end = (end + bodyPage - 1) / bodyPage * bodyPage
	pages := end/bodyPage - 1
	if b.symbols > maxSymbols || !b.fits() || len(b.data) != end+4*pages {
		return errBody
	}
	b.sums = b.data[end:]
	if crc32.Checksum(b.sums, castagnoli) != binary.LittleEndian.Uint32(r) {
		return errBody
	}
	b.seen = make([]atomic.Uint32, pages/32+1)
	return nil
}

// fits reports whether the parts have the sizes that so many symbols and edges have.
func (b *body) fits() bool {
	for p, want := range map[part]int{
		partSymbolAt: 4 * (b.symbols + 1), partTraits: b.symbols, partTextAt: 4 * (b.symbols + 1),
		partLeaving: 8 * b.edges, partLeavingAt: 4 * (b.symbols + 1), partArriving: 8 * b.edges, partArrivingAt: 4 * (b.symbols + 1),
	} {
		if b.at[p].size != want {
			return false
		}
	}
	return b.at[partNames].size%8 == 0 && b.at[partLines].size%4 == 0
}

// aligned is where the next part may begin.
func aligned(n int) int { return (n + 7) &^ 7 }

// bytes returns some bytes of a part, nil if they are not there or not as they were
// written. They are valid until the body is closed.
func (b *body) bytes(p part, from, to int) []byte {
	at := b.at[p]
	if from < 0 || to < from || to > at.size {
		return nil
	}
	low, high := at.start+from, at.start+to
	for page := low/bodyPage - 1; page <= (high-1)/bodyPage-1 && low < high; page++ {
		if mask := uint32(1) << (page % 32); b.seen[page/32].Load()&mask == 0 {
			if !b.whole(page) {
				return nil
			}
			b.seen[page/32].Or(mask)
		}
	}
	return b.data[low:high:high]
}

// whole compares a page with its checksum.
func (b *body) whole(page int) bool {
	content := b.data[(page+1)*bodyPage : (page+2)*bodyPage]
	return crc32.Checksum(content, castagnoli) == binary.LittleEndian.Uint32(b.sums[4*page:])
}

// all returns a whole part.
func (b *body) all(p part) ([]byte, error) {
	if all := b.bytes(p, 0, b.at[p].size); all != nil {
		return all, nil
	}
	return nil, errBody
}

// between reads a list of where things begin: where the one with a number does, and
// the next.
func (b *body) between(p part, n int32) (from, to int, ok bool) {
	ends := b.bytes(p, 4*int(n), 4*int(n)+8)
	if n < 0 || ends == nil {
		return 0, 0, false
	}
	return int(binary.LittleEndian.Uint32(ends)), int(binary.LittleEndian.Uint32(ends[4:])), true
}

// record returns the bytes of a symbol; nil if there are none.
func (b *body) record(n int32) []byte { return b.entry(partSymbols, partSymbolAt, n) }

func (b *body) entry(p, at part, n int32) []byte {
	from, to, ok := b.between(at, n)
	if !ok {
		return nil
	}
	return b.bytes(p, from, to)
}

// list returns the edges of a symbol, eight bytes each, and the number of the first.
func (b *body) list(p, at part, n int32) (list []byte, first int, err error) {
	from, to, ok := b.between(at, n)
	if ok && from <= b.edges && to <= b.edges {
		if list = b.bytes(p, 8*from, 8*to); list != nil {
			return list, from, nil
		}
	}
	return nil, 0, fmt.Errorf("edges of symbol %d: %w", n, errBody)
}

// An edge of a list.
func (b *body) edge(list []byte, i int) (other int32, kind graph.EdgeKind, tier graph.Tier, rest uint32, err error) {
	other, kind, tier = unpack(binary.LittleEndian.Uint32(list[8*i:]))
	if int(other) >= b.symbols || kind.String() == "" || tier.String() == "" {
		err = fmt.Errorf("an edge to symbol %d: %w", other, errBody)
	}
	return other, kind, tier, binary.LittleEndian.Uint32(list[8*i+4:]), err
}

// linesOf returns the lines of the edge with a number.
func (b *body) linesOf(edge int) ([]int32, error) {
	from := b.bytes(partLeaving, 8*edge+4, 8*edge+8)
	if from == nil {
		return nil, errBody
	}
	start, end := int(binary.LittleEndian.Uint32(from)), b.at[partLines].size/4
	if edge+1 < b.edges {
		next := b.bytes(partLeaving, 8*edge+12, 8*edge+16)
		if next == nil {
			return nil, errBody
		}
		end = int(binary.LittleEndian.Uint32(next))
	}
	text := b.bytes(partLines, 4*start, 4*end)
	if text == nil {
		return nil, errBody
	}
	return numbers(text), nil
}

// numbers copies an array of numbers; nil if it is empty.
func numbers(text []byte) []int32 {
	if len(text) == 0 {
		return nil
	}
	out := make([]int32, len(text)/4)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(text[4*i:]))
	}
	return out
}

// guarded runs what reads a mapped file. One that somebody cuts short has pages that
// are not there, and touching them must not end the program.
func guarded(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = fmt.Errorf("the file was cut short while it was read: %w", ErrTampered)
		default:
			panic(fault)
		}
	}()
	return read()
}

// head reads the first bytes of a file.
func head(f io.Reader) ([]byte, error) {
	head := make([]byte, 100)
	_, err := io.ReadFull(f, head)
	return head, err
}
