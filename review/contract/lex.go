package contract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A kind of token.
type tokenKind uint8

const (
	word tokenKind = iota + 1
	text           // a string without parts that are computed
	made           // a string with parts that are computed
	number
	sign // one character
)

// A token is one word, literal or sign of a program. Comments are none.
type token struct {
	kind tokenKind
	text string // of a string its content, escapes as they are written
	line int
	raw  bool // a string in backticks
}

// A dialect is what the lexer must know of a language.
type dialect struct {
	hash     bool // # starts a comment, and strings may stand in three quotes
	slashes  bool // // and /* start comments
	template bool // strings in backticks may have ${…}
}

var (
	dialectGo     = dialect{slashes: true}
	dialectScript = dialect{slashes: true, template: true}
	dialectPython = dialect{hash: true}
)

// A lexer cuts a program into tokens. It never fails: what no language would
// write is read in some way.
type lexer struct {
	dialect
	src  string
	at   int
	line int
	out  []token
}

func lex(src string, d dialect) []token {
	l := &lexer{dialect: d, src: src, line: 1}
	for l.at < len(l.src) {
		l.step()
	}
	return l.out
}

func (l *lexer) step() {
	rest := l.src[l.at:]
	c := rest[0]
	switch {
	case c == '\n':
		l.line++
		l.at++
	case c == ' ' || c == '\t' || c == '\r':
		l.at++
	case l.hash && c == '#', l.slashes && strings.HasPrefix(rest, "//"):
		l.skip(strings.IndexByte(rest, '\n'))
	case l.slashes && strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end >= 0 {
			end += 4
		}
		l.skip(end)
	case l.hash && (strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, `'''`)):
		l.string(rest[:3], false)
	case c == '"' || c == '\'':
		l.string(rest[:1], true)
	case c == '`':
		l.string("`", false)
	default:
		l.word(rest)
	}
}

// skip goes on n bytes, or to the end if n is negative.
func (l *lexer) skip(n int) {
	if n < 0 {
		n = len(l.src) - l.at
	}
	l.line += strings.Count(l.src[l.at:l.at+n], "\n")
	l.at += n
}

// string reads a string up to its closing mark, or to the end of the line.
func (l *lexer) string(mark string, oneLine bool) {
	start, line := l.at+len(mark), l.line
	formatted := l.hash && l.prefixed()
	escapes := mark != "`" || l.template
	i := start
	for i < len(l.src) && !strings.HasPrefix(l.src[i:], mark) && !(oneLine && l.src[i] == '\n') {
		if escapes && l.src[i] == '\\' {
			i++
		}
		i++
	}
	i = min(i, len(l.src))
	body := l.src[start:i]
	kind := text
	if formatted && strings.Contains(body, "{") || l.template && mark == "`" && strings.Contains(body, "${") {
		kind = made
	}
	l.out = append(l.out, token{kind, body, line, mark == "`"})
	if strings.HasPrefix(l.src[i:], mark) {
		i += len(mark)
	}
	l.skip(i - l.at)
}

// prefixed takes the letters before a Python string off again and reports
// whether one of them makes it a formatted one.
func (l *lexer) prefixed() bool {
	n := len(l.out)
	if n == 0 || l.at == 0 || l.out[n-1].kind != word || !strings.HasSuffix(l.src[:l.at], l.out[n-1].text) || len(l.out[n-1].text) > 2 {
		return false
	}
	p := strings.ToLower(l.out[n-1].text)
	if strings.Trim(p, "rbfut") != "" {
		return false
	}
	l.out = l.out[:n-1]
	return strings.ContainsAny(p, "ft")
}

func (l *lexer) word(rest string) {
	n := 0
	for n < len(rest) {
		r, size := utf8.DecodeRuneInString(rest[n:])
		if r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		n += size
	}
	kind := word
	switch {
	case n == 0:
		_, n = utf8.DecodeRuneInString(rest)
		kind = sign
	case rest[0] >= '0' && rest[0] <= '9':
		kind = number
	}
	l.out = append(l.out, token{kind: kind, text: rest[:n], line: l.line})
	l.at += n
}
