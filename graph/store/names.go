package store

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"sort"
	"strings"
	"unicode"

	"github.com/previdence/previdence/graph"
)

// appendSearchText writes what a name is searched in, in lower case: the name, in one
// piece too if something divides it, and its containers. Each ends with a byte that is
// in no word, so that none is found across two.
func appendSearchText(b []byte, s *graph.Symbol) []byte {
	name := foundAs(s)
	if name == "" {
		return b
	}
	b = appendLower(b, name)
	if whole := strings.Map(inWord, name); whole != name {
		b = appendLower(append(b, ' '), whole)
	}
	if s.Container != "" {
		b = appendLower(append(b, ' '), s.Container)
	}
	return append(b, '\n')
}

// inWord drops what is between words.
func inWord(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return r
	}
	return -1
}

func appendLower(b []byte, s string) []byte {
	from := len(b)
	b = append(b, s...)
	for i, c := range b[from:] {
		switch {
		case c >= 0x80:
			return append(b[:from], strings.ToLower(s)...)
		case 'A' <= c && c <= 'Z':
			b[from+i] = c + 'a' - 'A'
		}
	}
	return b
}

// hashName is the same for all names that differ in case only.
func hashName(name string) uint32 {
	var room [64]byte
	return crc32.Checksum(appendLower(room[:0], name), castagnoli)
}

// hashing gives fn the symbols whose names have the hash of a name, by number, until
// it returns false. It reports whether everything could be read.
func (b *body) hashing(name string, fn func(n int32) bool) bool {
	all := b.at[partNames].size / 8
	want, whole := hashName(name), true
	entry := func(i int) []byte {
		e := b.bytes(partNames, 8*i, 8*i+8)
		whole = whole && e != nil
		return e
	}
	first := sort.Search(all, func(i int) bool {
		e := entry(i)
		return e == nil || binary.LittleEndian.Uint32(e) >= want
	})
	for i := first; i < all; i++ {
		e := entry(i)
		if e == nil || binary.LittleEndian.Uint32(e) != want || !fn(int32(binary.LittleEndian.Uint32(e[4:]))) {
			break
		}
	}
	return whole
}

// holding gives fn the symbols whose search text holds needle, by number, until it
// returns false. If needle begins with the end of a text, it is held by the next one.
func (b *body) holding(needle string, fn func(n int32) bool) error {
	texts, err := b.all(partTexts)
	if err != nil {
		return err
	}
	ends, err := b.all(partTextAt)
	if err != nil {
		return err
	}
	n, want := 0, []byte(needle)
	for at := 0; at < len(texts); {
		i := bytes.Index(texts[at:], want)
		if i < 0 {
			return nil
		}
		at += i
		in := at
		if want[0] == '\n' {
			in++
		}
		// The symbol whose text ends after this place.
		n += sort.Search(b.symbols-n, func(k int) bool { return int(binary.LittleEndian.Uint32(ends[4*(n+k+1):])) > in })
		end := in
		if n < b.symbols {
			end = int(binary.LittleEndian.Uint32(ends[4*(n+1):]))
		}
		if end <= in {
			return errBody
		}
		if !fn(int32(n)) {
			return nil
		}
		at = end - 1 // the end of this text may begin the needle, which is longer
	}
	return nil
}
