package diff

import (
	"strings"
)

// content reads one hunk.
func (p *parser) content(h *header) (more bool, err error) {
	if h.file.Binary {
		return false, p.fail("line after binary content")
	}
	b, ok := hunkHeader(p.line)
	if !ok {
		return false, p.fail("not a hunk header")
	}
	if n := len(h.file.Hunks); n > 0 && !follows(h.file.Hunks[n-1], b) {
		return false, p.fail("hunk out of order")
	}
	start := p.number
	for b.oldLeft > 0 || b.newLeft > 0 {
		if !p.next() {
			return false, p.fail("hunk ends early")
		}
		if !b.take(p.line) {
			return false, p.fail("not a line of the hunk")
		}
	}
	b.flush()
	if len(b.hunks) == 0 {
		p.number = start
		return false, p.fail("hunk without changes")
	}
	h.file.Hunks = append(h.file.Hunks, b.hunks...)
	if p.next() && !strings.HasPrefix(p.line, `\ `) {
		p.back()
	}
	return true, nil
}

// A body is one hunk while it is read: what is left to read, and the runs of
// changed lines so far.
type body struct {
	oldLeft, newLeft int
	oldLine, newLine int // next line of each side, from 1
	run              Hunk
	hunks            []Hunk
	last             byte // first byte of the line before
}

// hunkHeader reads "@@ -1,2 +3,4 @@ anything".
func hunkHeader(line string) (b body, ok bool) {
	rest, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return b, false
	}
	ranges, _, ok := strings.Cut(rest, " @@")
	if !ok {
		return b, false
	}
	old, new, ok := strings.Cut(ranges, " +")
	if !ok {
		return b, false
	}
	if b.oldLine, b.oldLeft, ok = hunkRange(old); !ok {
		return b, false
	}
	b.newLine, b.newLeft, ok = hunkRange(new)
	return b, ok
}

// hunkRange reads "12,3" or "12" and returns the next line and the count. An
// empty range names the line before it.
func hunkRange(s string) (start, count int, ok bool) {
	first, lines, both := strings.Cut(s, ",")
	start, ok = number(first)
	count = 1
	if ok && both {
		count, ok = number(lines)
	}
	if count == 0 {
		start++
	}
	return start, count, ok && start > 0
}

// maxNumber keeps sums of line numbers far from overflow.
const maxNumber = 1 << 30

func number(s string) (n int, ok bool) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n = n*10 + int(c-'0'); n > maxNumber {
			return 0, false
		}
	}
	return n, s != ""
}

// take reads one line of a hunk.
func (b *body) take(line string) bool {
	first := byte(' ') // some mailers strip the space of an empty context line
	if line != "" {
		first = line[0]
	}
	switch first {
	case ' ':
		b.flush()
		b.oldLine, b.oldLeft = b.oldLine+1, b.oldLeft-1
		b.newLine, b.newLeft = b.newLine+1, b.newLeft-1
	case '-':
		b.begin()
		b.run.OldLines++
		b.oldLine, b.oldLeft = b.oldLine+1, b.oldLeft-1
	case '+':
		b.begin()
		b.run.NewLines++
		b.newLine, b.newLeft = b.newLine+1, b.newLeft-1
	case '\\': // "\ No newline at end of file", in the language of who made the diff
		if !strings.HasPrefix(line, `\ `) || b.last == 0 || b.last == '\\' {
			return false
		}
	default:
		return false
	}
	b.last = first
	return b.oldLeft >= 0 && b.newLeft >= 0
}

// begin opens a run at the current lines unless one is open.
func (b *body) begin() {
	if b.run.OldLines == 0 && b.run.NewLines == 0 {
		b.run.OldStart, b.run.NewStart = b.oldLine, b.newLine
	}
}

// flush closes the open run.
func (b *body) flush() {
	r := b.run
	if r.OldLines == 0 && r.NewLines == 0 {
		return
	}
	b.hunks = append(b.hunks, newHunk(r.OldStart-1, r.OldStart-1+r.OldLines, r.NewStart-1, r.NewStart-1+r.NewLines, false))
	b.run = Hunk{}
}

// follows reports whether a hunk that begins at b lies behind h on both sides.
func follows(h Hunk, b body) bool {
	return b.oldLine >= afterRun(h.OldStart, h.OldLines) && b.newLine >= afterRun(h.NewStart, h.NewLines)
}

func afterRun(start, lines int) int {
	if lines == 0 {
		return start + 1
	}
	return start + lines
}

// binary reads the blocks after "GIT binary patch": the new content, then the
// old one if the patch can be reversed.
func (p *parser) binary() error {
	blocks := 0
	for p.next() {
		method, size, ok := strings.Cut(p.line, " ")
		if _, isNumber := number(size); !ok || !isNumber || method != "literal" && method != "delta" {
			p.back()
			break
		}
		blocks++
		if err := p.binaryBlock(); err != nil {
			return err
		}
	}
	if blocks == 0 || blocks > 2 {
		return p.fail("not a binary patch")
	}
	return nil
}

// binaryBlock reads lines of base85 up to an empty line. Their first letter
// gives the number of bytes; each five characters hold four.
func (p *parser) binaryBlock() error {
	for p.next() {
		if p.line == "" {
			return nil
		}
		var size int
		switch c := p.line[0]; {
		case 'A' <= c && c <= 'Z':
			size = int(c-'A') + 1
		case 'a' <= c && c <= 'z':
			size = int(c-'a') + 27
		}
		if size == 0 || len(p.line)-1 != (size+3)/4*5 {
			return p.fail("not a line of binary content")
		}
	}
	return p.fail("binary content ends early")
}
