package mention

import (
	"bytes"
	"path"
	"strings"
)

// A family is a group of languages with the same comments.
type family uint8

const (
	familyUnknown family = iota
	familyC              // // and /* */
	familyScript         // the same, and names may hold a dollar sign
	familyHash           // #
	familyPython         // # and strings in three quotes
	familyDash           // -- and /* */
	familyMarkup         // <!-- -->
	familyProse          // all of it, code blocks left out
)

var families = func() map[string]family {
	m := map[string]family{}
	for f, endings := range map[family]string{
		familyC:      ".go .c .h .cc .cpp .cxx .hh .hpp .cs .java .kt .kts .scala .rs .swift .php .proto .dart .groovy .gradle .zig .css .scss .less .m .mm .cue .sol",
		familyScript: ".js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte .json .jsonc .json5",
		familyHash:   ".rb .sh .bash .zsh .fish .yml .yaml .toml .cfg .ini .conf .pl .pm .r .ex .exs .jl .tf .hcl .mk .cmake .bzl .star .ps1 .nix .graphql .gql",
		familyPython: ".py .pyi .pyx",
		familyDash:   ".sql .lua .hs .elm .ada .adb",
		familyMarkup: ".html .htm .xml .svg",
		familyProse:  ".md .markdown .mdx .rst .txt .adoc .org",
	} {
		for _, e := range strings.Fields(endings) {
			m[e] = f
		}
	}
	for _, name := range []string{"Makefile", "Dockerfile", "Rakefile", "Gemfile", "CMakeLists.txt", "BUILD", ".gitignore", "CODEOWNERS"} {
		m[name] = familyHash
	}
	return m
}()

func familyOf(p string) family {
	if f, ok := families[path.Base(p)]; ok {
		return f
	}
	return families[strings.ToLower(path.Ext(p))]
}

// comments tells for ascending offsets of one file whether they lie in a
// comment. It reads on only as far as it is asked, so a file without a mention
// costs nothing.
type comments struct {
	data     []byte
	family   family
	syntax   *syntax
	next     int  // what lies before has been read
	from, to int  // the last comment read, empty if there was none
	fenced   bool // inside a code block of a document
}

func newComments(f File) *comments {
	family := familyOf(f.Path)
	return &comments{data: f.Data, family: family, syntax: syntaxes[family]}
}

// at reports whether offset i lies in a comment. Offsets must not descend.
func (c *comments) at(i int) bool {
	switch c.family {
	case familyUnknown:
		return false
	case familyProse:
		return c.prose(i)
	}
	for c.next <= i {
		c.step()
	}
	return c.from <= i && i < c.to
}

// prose reads whole lines up to the one of i, and watches for code fences.
func (c *comments) prose(i int) bool {
	for c.next <= i {
		line, _, _ := bytes.Cut(c.data[c.next:], []byte{'\n'})
		if t := bytes.TrimLeft(line, " "); bytes.HasPrefix(t, []byte("```")) || bytes.HasPrefix(t, []byte("~~~")) {
			c.fenced = !c.fenced
		}
		c.next += len(line) + 1
	}
	return !c.fenced
}

// step reads up to the next comment or string and past it, or past one byte that
// could have begun one.
func (c *comments) step() {
	for c.next < len(c.data) && !c.syntax.opens[c.data[c.next]] {
		c.next++
	}
	rest := c.data[c.next:]
	for _, m := range c.syntax.marks {
		if !bytes.HasPrefix(rest, []byte(m.open)) || m.spaced && !c.spaced() {
			continue
		}
		n := m.length(rest)
		if m.comment {
			c.from, c.to = c.next, c.next+n
		}
		c.next += n
		return
	}
	c.next++
}

// spaced reports whether white space or nothing stands before next: a # in the
// middle of a word starts no comment.
func (c *comments) spaced() bool {
	return c.next == 0 || strings.IndexByte(" \t\n;(", c.data[c.next-1]) >= 0
}

// A mark is how a comment or a string begins and ends. Strings are read so that
// a mark inside them starts no comment.
type mark struct {
	open, close string
	comment     bool
	escapes     bool // a backslash takes the next byte along
	oneLine     bool // ends with the line in any case
	spaced      bool // only after white space
}

var (
	slashes   = mark{open: "//", close: "\n", comment: true}
	block     = mark{open: "/*", close: "*/", comment: true}
	hash      = mark{open: "#", close: "\n", comment: true, spaced: true}
	dashes    = mark{open: "--", close: "\n", comment: true}
	angle     = mark{open: "<!--", close: "-->", comment: true}
	quotes    = mark{open: `"`, close: `"`, escapes: true, oneLine: true}
	ticks     = mark{open: `'`, close: `'`, escapes: true, oneLine: true}
	backticks = mark{open: "`", close: "`", escapes: true}
	docQuotes = mark{open: `"""`, close: `"""`, comment: true, escapes: true}
	docTicks  = mark{open: `'''`, close: `'''`, comment: true, escapes: true}
)

// A syntax is the marks of one family, and the bytes that can begin one.
type syntax struct {
	marks []mark
	opens [256]bool
}

var syntaxes = func() map[family]*syntax {
	out := map[family]*syntax{}
	for f, marks := range map[family][]mark{
		familyC:      {slashes, block, quotes, ticks, backticks},
		familyScript: {slashes, block, angle, quotes, ticks, backticks},
		familyHash:   {hash, quotes, ticks},
		familyPython: {hash, docQuotes, docTicks, quotes, ticks},
		familyDash:   {dashes, block, quotes, ticks},
		familyMarkup: {angle},
	} {
		s := &syntax{marks: marks}
		for _, m := range marks {
			s.opens[m.open[0]] = true
		}
		out[f] = s
	}
	return out
}()

// length returns how far the comment or string at the start of text reaches.
func (m mark) length(text []byte) int {
	if !m.escapes {
		if i := bytes.Index(text[len(m.open):], []byte(m.close)); i >= 0 {
			return len(m.open) + i + len(m.close)
		}
		return len(text)
	}
	for i := len(m.open); i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '\n' && m.oneLine:
			return i
		case c == m.close[0] && bytes.HasPrefix(text[i:], []byte(m.close)):
			return i + len(m.close)
		}
	}
	return len(text)
}
