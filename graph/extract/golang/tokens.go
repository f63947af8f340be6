package golang

import (
	"bytes"
	"crypto/sha256"
	"go/scanner"
	"go/token"
	"sort"
	"strings"

	"github.com/previdence/previdence/graph"
)

// A lexeme is one token of the file; comments are none.
type lexeme struct {
	at, end int32
	tok     token.Token
	auto    bool // a semicolon that stands for a line break
}

// A part is a half-open range of bytes.
type part struct{ from, to int32 }

// scan lists the tokens of src in order.
func scan(src []byte) []lexeme {
	set := token.NewFileSet()
	file := set.AddFile("", 1, len(src))
	var s scanner.Scanner
	s.Init(file, src, func(token.Position, string) {}, 0)
	out := make([]lexeme, 0, len(src)/4)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		at := int32(file.Offset(pos))
		text := lit
		if text == "" {
			text = tok.String()
		}
		auto := tok == token.SEMICOLON && lit == "\n"
		end := min(at+int32(len(text)), int32(len(src)))
		switch {
		case auto:
			end = at
		case tok == token.STRING && src[at] == '`':
			end = rawEnd(src, at)
		}
		out = append(out, lexeme{at: at, end: end, tok: tok, auto: auto})
	}
}

// rawEnd is the end of the raw string at at. The scanner's text lacks carriage
// returns and is too short to tell.
func rawEnd(src []byte, at int32) int32 {
	if n := bytes.IndexByte(src[at+1:], '`'); n >= 0 {
		return at + int32(n) + 2
	}
	return int32(len(src))
}

// within returns the tokens that start inside p.
func (b *builder) within(p part) []lexeme {
	lo := sort.Search(len(b.tokens), func(i int) bool { return b.tokens[i].at >= p.from })
	hi := lo + sort.Search(len(b.tokens)-lo, func(i int) bool { return b.tokens[lo+i].at >= p.to })
	return b.tokens[lo:hi]
}

// closes reports whether tok ends a list, before which a comma or a semicolon
// means nothing.
func closes(tok token.Token) bool {
	return tok == token.RPAREN || tok == token.RBRACE || tok == token.RBRACK
}

// digest hashes the tokens of the parts and then the extra strings. Layout does
// not count: line breaks are semicolons, and separators before a closing
// bracket are left out. Nothing gives the zero digest.
func (b *builder) digest(parts []part, extra ...string) graph.Digest {
	b.buf = b.buf[:0]
	for _, p := range parts {
		held := token.ILLEGAL
		for _, l := range b.within(p) {
			if l.tok == token.SEMICOLON || l.tok == token.COMMA {
				held = l.tok
				continue
			}
			if held != token.ILLEGAL && !closes(l.tok) {
				b.buf = append(b.buf, byte(held), 0)
			}
			held = token.ILLEGAL
			b.buf = append(b.buf, byte(l.tok))
			if l.tok.IsLiteral() || l.tok == token.ILLEGAL {
				b.buf = append(b.buf, bytes.ReplaceAll(b.src[l.at:l.end], []byte{'\r'}, nil)...)
			}
			b.buf = append(b.buf, 0)
		}
	}
	for _, e := range extra {
		b.buf = append(b.buf, '\n')
		b.buf = append(b.buf, e...)
	}
	return sum(b.buf)
}

// bytes hashes the parts as they stand.
func (b *builder) bytes(parts []part) graph.Digest {
	b.buf = b.buf[:0]
	for _, p := range parts {
		b.buf = append(b.buf, b.src[p.from:p.to]...)
		b.buf = append(b.buf, 0)
	}
	return sum(b.buf)
}

func sum(buf []byte) graph.Digest {
	if len(buf) == 0 {
		return graph.Digest{}
	}
	h := sha256.Sum256(buf)
	return graph.Digest(h[:16])
}

// text writes the tokens of the parts on one line: white space folded, comments
// and trailing separators left out.
func (b *builder) text(parts ...part) string {
	var out strings.Builder
	end, last, held := int32(-1), token.ILLEGAL, ""
	for _, p := range parts {
		for _, l := range b.within(p) {
			if l.auto || l.tok == token.COMMA {
				held, end = ",", l.end
				if l.auto {
					held = ";"
				}
				continue
			}
			if held != "" && !closes(l.tok) {
				out.WriteString(held)
			}
			open := last == token.LPAREN || last == token.LBRACK
			shut := l.tok == token.RPAREN || l.tok == token.RBRACK
			if out.Len() > 0 && !open && !shut && (l.at > end || held == ";") {
				out.WriteByte(' ')
			}
			out.Write(b.src[l.at:l.end])
			end, last, held = l.end, l.tok, ""
		}
	}
	return out.String()
}

// without cuts the holes, which are sorted, out of p.
func without(p part, holes []part) []part {
	var out []part
	for _, h := range holes {
		if h.to <= p.from || h.from >= p.to {
			continue
		}
		if h.from > p.from {
			out = append(out, part{p.from, h.from})
		}
		p.from = max(p.from, h.to)
	}
	if p.from < p.to {
		out = append(out, p)
	}
	return out
}
