package document

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// What of reStructuredText can hold a name or a path.
var (
	rstDirective = regexp.MustCompile(`^(\s*)\.\. (?:\|[^|]*\| )?([\w:.+-]+)::\s*(.*)$`)
	rstTarget    = regexp.MustCompile("^\\s*\\.\\. _(?:[^:`]+|`[^`]+`): (\\S+)$")
	rstInline    = regexp.MustCompile("``(.+?)``|(:[\\w:+.-]+:)?`([^`]+)`(__?)?")
	rstExplicit  = regexp.MustCompile(`^(?s)(.*?)\s*<([^<>]+)>$`)
)

// rstLinks are the directives that name a file.
var rstLinks = map[string]bool{"include": true, "literalinclude": true, "image": true, "figure": true}

// rstCode are the directives that hold a block of code in the language that they
// name.
var rstCode = map[string]bool{"code-block": true, "code": true, "sourcecode": true}

// rstRoles are the roles, without their domain, whose text is a name; true if it
// is that of something that is called.
var rstRoles = map[string]bool{"func": true, "meth": true, "function": true, "class": false, "exc": false, "attr": false, "data": false,
	"const": false, "obj": false, "mod": false, "type": false, "any": false}

// readRST reads the document line by line.
func (b *builder) readRST() {
	lines := bytes.SplitAfter(b.text, []byte("\n"))
	r := rst{b: b}
	for i := 0; i < len(lines); i++ {
		line := bytes.TrimRight(lines[i], "\r\n")
		indent := len(line) - len(bytes.TrimLeft(line, " \t"))
		blank := indent == len(line)
		switch {
		case r.inBlock && (blank || indent > r.indent):
			if r.code {
				b.codeLine(line, r.at, r.scope)
			}
		case !blank && r.title(lines, i):
			r.inBlock = false
			below := 1 // lines of the title after this one
			if rule(bytes.TrimRight(line, " \t")) {
				below = 2
			}
			for range below {
				r.at += len(lines[i])
				i++
			}
		default:
			r.inBlock = false
			r.line(line, indent)
		}
		r.at += len(lines[i])
	}
}

// An rst reader knows where it is in a document.
type rst struct {
	b       *builder
	at      int      // offset of the line
	styles  []string // of titles, in the order of their first use
	inBlock bool     // a literal block or the content of a directive that is not text
	indent  int      // of what opened it
	code    bool     // it is code in a language whose calls are read
	scope   int32
}

// line reads a line of text.
func (r *rst) line(line []byte, indent int) {
	text := string(line)
	if m := rstDirective.FindStringSubmatchIndex(text); m != nil {
		r.directive(text[m[4]:m[5]], text[m[6]:m[7]], r.at+m[6], indent)
		return
	}
	if m := rstTarget.FindStringSubmatch(text); m != nil {
		r.b.readLink(m[1], r.at)
		return
	}
	r.inline(text)
	if strings.HasSuffix(strings.TrimRight(text, " \t"), "::") {
		r.inBlock, r.indent, r.code = true, indent, false
	}
}

// directive reads ".. name:: argument", whose argument stands at start.
func (r *rst) directive(name, argument string, start, indent int) {
	local := name[strings.LastIndexByte(name, ':')+1:]
	switch {
	case rstCode[name]:
		r.inBlock, r.indent = true, indent
		r.scope, r.code = r.b.fence(argument)
	case rstLinks[name]:
		r.b.readLink(argument, start)
	case strings.HasPrefix(local, "auto"): // autoclass, autofunction: the page is made from it
		r.b.literal(argument, start)
	case name == "raw" || name == "math" || name == "highlight":
		r.inBlock, r.indent, r.code = true, indent, false
	}
}

// inline reads literals, roles and links in one line.
func (r *rst) inline(text string) {
	for _, m := range rstInline.FindAllStringSubmatchIndex(text, -1) {
		if m[2] >= 0 {
			r.b.literal(text[m[2]:m[3]], r.at+m[2])
			continue
		}
		content, start := text[m[6]:m[7]], r.at+m[6]
		if e := rstExplicit.FindStringSubmatchIndex(content); e != nil {
			content, start = content[e[4]:e[5]], start+e[4]
		}
		switch role := ""; {
		case m[4] >= 0:
			role = strings.Trim(text[m[4]:m[5]], ":")
			r.role(role[strings.LastIndexByte(role, ':')+1:], content, start)
		case m[8] >= 0:
			r.b.readLink(content, start)
		}
	}
}

// role reads :role:`content`.
func (r *rst) role(role, content string, start int) {
	called, named := rstRoles[role]
	switch {
	case role == "doc":
		r.b.readLink(content, start)
	case role == "file":
		r.b.literal(content, start)
	case named:
		// A tilde shows the last part only, a dot looks the name up nearby.
		name, ok := parseName(strings.TrimLeft(content, "~!."))
		if ok {
			name.call = name.call || called
			r.b.reference(name, start, start+len(content), 0)
		}
	}
}

// title opens a section if line i is a title with a rule below it, or the rule
// above one. Which rules are a level is told by the order in which they come.
func (r *rst) title(lines [][]byte, i int) bool {
	first := bytes.TrimRight(lines[i], " \t\r\n")
	next := func(n int) []byte {
		if i+n < len(lines) {
			return bytes.TrimRight(lines[i+n], " \t\r\n")
		}
		return nil
	}
	style, text, at := "", first, r.at
	switch {
	case rule(first) && len(next(1)) > 0 && !rule(next(1)) && bytes.Equal(next(2), first):
		style, text, at = string(first[:1])+"above", next(1), r.at+len(lines[i])
	case !rule(first) && first[0] != ' ' && first[0] != '\t' && rule(next(1)) && len(next(1)) >= utf8.RuneCount(first):
		style = string(next(1)[:1])
	default:
		return false
	}
	level := 0
	for level < len(r.styles) && r.styles[level] != style {
		level++
	}
	if level == len(r.styles) {
		r.styles = append(r.styles, style)
	}
	name := fold(bytes.ReplaceAll(text, []byte("`"), nil), maxTitle)
	if name != "" {
		r.b.heading(level+1, r.at, at+len(text)-len(bytes.TrimLeft(text, " \t")), name)
	}
	return true
}

// rule reports whether a line is one sign, repeated.
func rule(line []byte) bool {
	if len(line) < 3 || !bytes.ContainsRune([]byte("=-~^\"'`:.*+#_<>"), rune(line[0])) {
		return false
	}
	return len(bytes.Trim(line, string(line[:1]))) == 0
}
