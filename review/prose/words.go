package prose

import (
	"bytes"
	"iter"
	"path"
	"strings"
)

// maxWord is how long a word may be: longer is no path and no flag.
const maxWord = 300

// A Word is a run of signs that a path or a flag can consist of.
type Word struct {
	Text string
	Line int  // from 1
	Code bool // set as code or the target of a link, as far as that can be told line by line
}

// Words yields the words of a text in order. Addresses of the web are left out.
func Words(data []byte) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		fenced, n := false, 0
		for line := range bytes.Lines(data) {
			n++
			if start := bytes.TrimLeft(line, " \t"); bytes.HasPrefix(start, []byte("```")) || bytes.HasPrefix(start, []byte("~~~")) || bytes.Equal(bytes.TrimSpace(line), []byte("----")) {
				fenced = !fenced
				continue
			}
			if !words(line, n, fenced, yield) {
				return
			}
		}
	}
}

// words yields those of one line. Backticks open and close code, one or more at once.
func words(line []byte, n int, fenced bool, yield func(Word) bool) bool {
	code := fenced
	for i := 0; i < len(line); {
		if line[i] == '`' {
			for i < len(line) && line[i] == '`' {
				i++
			}
			code = fenced || !code
			continue
		}
		start := i
		for i < len(line) && isSign(line[i]) {
			i++
		}
		if i == start {
			i++
			continue
		}
		text := strings.TrimRight(string(line[start:min(i, start+maxWord+1)]), ".")
		if text == "" || len(text) > maxWord || strings.HasPrefix(text, "//") {
			continue
		}
		if !yield(Word{text, n, code || isTarget(line[:start])}) {
			return false
		}
	}
	return true
}

func isSign(c byte) bool {
	return c >= 0x80 || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_-./@+", c) >= 0
}

// isTarget reports whether what follows is where a link leads, in any of the markups.
func isTarget(before []byte) bool {
	for _, mark := range []string{"](", "](<", "link:", "xref:", "include::", "image::", "literalinclude:: ", "]: "} {
		if bytes.HasSuffix(before, []byte(mark)) {
			return true
		}
	}
	return false
}

// Paths are those that a word may name, in a document: from its folder, and from the
// root of the tree. A bare name counts only if it is set as code, and then for a file
// of the document's own folder: a tree has many files of one name.
func (w Word) Paths(document string) []string {
	text := strings.TrimSuffix(w.Text, "/")
	bare := !strings.Contains(text, "/")
	if strings.Trim(text, "./-") == "" || bare && !w.Code {
		return nil
	}
	here, root := path.Join(path.Dir(document), text), path.Join("/", text)[1:]
	switch {
	case strings.HasPrefix(text, "/"):
		return []string{root}
	case bare && text == w.Text, here == root:
		return []string{here}
	}
	return []string{here, root}
}
