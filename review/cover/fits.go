package cover

import "bytes"

// Fits reports whether a content can be what was measured: every measured line
// exists, blocks start at something, and where only lines with code were
// measured none of them is blank. It cannot prove that the content was the same,
// but after most edits above a function something does not fit.
func (f *File) Fits(data []byte) bool {
	lines := bytes.Split(data, []byte("\n"))
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	if n := len(f.Lines); n > 0 && int(f.Lines[n-1].Number) > len(lines) {
		return false
	}
	for _, m := range f.marks {
		text := lines[m.line-1]
		if int(m.column) > len(text) || text[m.column-1] == ' ' || text[m.column-1] == '\t' {
			return false
		}
	}
	if len(f.marks) > 0 {
		return true // blocks hold blank lines
	}
	if f.whole() {
		return len(f.Lines) >= len(lines)-1
	}
	return f.spans || f.noneBlank(lines)
}

func (f *File) noneBlank(lines [][]byte) bool {
	for _, l := range f.Lines {
		if len(bytes.TrimSpace(lines[l.Number-1])) == 0 {
			return false
		}
	}
	return true
}

// whole reports whether every line from the first on was measured, code or not,
// as tools do that count bytes rather than statements.
func (f *File) whole() bool {
	n := len(f.Lines)
	return n > 1 && f.Lines[0].Number == 1 && int(f.Lines[n-1].Number) == n
}
