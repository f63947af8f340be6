package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/previdence/previdence/graph"
)

// castagnoli is the polynomial that processors compute in one instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// unresolvedMark is what the checksum of a list covers besides the list.
const unresolvedMark = "unresolved"

// seal ends a row's value with a checksum over the row's number, its other text
// and the value itself, so that a value that slipped to another row is noticed.
func seal(value []byte, id int32, text string) []byte {
	return binary.LittleEndian.AppendUint32(value, sum(value, id, text))
}

// unseal checks and removes what [seal] added.
func unseal(value []byte, id int32, text string) ([]byte, error) {
	n := len(value) - 4
	if n < 0 || binary.LittleEndian.Uint32(value[n:]) != sum(value[:n], id, text) {
		return nil, fmt.Errorf("row %d: %w", id, ErrCorrupt)
	}
	return value[:n], nil
}

func sum(value []byte, id int32, text string) uint32 {
	var head [4]byte
	binary.LittleEndian.PutUint32(head[:], uint32(id))
	c := crc32.Update(0, castagnoli, head[:])
	c = crc32.Update(c, castagnoli, []byte(text))
	return crc32.Update(c, castagnoli, value)
}

// A reader takes a value apart. After the first thing that does not fit it
// gives zeros only and ok is false.
type reader struct {
	rest string
	bad  bool
}

func (r *reader) number() int {
	var n uint64
	for i := 0; i < len(r.rest) && i < binary.MaxVarintLen64; i++ {
		b := r.rest[i]
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			r.rest = r.rest[i+1:]
			return int(n)
		}
	}
	r.fail()
	return 0
}

func (r *reader) fail() { r.rest, r.bad = "", true }

// size reads how many items follow, each of at least min bytes.
func (r *reader) size(min int) int {
	n := r.number()
	if n < 0 || n > len(r.rest)/min {
		r.fail()
		return 0
	}
	return n
}

func (r *reader) text() string {
	n := r.size(1)
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

func (r *reader) byte() byte {
	if r.rest == "" {
		r.fail()
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

// done reports whether everything fitted and nothing is left.
func (r *reader) done() bool { return !r.bad && r.rest == "" }

func appendNumber(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// The bits of a symbol's flag byte.
const (
	bitExported = 1 << iota
	bitTest
	bitGenerated
	bitPlaced // the ID begins with language and path
	bitNamed  // and then goes on with the containers and the name
)

func flag(set bool, bit byte) byte {
	if set {
		return bit
	}
	return 0
}

// appendSymbol writes a symbol. Of language, path, containers and name it writes how
// long they are in the ID, where they are in it.
func appendSymbol(b []byte, s *graph.Symbol) []byte {
	rest, placed := cutPlace(string(s.ID), s.Language, s.Path)
	named := placed && strings.HasPrefix(rest, s.Qualified())
	b = append(b, byte(s.Kind), flag(s.Exported, bitExported)|flag(s.Test, bitTest)|flag(s.Generated, bitGenerated)|
		flag(placed, bitPlaced)|flag(named, bitNamed))
	for _, n := range [...]int{s.Line, s.EndLine, s.Start, s.End} {
		b = appendNumber(b, n)
	}
	b = appendText(b, string(s.ID))
	b = appendWithin(b, placed, s.Language, s.Path)
	b = appendWithin(b, named, s.Container, s.Name)
	for _, t := range [...]string{s.Framework, s.Signature, s.Result} {
		b = appendText(b, t)
	}
	b = appendNumber(b, len(s.Params))
	for _, p := range s.Params {
		b = appendParam(b, p)
	}
	return appendDigests(b, &s.Digests)
}

// cutPlace takes language and path off the front of an ID.
func cutPlace(id, language, path string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(id, language)
	for _, part := range [...]string{":", path, "#"} {
		if ok {
			rest, ok = strings.CutPrefix(rest, part)
		}
	}
	return rest, ok
}

// appendWithin writes two texts, or how long they are if they are elsewhere.
func appendWithin(b []byte, elsewhere bool, first, second string) []byte {
	if elsewhere {
		return appendNumber(appendNumber(b, len(first)), len(second))
	}
	return appendText(appendText(b, first), second)
}

// readWithin reads what [appendWithin] wrote. If the texts are elsewhere, it takes
// them from the front of there, where a byte divides them unless the first is empty
// and need not be divided.
func readWithin(r *reader, elsewhere bool, there string, divided bool) (first, second, rest string) {
	if !elsewhere {
		return r.text(), r.text(), there
	}
	n, m := r.number(), r.number()
	gap := 1
	if n == 0 && !divided {
		gap = 0
	}
	if n < 0 || m < 0 || n > len(there) || m > len(there) || n+gap+m > len(there) {
		r.fail()
		return "", "", ""
	}
	return there[:n], there[n+gap : n+gap+m], there[n+gap+m:]
}

func appendParam(b []byte, p graph.Param) []byte {
	b = append(b, byte(p.Kind), flag(p.Optional, 1))
	b = appendText(b, p.Name)
	return appendText(b, p.TypeText)
}

// appendDigests leaves out the digests that do not exist.
func appendDigests(b []byte, d *graph.Digests) []byte {
	at := len(b)
	b = append(b, 0)
	for i, part := range digestParts(d) {
		if *part != (graph.Digest{}) {
			b[at] |= 1 << i
			b = append(b, part[:]...)
		}
	}
	return b
}

// readSymbol is the inverse of [appendSymbol]. The texts of the symbol are part of
// record.
func readSymbol(record string) (graph.Symbol, bool) {
	r := reader{rest: record}
	s := graph.Symbol{Kind: graph.Kind(r.byte())}
	flags := r.byte()
	s.Exported, s.Test, s.Generated = flags&bitExported != 0, flags&bitTest != 0, flags&bitGenerated != 0
	for _, n := range [...]*int{&s.Line, &s.EndLine, &s.Start, &s.End} {
		*n = r.number()
	}
	s.ID = graph.SymbolID(r.text())
	var rest string
	s.Language, s.Path, rest = readWithin(&r, flags&bitPlaced != 0, string(s.ID), true)
	s.Container, s.Name, _ = readWithin(&r, flags&bitNamed != 0, strings.TrimPrefix(rest, "#"), false)
	for _, t := range [...]*string{&s.Framework, &s.Signature, &s.Result} {
		*t = r.text()
	}
	if n := r.size(4); n > 0 {
		s.Params = make([]graph.Param, n)
	}
	for i := range s.Params {
		p := &s.Params[i]
		p.Kind, p.Optional = graph.ParamKind(r.byte()), r.byte() == 1
		p.Name, p.TypeText, p.Type = r.text(), r.text(), graph.None
	}
	readDigests(&r, &s.Digests)
	return s, r.done()
}

func readDigests(r *reader, d *graph.Digests) {
	present := r.byte()
	for i, part := range digestParts(d) {
		if present&(1<<i) == 0 {
			continue
		}
		if len(r.rest) < len(part) {
			r.fail()
			return
		}
		copy(part[:], r.rest)
		r.rest = r.rest[len(part):]
	}
}

func appendUnresolved(b []byte, u *graph.Unresolved) []byte {
	b = append(b, byte(u.Kind), flag(u.Broken, 1))
	b = appendNumber(b, int(u.Line))
	for _, t := range [...]string{u.Name, u.In, u.Reason} {
		b = appendText(b, t)
	}
	return b
}

func readUnresolved(from int32, items string) ([]graph.Unresolved, bool) {
	r := reader{rest: items}
	var out []graph.Unresolved
	for r.rest != "" {
		u := graph.Unresolved{From: from, Kind: graph.EdgeKind(r.byte()), Broken: r.byte() == 1}
		u.Line = int32(r.number())
		u.Name, u.In, u.Reason = r.text(), r.text(), r.text()
		out = append(out, u)
	}
	return out, r.done()
}

func appendSpans(b []byte, spans []graph.Span) []byte {
	for _, s := range spans {
		b = appendNumber(b, s.Start)
		b = appendNumber(b, s.End)
	}
	return b
}

func readSpans(value string) ([]graph.Span, bool) {
	r := reader{rest: value}
	var out []graph.Span
	for r.rest != "" {
		out = append(out, graph.Span{Start: r.number(), End: r.number()})
	}
	return out, r.done()
}

func appendTexts(b []byte, texts []string) []byte {
	for _, t := range texts {
		b = appendText(b, t)
	}
	return b
}

func readTexts(value string) ([]string, bool) {
	r := reader{rest: value}
	var out []string
	for r.rest != "" {
		out = append(out, r.text())
	}
	return out, r.done()
}
