// Package escape makes text from a repository safe to show.
//
// Input is any bytes: names, paths, signatures, sentences that quote them.
// Output is valid UTF-8 on one line that a terminal, a Markdown renderer or a
// diagram draws as plain text and nothing else: no escape sequence, markup,
// link, mention or invisible character passes. The package knows nothing about
// reports and never refuses or drops text; [Shorten] alone leaves something
// out, and marks where.
//
// The rules come from rendering hostile names with two Markdown parsers that
// disagree: `a\\|b` in a table is one cell for one of them and two for the
// other, and a backslash before </code> swallowed the tag. So tables get
// [HTMLCode], which leaves no character that either could act on, and lists get
// [Code], which people can still read as source.
package escape

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// invisible characters that count as printable letters or symbols: Hangul
// fillers, variation selectors, the blank Braille pattern and their like. Two
// names that differ only in one of them would look the same.
func invisible(r rune) bool {
	return r == '\u2800' || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Visible writes everything that could move the cursor, reverse the text or
// hide in it as something to see: a line end as ↵, a tab as ⇥, other controls,
// bidirectional and zero-width characters as \uXXXX, and bytes that
// are not UTF-8 as \xXX. Text without them comes back as it was.
func Visible(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02X`, s[i])
		case r == '\n':
			b.WriteRune('↵')
		case r == '\t':
			b.WriteRune('⇥')
		case unicode.IsPrint(r) && !invisible(r):
			b.WriteString(s[i : i+n])
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
		i += n
	}
	return b.String()
}

// Shorten cuts s in the middle so that it fills at most width cells of a
// terminal, and puts … where it cut. The end of a path and of a name says more
// than its middle. It expects visible text, and a width of at least 1.
func Shorten(s string, width int) string {
	w := ansi.StringWidth(s)
	if w <= width {
		return s
	}
	head := (width - 1) / 2
	tail := width - 1 - head
	end := ansi.TruncateLeft(s, w-tail, "")
	if ansi.StringWidth(end) > tail { // the cut fell into a character of two cells
		end = ansi.TruncateLeft(s, w-tail+1, "")
	}
	return ansi.Truncate(s, head, "") + "…" + end
}

// longestFence is how many backticks a fence may have. cmark gives up at 80.
const longestFence = 16

// Code is a Markdown code span for lists and paragraphs. Its fence is longer
// than any run of backticks inside. Spaces at the ends, which Markdown drops,
// show as ␣, and so does an empty name. It is not for tables: there a | ends
// the cell. A name with a very long run of backticks becomes an [HTMLCode].
func Code(s string) string {
	run := longestRun(s, '`')
	if run > longestFence {
		return HTMLCode(s)
	}
	s = breakMentions(ends(Visible(s)))
	fence := strings.Repeat("`", run+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// HTMLCode is a code element for Markdown tables and for <summary>. All
// characters that any parser acts on are numeric entities.
func HTMLCode(s string) string {
	return "<code>" + entities(breakLinks(ends(Visible(s))), ascii) + "</code>"
}

// Name is a name for a place where nothing acts on text, such as a node of a
// document: [Visible], and what a reader could not see at its ends as ␣.
func Name(s string) string { return ends(Visible(s)) }

// Text is prose for any place in Markdown or in HTML inside it: a sentence that
// may quote a name. No part of it becomes markup, a link, a mention, a
// reference to an issue or commit, or an emoji.
func Text(s string) string {
	return atStart(entities(breakWords(breakLinks(Visible(s))), prose))
}

// marker is what makes a list item, a heading or a rule of the line it begins.
var marker = regexp.MustCompile(`^([0-9]+[.)]|[-+=#])`)

// atStart keeps a sentence that begins a line from becoming anything else.
func atStart(s string) string {
	n := len(marker.FindString(s))
	if n == 0 {
		return s
	}
	return s[:n-1] + fmt.Sprintf("&#%d;", s[n-1]) + s[n:]
}

// Plain is text for places that show it as it is but may be mailed or copied:
// annotations, SARIF. Nothing in it is a link, a mention or a reference to an
// issue or commit; markup in it stays, since nothing there reads it as such.
func Plain(s string) string { return breakWords(breakLinks(Visible(s))) }

// Quoted is a name between other words where nothing else sets it apart: as it
// is if it could not be read as anything but one word, else in double quotes.
func Quoted(s string) string {
	s = Visible(s)
	if s != "" && !strings.ContainsAny(s, ` "`) {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
}

// Mermaid is the inside of a quoted label in a Mermaid diagram. Labels are read
// as Markdown, and may hold HTML, icons and comments, so everything but letters,
// digits and spaces is an entity of Mermaid's own. Only . _ - and / stay as they
// are between two letters or digits, where names have them and nothing acts.
func Mermaid(s string) string {
	var b strings.Builder
	text := []rune(ends(Visible(s)))
	plain := func(i int) bool {
		return i >= 0 && i < len(text) && (unicode.IsLetter(text[i]) || unicode.IsDigit(text[i]))
	}
	for i, r := range text {
		inside := strings.ContainsRune("._-/", r) && plain(i-1) && plain(i+1) && !(r == '.' && web(text[:i]))
		if r == ' ' || plain(i) || inside {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// web reports whether text ends in what makes an address of the name after it.
func web(text []rune) bool {
	return len(text) >= 3 && strings.EqualFold(string(text[len(text)-3:]), "www")
}

// ends shows spaces at the ends of a name.
func ends(s string) string {
	trimmed := strings.TrimLeft(s, " ")
	left := len(s) - len(trimmed)
	inner := strings.TrimRight(trimmed, " ")
	right := len(trimmed) - len(inner)
	if s == "" {
		left = 1
	}
	return strings.Repeat("␣", left) + inner + strings.Repeat("␣", right)
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := 0; i < len(s); i++ {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// ascii reports whether a character of a name needs an entity: all of ASCII but
// letters, digits and what paths are made of.
func ascii(r rune) bool {
	return r < utf8.RuneSelf && !word(r) && !strings.ContainsRune(" ./-:,()", r)
}

// prose reports whether a character of a sentence needs an entity. Those that
// act only at the start of a line are left to [atStart], and those that act only
// beside one of these need none.
func prose(r rune) bool {
	return strings.ContainsRune("&<>\\`*_[]|~$", r)
}

func entities(s string, needs func(rune) bool) string {
	var b strings.Builder
	for _, r := range s {
		if needs(r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
