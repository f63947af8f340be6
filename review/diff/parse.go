package diff

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrSyntax means that a diff holds a line that git would not have written
// there. No part of such a diff is used.
var ErrSyntax = errors.New("unreadable diff")

// ErrCombined means that the diff is one of a merge against several parents.
// Its hunks have more than one old side.
var ErrCombined = errors.New("combined diff")

// A Status says what a diff does to a file.
type Status string

// The statuses.
const (
	Added    Status = "added"
	Removed  Status = "removed"
	Modified Status = "modified" // content, mode or both
	Renamed  Status = "renamed"
	Copied   Status = "copied"
)

// A FileDiff is the part of a diff that concerns one file.
type FileDiff struct {
	Status           Status
	OldPath, NewPath string // without prefix; equal unless renamed or copied; both set when added or removed
	OldMode, NewMode string // "100644"; empty where the diff does not say it
	Similarity       int    // percent, for renames and copies
	Binary           bool   // no lines: the diff says only that the contents differ, or holds them encoded
	Hunks            []Hunk // runs of changed lines; context is left out
}

// Parse reads a diff in git's own format, with or without prefixes and with any
// amount of context. It fails on the first line that it cannot read: mail
// headers, combined diffs, and diffs of other programs are refused.
func Parse(r io.Reader) ([]FileDiff, error) {
	p := &parser{in: bufio.NewReaderSize(r, 64<<10)}
	var files []FileDiff
	for p.next() {
		f, err := p.file()
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if p.err != nil {
		return nil, fmt.Errorf("read diff: %w", p.err)
	}
	return files, nil
}

// A parser reads lines with the possibility to step back by one.
type parser struct {
	in     *bufio.Reader
	line   string // without its newline
	number int    // of line, from 1
	again  bool   // next returns line once more
	err    error  // of the reader, other than its end
}

func (p *parser) next() bool {
	if p.again {
		p.again = false
		return true
	}
	line, err := p.in.ReadString('\n')
	p.number++
	p.line = strings.TrimSuffix(line, "\n")
	switch {
	case err == nil:
		return true
	case !errors.Is(err, io.EOF):
		p.err = err
	case line != "":
		p.err = p.fail("no newline: the diff was cut") // git ends every line
	}
	return false
}

func (p *parser) back() { p.again = true }

func (p *parser) fail(why string) error {
	return fmt.Errorf("line %d: %s: %.80q: %w", p.number, why, p.line, ErrSyntax)
}

// file reads one file's part; the current line is its first.
func (p *parser) file() (FileDiff, error) {
	if strings.HasPrefix(p.line, "diff --cc ") || strings.HasPrefix(p.line, "diff --combined ") {
		return FileDiff{}, fmt.Errorf("line %d: %w", p.number, ErrCombined)
	}
	rest, ok := strings.CutPrefix(p.line, "diff --git ")
	if !ok {
		return FileDiff{}, p.fail("not the start of a file")
	}
	start := p.number
	h := header{file: FileDiff{Status: Modified}, names: headerNames(rest)}
	for p.next() {
		if more, err := p.extended(&h); err != nil {
			return FileDiff{}, err
		} else if !more {
			break
		}
	}
	if p.err != nil {
		return FileDiff{}, fmt.Errorf("read diff: %w", p.err)
	}
	if wrong := h.settle(); wrong != "" {
		return FileDiff{}, fmt.Errorf("line %d: %s: %w", start, wrong, ErrSyntax)
	}
	return h.file, nil
}

// A header is what the lines before the hunks have said so far.
type header struct {
	file     FileDiff
	names    []names // readings of the first line
	from, to string  // of rename or copy, without prefix
	oldSide  string  // of the --- line, with prefix; "" if there was none
	newSide  string
}

// extended reads one line of a file's header or its content, and reports
// whether the file may go on.
func (p *parser) extended(h *header) (more bool, err error) {
	if strings.HasPrefix(p.line, "diff --") {
		p.back()
		return false, nil
	}
	if h.newSide != "" {
		return p.content(h)
	}
	if key, value, ok := cutKey(p.line); ok {
		return true, p.attribute(h, key, value)
	}
	switch {
	case strings.HasPrefix(p.line, "--- "):
		return true, p.sides(h)
	case strings.HasPrefix(p.line, "Binary files ") && strings.HasSuffix(p.line, " differ"):
		h.file.Binary = true
		return true, p.onlyOnce(h)
	case p.line == "GIT binary patch":
		h.file.Binary = true
		if err := p.onlyOnce(h); err != nil {
			return false, err
		}
		return true, p.binary()
	}
	return false, p.fail("not part of a file's header")
}

// onlyOnce ends the header: after binary content only the next file may follow.
func (p *parser) onlyOnce(h *header) error {
	if h.oldSide != "" {
		return p.fail("binary content after lines")
	}
	h.oldSide, h.newSide = binarySide, binarySide
	return nil
}

// binarySide stands for the names of a binary file, which has no --- and +++
// lines. A path cannot hold the byte.
const binarySide = "\x00"

var headerKeys = []string{"old mode ", "new mode ", "deleted file mode ", "new file mode ", "copy from ", "copy to ",
	"rename from ", "rename to ", "similarity index ", "dissimilarity index ", "index "}

func cutKey(line string) (key, value string, ok bool) {
	for _, k := range headerKeys {
		if v, found := strings.CutPrefix(line, k); found {
			return k, v, true
		}
	}
	return "", "", false
}

// attribute reads one "key value" line of a header.
func (p *parser) attribute(h *header, key, value string) (err error) {
	f := &h.file
	ok := true
	switch key {
	case "old mode ":
		f.OldMode, ok = value, isMode(value)
	case "new mode ":
		f.NewMode, ok = value, isMode(value)
	case "deleted file mode ":
		f.OldMode, ok = value, isMode(value)
		ok = ok && h.become(Removed)
	case "new file mode ":
		f.NewMode, ok = value, isMode(value)
		ok = ok && h.become(Added)
	case "rename from ", "copy from ":
		h.from, ok = bareName(value)
	case "rename to ":
		h.to, ok = bareName(value)
		ok = ok && h.become(Renamed)
	case "copy to ":
		h.to, ok = bareName(value)
		ok = ok && h.become(Copied)
	case "similarity index ":
		f.Similarity, ok = percent(value)
	case "dissimilarity index ":
		_, ok = percent(value)
	case "index ":
		ok = f.index(value)
	}
	if !ok {
		return p.fail("bad header line")
	}
	return nil
}

func (h *header) become(s Status) bool {
	if h.file.Status != Modified {
		return false
	}
	h.file.Status = s
	return true
}

// index reads "1234abc..5678def 100644"; the mode stands there if it is the
// same on both sides.
func (f *FileDiff) index(value string) bool {
	ids, mode, same := strings.Cut(value, " ")
	old, new, ok := strings.Cut(ids, "..")
	if !ok || !isHex(old) || !isHex(new) {
		return false
	}
	if same {
		if !isMode(mode) {
			return false
		}
		f.OldMode, f.NewMode = mode, mode
	}
	return true
}

func isHex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdef") == ""
}

func isMode(s string) bool {
	return len(s) == 6 && s[0] == '1' && strings.Trim(s, "01234567") == ""
}

func percent(s string) (int, bool) {
	digits, ok := strings.CutSuffix(s, "%")
	n, isNumber := number(digits)
	return n, ok && isNumber && n <= 100
}

// sides reads the --- and +++ lines.
func (p *parser) sides(h *header) error {
	if h.oldSide != "" {
		return p.fail("second --- line")
	}
	var ok bool
	if h.oldSide, ok = sideName(strings.TrimPrefix(p.line, "--- ")); !ok {
		return p.fail("bad name")
	}
	if !p.next() || !strings.HasPrefix(p.line, "+++ ") {
		return p.fail("no +++ line")
	}
	if h.newSide, ok = sideName(strings.TrimPrefix(p.line, "+++ ")); !ok {
		return p.fail("bad name")
	}
	return nil
}
