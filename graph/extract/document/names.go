package document

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A qualified is a name as documents write it: "Client.Send", "Client#send()",
// "(*Client).Send", "pkg::f".
type qualified struct {
	parts []string
	call  bool
}

// maxName and maxParts bound what is taken for a name.
const (
	maxName  = 200
	maxParts = 8
)

// parseName reads the text of a code span. It must be a name as a whole, with or
// without arguments or type arguments behind it; flags, paths, commands and
// expressions are none.
func parseName(text string) (q qualified, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > maxName {
		return q, false
	}
	text = strings.TrimLeft(text, "@&*")
	if inner, rest, cut := strings.Cut(strings.TrimPrefix(text, "("), ")"); cut && strings.HasPrefix(text, "(") {
		text = strings.TrimLeft(inner, "*&") + rest // (*Client).Send
	}
	rest := text
	for {
		n := identifier(rest)
		if n == 0 || len(q.parts) == maxParts {
			return q, false
		}
		q.parts = append(q.parts, rest[:n])
		rest = rest[n:]
		s := separator(rest)
		if s == 0 {
			break
		}
		rest = rest[s:]
	}
	rest = withoutTypeArguments(rest)
	if strings.HasPrefix(rest, "(") && strings.HasSuffix(rest, ")") {
		q.call, rest = true, ""
	}
	return q, rest == ""
}

// identifier returns the length of the identifier at the start of s.
func identifier(s string) int {
	n := 0
	for i, r := range s {
		if r != '_' && r != '$' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			break
		}
		n = i + utf8.RuneLen(r)
	}
	return n
}

var separators = []string{".", "#", "::", "->"}

func separator(s string) int {
	for _, sep := range separators {
		if strings.HasPrefix(s, sep) {
			return len(sep)
		}
	}
	return 0
}

// withoutTypeArguments takes "<T>" or "[T, U]" off the front.
func withoutTypeArguments(s string) string {
	for _, pair := range []string{"<>", "[]"} {
		if s != "" && s[0] == pair[0] {
			if i := strings.IndexByte(s, pair[1]); i > 1 {
				return s[i+1:]
			}
		}
	}
	return s
}

// parsePath reads the text of a code span that is the path of a file, with or
// without a line behind it: "cmd/root.go", "main.py:12". It may well be a path
// on another machine.
func parsePath(text string) (path string, ok bool) {
	text = strings.TrimSpace(text)
	if i := strings.LastIndexByte(text, ':'); i > 0 && strings.Trim(text[i+1:], "0123456789-") == "" {
		text = text[:i]
	}
	if text == "" || len(text) > maxName || strings.IndexByte("-/~.", text[0]) >= 0 && !strings.HasPrefix(text, "./") && !strings.HasPrefix(text, "../") {
		return "", false
	}
	for _, r := range text {
		if r != '/' && r != '.' && r != '-' && r != '_' && r != '+' && r != '@' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return "", false
		}
	}
	dot := strings.LastIndexByte(text, '.')
	return text, dot > 0 && dot > strings.LastIndexByte(text, '/') && dot+1 < len(text)
}

// A call is a name with arguments in a line of code.
type call struct {
	name       qualified
	start, end int
}

// calls returns the calls in one line of program code, for any language: a name
// followed by an opening parenthesis. Definitions, comments and the text of
// strings are left out as far as one line tells.
func calls(line []byte) (out []call) {
	line = withoutComment(line)
	for i := 0; i < len(line); {
		if q := line[i]; q == '"' || q == '\'' || q == '`' {
			i = stringEnd(line, i)
			continue
		}
		n := identifier(string(line[i:min(len(line), i+maxName)]))
		if n == 0 {
			i++
			continue
		}
		name, end := chain(line, i)
		if end < len(line) && line[end] == '(' && len(name.parts) <= maxParts && startsName(line, i) {
			name.call = true
			out = append(out, call{name: name, start: i, end: end})
		}
		i = end
	}
	return out
}

// chain reads "a.b.c" at i.
func chain(line []byte, i int) (q qualified, end int) {
	for {
		n := identifier(string(line[i:min(len(line), i+maxName)]))
		if n == 0 {
			return q, i
		}
		q.parts = append(q.parts, string(line[i:i+n]))
		end = i + n
		s := separator(string(line[end:min(len(line), end+2)]))
		if s == 0 || identifier(string(line[end+s:min(len(line), end+s+utf8.UTFMax)])) == 0 {
			return q, end
		}
		i = end + s
	}
}

// definers are the words before a name that is defined, not called.
var definers = map[string]bool{"def": true, "func": true, "function": true, "class": true, "fn": true, "type": true, "interface": true}

// startsName reports whether the name at i begins an expression: no digit, dot
// or other part of a chain stands before it, and no word that defines it.
func startsName(line []byte, i int) bool {
	before := bytes.TrimRight(line[:i], " \t")
	if len(before) == 0 {
		return true
	}
	if len(before) == i {
		c := before[len(before)-1]
		return strings.IndexByte(".)]#:>", c) < 0 && (c < '0' || c > '9')
	}
	if bytes.HasSuffix(before, []byte(")")) && bytes.HasPrefix(bytes.TrimLeft(before, " \t"), []byte("func (")) {
		return false // a Go method behind its receiver
	}
	return !definers[string(before[bytes.LastIndexAny(before, " \t(")+1:])]
}

// stringEnd returns the offset behind the string that starts at i.
func stringEnd(line []byte, i int) int {
	for k := i + 1; k < len(line); k++ {
		switch line[k] {
		case '\\':
			k++
		case line[i]:
			return k + 1
		}
	}
	return i + 1 // an apostrophe, or a string that goes on: read what follows
}

// withoutComment cuts a line at a comment that begins it or follows a space.
func withoutComment(line []byte) []byte {
	for _, mark := range []string{"//", "#"} {
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte(mark)) {
			return nil
		}
		if i := bytes.Index(line, []byte(" "+mark+" ")); i >= 0 {
			line = line[:i]
		}
	}
	return line
}
