package escape

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/previdence/previdence/reporters/reporterstest"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ claim, in, want string }{
		{"plain text stays", "pay/refund.go:14", "pay/refund.go:14"},
		{"letters of all scripts stay", "файл/文件/مرحبا/😀", "файл/文件/مرحبا/😀"},
		{"a line end becomes a mark", "a\nb", "a↵b"},
		{"a carriage return is shown", "a\rb", `a\u000Db`},
		{"a tab becomes a mark", "a\tb", "a⇥b"},
		{"an escape sequence is shown", "\x1b[31m", `\u001B[31m`},
		{"an 8-bit control is shown", "\u009b31m", `\u009B31m`},
		{"a bidi override is shown", "a\u202eb", `a\u202Eb`},
		{"a zero-width space is shown", "a\u200bb", `a\u200Bb`},
		{"a variation selector is shown", "a\ufe0fb", `a\uFE0Fb`},
		{"a tag character is shown", "a\U000e0041b", `a\U000E0041b`},
		{"a Hangul filler is shown", "\u3164", `\u3164`},
		{"a no-break space is shown", "a\u00a0b", `a\u00A0b`},
		{"a line separator is shown", "a\u2028b", `a\u2028b`},
		{"bytes that are not UTF-8 are shown", "a\xffb\xc3", `a\xFFb\xC3`},
		{"the replacement character is itself", "\ufffd", "\ufffd"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if got := Visible(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		claim, in string
		width     int
		want      string
	}{
		{"what fits stays", "abcdef", 6, "abcdef"},
		{"the middle goes first", "abcdefgh", 5, "ab…gh"},
		{"an even width keeps more of the end", "abcdefgh", 4, "a…gh"},
		{"one cell is the mark", "abc", 1, "…"},
		{"wide letters count as two cells", "文件文件文件", 5, "文…件"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			got := Shorten(c.in, c.width)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if w := ansi.StringWidth(got); w > c.width {
				t.Errorf("%q is %d cells wide, want at most %d", got, w, c.width)
			}
		})
	}
}

func TestMarkup(t *testing.T) {
	for _, c := range []struct {
		claim  string
		escape func(string) string
		in     string
		want   string
	}{
		{"a fence is longer than any run inside", Code, "a``b", "```a``b```"},
		{"a name that starts with a backtick is set off", Code, "`a", "`` `a ``"},
		{"outer spaces are shown", Code, " a  ", "`␣a␣␣`"},
		{"an empty name is shown", Code, "", "`␣`"},
		{"a path is left to copy", Code, "a/b_c-d[e](f)|g\\h", "`a/b_c-d[e](f)|g\\h`"},
		{"an address in code is left to copy", Code, "user@example.org", "`user@example.org`"},
		{"a mention in code is broken", Code, "x/@acme/y @z", "`x/@\u200bacme/y @\u200bz`"},
		{"an issue in code is broken", Code, "a#1", "`a#\u200b1`"},
		{"a fence has its limits", Code, strings.Repeat("`", 17), "<code>" + strings.Repeat("&#96;", 17) + "</code>"},
		{"a pipe in a table is an entity", HTMLCode, "a|b", "<code>a&#124;b</code>"},
		{"a backslash in a table is an entity", HTMLCode, `foo\`, "<code>foo&#92;</code>"},
		{"a tag in a table is text", HTMLCode, "<b>", "<code>&#60;b&#62;</code>"},
		{"a link in a table is broken", HTMLCode, "http://x www.x", "<code>http:\u200b//x www\u200b.x</code>"},
		{"prose stays readable", Text, "3 of 412 Go files (7 %) did not parse.", "3 of 412 Go files (7 %) did not parse."},
		{"markup in prose is text", Text, "*a* _b_ [c](d) <e> `f` ~g~ $h$", "&#42;a&#42; &#95;b&#95; &#91;c&#93;(d) &#60;e&#62; &#96;f&#96; &#126;g&#126; &#36;h&#36;"},
		{"a commit in prose is broken", Text, "deadbeef", "deadbe\u200bef"},
		{"GH-1 in prose is broken", Text, "GH-12", "GH-\u200b12"},
		{"an emoji in prose is broken", Text, ":tada:", ":\u200btada:"},
		{"an entity in prose is text", Text, "&#64;x", "&#38;#\u200b64;x"},
		{"a quote in a diagram is an entity", Mermaid, `a"b`, "a#34;b"},
		{"an entity in a diagram is text", Mermaid, "#quot;", "#35;quot#59;"},
		{"a comment in a diagram is text", Mermaid, " %% x", "#9251;#37;#37; x"},
		{"a name in a diagram reads as it is", Mermaid, "pkg/http2-go/Client_v2.Send", "pkg/http2-go/Client_v2.Send"},
		{"emphasis in a diagram is text", Mermaid, "__init__", "#95;#95;init#95;#95;"},
		{"a list in a diagram is text", Mermaid, "1. - x", "1#46; #45; x"},
		{"an address in a diagram is text", Mermaid, "a//WWW.x.y", "a#47;#47;WWW#46;x.y"},
		{"nothing in a diagram is shown", Mermaid, "", "#9251;"},
		{"one word needs no quotes", Quoted, "pay/a.go:1", "pay/a.go:1"},
		{"more words are quoted", Quoted, "a b", `"a b"`},
		{"quotes are quoted", Quoted, `a"b`, `"a\"b"`},
		{"no word is quoted", Quoted, "", `""`},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if got := c.escape(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzVisible checks that all that comes out can be seen, that it stays as it
// is when it goes in again, and that what can be seen comes out as it was.
func FuzzVisible(f *testing.F) {
	for _, n := range reporterstest.HostileNames() {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Visible(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		plain := true
		for _, r := range s {
			plain = plain && r != utf8.RuneError && unicode.IsPrint(r) && !invisible(r)
		}
		if plain && got != s {
			t.Errorf("got %q of plain text", got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) {
				t.Errorf("%U in %q", r, got)
			}
		}
		if again := Visible(got); again != got {
			t.Errorf("%q became %q", got, again)
		}
		if short := Shorten(got, 20); ansi.StringWidth(short) > 20 {
			t.Errorf("%q is wider than 20 cells", short)
		}
	})
}

func TestTextBeginsNoBlock(t *testing.T) {
	for in, want := range map[string]string{
		"1. first":  "1&#46; first",
		"12) last":  "12&#41; last",
		"- item":    "&#45; item",
		"+ item":    "&#43; item",
		"# title":   "&#35; title",
		"=====":     "&#61;====",
		"1.5 times": "1&#46;5 times",
		". ":        ". ",
		"a - b":     "a - b",
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}
