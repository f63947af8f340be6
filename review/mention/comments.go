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
	data   []byte
	family family
	next   int  // what lies before has been read
	from   int  // the last comment read, empty if there was none
	to     int  //
	fenced bool // inside a code block of a document
}

func newComments(f File) *comments {
	return &comments{data: f.Data, family: familyOf(f.Path)}
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

// step reads one comment, one string or one other byte.
func (c *comments) step() {
	rest := c.data[c.next:]
	for _, m := range marks[c.family] {
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

var marks = map[family][]mark{
	familyC:      {slashes, block, quotes, ticks, backticks},
	familyScript: {slashes, block, angle, quotes, ticks, backticks},
	familyHash:   {hash, quotes, ticks},
	familyPython: {hash, docQuotes, docTicks, quotes, ticks},
	familyDash:   {dashes, block, quotes, ticks},
	familyMarkup: {angle},
}

// length returns how far the comment or string at the start of text reaches.
func (m mark) length(text []byte) int {
	for i := len(m.open); i < len(text); i++ {
		switch {
		case bytes.HasPrefix(text[i:], []byte(m.close)):
			return i + len(m.close)
		case m.oneLine && text[i] == '\n':
			return i
		case m.escapes && text[i] == '\\':
			i++
		}
	}
	return len(text)
}
