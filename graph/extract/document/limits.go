package document

import (
	"bytes"
)

// blankFrontMatter replaces the settings between two lines of dashes or plus
// signs at the start of a document by spaces. Markdown would read them as a
// heading. The length and the lines stay the same.
func blankFrontMatter(src []byte) []byte {
	for _, fence := range []string{"---", "+++"} {
		if end := frontMatter(src, fence); end > 0 {
			out := bytes.Clone(src)
			for i := range end {
				if out[i] != '\n' {
					out[i] = ' '
				}
			}
			return out
		}
	}
	return src
}

// frontMatter returns the offset behind the closing fence, or 0.
func frontMatter(src []byte, fence string) int {
	first, _, ok := bytes.Cut(src, []byte{'\n'})
	if !ok || string(bytes.TrimRight(first, " \t\r")) != fence {
		return 0
	}
	at := len(first) + 1
	for at < len(src) {
		line, _, _ := bytes.Cut(src[at:], []byte{'\n'})
		end := at + len(line)
		if string(bytes.TrimRight(line, " \t\r")) == fence {
			return end
		}
		at = end + 1
	}
	return 0
}

// nesting returns how deep the quotes and lists of a document lie in one
// another at most: by the marks at the start of a line, and by how far the last
// of them is indented, since each level of a list takes two columns.
func nesting(src []byte) int {
	deepest := 0
	for line := range bytes.Lines(src) {
		marks, column := 0, 0
		for i := 0; i < len(line); i++ {
			switch n := containerMark(line[i:]); {
			case n > 0:
				marks++
				deepest = max(deepest, marks, column/2)
				i += n - 1
				column += n
				continue
			case line[i] == ' ':
				column++
				continue
			case line[i] == '\t':
				column += 4
				continue
			}
			break // out of the line: text begins
		}
	}
	return deepest
}

// containerMark returns the length of the mark of a quote or a list item at the
// start of text, or 0. A row of dashes without spaces is a rule, not a list.
func containerMark(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	if text[0] == '>' {
		return 1
	}
	n := 0
	for n < len(text) && n < 9 && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	marks := ".)"
	if n == 0 {
		marks = "-*+"
	}
	if n+1 < len(text) && bytes.IndexByte([]byte(marks), text[n]) >= 0 && bytes.IndexByte([]byte(" \t\n"), text[n+1]) >= 0 {
		return n + 1
	}
	return 0
}

// brackets returns the largest number of square brackets in one paragraph. A
// paragraph ends at an empty line or at the next item of a list.
func brackets(src []byte) int {
	most, here := 0, 0
	for line := range bytes.Lines(src) {
		text := bytes.TrimLeft(line, " \t")
		if len(bytes.TrimRight(text, "\r\n")) == 0 || text[0] != '>' && containerMark(text) > 0 {
			here = 0
		}
		here += bytes.Count(line, []byte{'['}) + bytes.Count(line, []byte{']'})
		most = max(most, here)
	}
	return most
}
