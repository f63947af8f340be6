package escape

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	render "github.com/yuin/goldmark/renderer/html"
)

// The oracle: a Markdown renderer that we did not write, with all that GitHub
// adds to Markdown and with HTML passed through.
var oracle = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote), goldmark.WithRendererOptions(render.WithUnsafe()))

var tags = regexp.MustCompile(`<[^>]*>`)

// shown renders Markdown and returns its tags, and its text.
func shown(t *testing.T, source string) (elements, text string) {
	t.Helper()
	var b bytes.Buffer
	if err := oracle.Convert([]byte(source), &b); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	return strings.Join(tags.FindAllString(out, -1), ""), html.UnescapeString(tags.ReplaceAllString(out, ""))
}

// bare is text without the gaps that break links.
func bare(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), gap, "") }

// FuzzMarkdown checks that a name or sentence is drawn as one piece of text in
// every place where a report has one.
func FuzzMarkdown(f *testing.F) {
	for _, n := range reporterstest.HostileNames() {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, sentence := ends(Visible(s)), "s "+Visible(s)+" e"
		for _, c := range []struct{ place, source, elements, text string }{
			{"code in a list", "- " + Code(s) + "\n", "<ul><li><code></code></li></ul>", name},
			{"code between words", "- a " + Code(s) + " z\n", "<ul><li><code></code></li></ul>", "a " + name + " z"},
			{"code in a table", "| a |\n| --- |\n| " + HTMLCode(s) + " |\n",
				"<table><thead><tr><th></th></tr></thead><tbody><tr><td><code></code></td></tr></tbody></table>", "a\n\n\n\n\n" + name},
			{"prose in a list", "- s " + Text(s) + " e\n", "<ul><li></li></ul>", sentence},
			{"prose in a table", "| a |\n| --- |\n| s " + Text(s) + " e |\n",
				"<table><thead><tr><th></th></tr></thead><tbody><tr><td></td></tr></tbody></table>", "a\n\n\n\n\n" + sentence},
			{"prose in a summary", "<details>\n<summary>s " + Text(s) + " e</summary>\n\n</details>\n", "<details><summary></summary></details>", sentence},
		} {
			elements, text := shown(t, c.source)
			if elements != c.elements {
				t.Errorf("%s: %q became %s", c.place, c.source, elements)
			}
			if bare(text) != bare(c.text) {
				t.Errorf("%s: %q shows %q, want %q", c.place, c.source, bare(text), bare(c.text))
			}
		}
	})
}

// What GitHub and mail clients look for in text that is not code.
var links = regexp.MustCompile(`(?i)(^|[^0-9a-z_])@[0-9a-z_]|#[0-9]|https?:/|\bgh-[0-9]|www\.|\b[0-9a-f]{7,40}\b|:[0-9a-z_+-]+:`)

// FuzzLinks checks that prose holds nothing to link, and code nothing that
// notifies people.
func FuzzLinks(f *testing.F) {
	for _, n := range reporterstest.HostileNames() {
		f.Add(n)
	}
	f.Add(":a:b:c:d:")
	f.Add("@@a@b ##1 www.www.x::a:: gh-gh-1 http:http://")
	f.Fuzz(func(t *testing.T, s string) {
		if m := links.FindString(html.UnescapeString(Text(s))); m != "" {
			t.Errorf("prose holds %q: %q", m, Text(s))
		}
		notifies := regexp.MustCompile(`(^|[^0-9A-Za-z_])@[0-9A-Za-z_]|#[0-9]`)
		code := html.UnescapeString(tags.ReplaceAllString(HTMLCode(s), ""))
		if m := notifies.FindString(code); m != "" {
			t.Errorf("code holds %q: %q", m, code)
		}
		if m := notifies.FindString(strings.Trim(Code(s), "`")); m != "" && !strings.HasPrefix(Code(s), "<code>") {
			t.Errorf("code span holds %q: %q", m, Code(s))
		}
	})
}

func TestMermaidHoldsNothingThatADiagramActsOn(t *testing.T) {
	harmless := regexp.MustCompile(`^(?:[\p{L}\p{Nd} ._/-]|#[0-9]+;)+$`)
	for _, n := range reporterstest.HostileNames() {
		if got := Mermaid(n); !harmless.MatchString(got) {
			t.Errorf("%q became %q", n, got)
		}
	}
}
