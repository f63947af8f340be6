package html

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
	"golang.org/x/net/html"
)

// A node is an element as a browser's parser sees it. The parser is not ours.
type node struct{ *html.Node }

func parse(t *testing.T, page string) node {
	t.Helper()
	n, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return node{n}
}

// elements returns all elements below n, in order.
func (n node) elements() []node {
	var out []node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode {
			out = append(out, node{d})
		}
	}
	return out
}

func (n node) all(names ...string) []node {
	return slices.DeleteFunc(n.elements(), func(e node) bool { return !slices.Contains(names, e.Data) })
}

func (n node) class(name string) []node {
	return slices.DeleteFunc(n.elements(), func(e node) bool { return !slices.Contains(strings.Fields(e.attr("class")), name) })
}

func (n node) attr(name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (n node) has(name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func (n node) text() string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "script" && d.Parent.Data != "style" {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// section returns the section of the page that a heading names.
func (n node) section(id string) node {
	for _, s := range n.all("section") {
		if s.attr("aria-labelledby") == id {
			return s
		}
	}
	return node{&html.Node{}}
}

// allowed are all elements and attributes that a page may have.
var (
	allowed = strings.Fields(`html head meta title style body a header p b span fieldset legend label input main section h1 h2 h3
		svg circle path ul li nav div code wbr aside details summary table thead tbody tr th td figure figcaption select option
		button output defs marker text tspan g rect article dl dt dd pre footer script`)
	attributes = regexp.MustCompile(`^(lang|charset|http-equiv|content|name|class|href|id|type|checked|tabindex|hidden|role|value|selected|for|scope|colspan` +
		`|aria-(label|labelledby|hidden)|data-(zoom|top|pitch|from|to|column|tier|reaches|way)` +
		`|viewbox|viewBox|width|height|x|y|dy|cx|cy|r|rx|d|refX|refY|markerWidth|markerHeight|orient|marker-end)$`)
)

// inert checks that a page has nothing that acts but what this package wrote.
func inert(t *testing.T, doc node) {
	t.Helper()
	for _, e := range doc.elements() {
		if !slices.Contains(allowed, e.Data) {
			t.Errorf("element <%s>", e.Data)
		}
		for _, a := range e.Attr {
			if !attributes.MatchString(a.Key) {
				t.Errorf("attribute %s of <%s>: %.80q", a.Key, e.Data, a.Val)
			}
			if a.Key == "href" && !regexp.MustCompile(`^#[a-z]+(-[0-9]+)?$`).MatchString(a.Val) {
				t.Errorf("<%s> leads to %q", e.Data, a.Val)
			}
		}
	}
}

func TestThePageAsksForNothing(t *testing.T) {
	for _, f := range reporterstest.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			doc := parse(t, page(t, f.Make(), 0))
			inert(t, doc)
			scripts, styles := doc.all("script"), doc.all("style")
			if len(scripts) != 1 || len(styles) != 1 {
				t.Fatalf("%d scripts, %d styles", len(scripts), len(styles))
			}
			policy := doc.all("meta")[1].attr("content")
			for _, want := range []string{"default-src 'none'", "script-src '" + digest(scripts[0].FirstChild.Data) + "'",
				"style-src '" + digest(styles[0].FirstChild.Data) + "'", "base-uri 'none'", "form-action 'none'"} {
				if !strings.Contains(policy, want) {
					t.Errorf("the policy lacks %s: %s", want, policy)
				}
			}
		})
	}
}

func TestThePageIsAccessible(t *testing.T) {
	for _, f := range reporterstest.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			doc := parse(t, page(t, f.Make(), 0))
			for _, one := range []string{"main", "nav", "header", "footer", "h1"} {
				if n := len(doc.all(one)); n != 1 {
					t.Errorf("%d <%s>", n, one)
				}
			}
			ids := uniqueIDs(t, doc)
			references(t, doc, ids)
			headings(t, doc)
			tables(t, doc)
		})
	}
}

func uniqueIDs(t *testing.T, doc node) map[string]node {
	ids := map[string]node{}
	for _, e := range doc.elements() {
		if id := e.attr("id"); id != "" {
			if _, twice := ids[id]; twice {
				t.Errorf("two elements are %q", id)
			}
			ids[id] = e
		}
	}
	return ids
}

// references checks that whatever names another element names one that exists,
// and that nothing to be operated is without a name.
func references(t *testing.T, doc node, ids map[string]node) {
	for _, e := range doc.elements() {
		for _, id := range []string{strings.TrimPrefix(e.attr("href"), "#"), e.attr("aria-labelledby")} {
			if _, ok := ids[id]; id != "" && !ok {
				t.Errorf("<%s> names %q, which is not there", e.Data, id)
			}
		}
		named := e.has("aria-label") || strings.TrimSpace(e.text()) != ""
		if slices.Contains([]string{"a", "button", "summary", "th"}, e.Data) && !named {
			t.Errorf("<%s> without a name: %v", e.Data, e.Attr)
		}
		if (e.Data == "select" || e.Data == "input") && e.Parent.Data != "label" {
			t.Errorf("<%s> without a label", e.Data)
		}
	}
	if e := doc.all("body")[0].all("a")[0]; e.attr("href") != "#verdict" {
		t.Errorf("the first link leads to %q", e.attr("href"))
	}
}

// headings checks that no level is left out.
func headings(t *testing.T, doc node) {
	level := 0
	for _, h := range doc.all("h1", "h2", "h3") {
		next := int(h.Data[1] - '0')
		if next > level+1 {
			t.Errorf("<%s> %q after level %d", h.Data, h.text(), level)
		}
		level = next
	}
}

// tables checks that every row has a cell for each title: a name that ended its
// cell would leave a row with another number.
func tables(t *testing.T, doc node) {
	for _, table := range doc.class("sorts") {
		titles := len(table.all("thead")[0].all("th"))
		for _, th := range table.all("th") {
			if th.attr("scope") == "" {
				t.Errorf("title %q without a scope", th.text())
			}
		}
		for _, row := range table.all("tr") {
			if n := len(row.all("td")); n != 0 && n != titles {
				t.Errorf("%d cells below %d titles: %.200s", n, titles, row.text())
			}
		}
	}
}

// shape is a page as its elements, without the places where a line may end.
func shape(doc node) string {
	var b strings.Builder
	for _, e := range doc.elements() {
		if e.Data != "wbr" {
			fmt.Fprintln(&b, e.Data)
		}
	}
	return b.String()
}

// FuzzRender gives a report one name wherever a report can have one. The page
// must have the structure that it has for a harmless name.
func FuzzRender(f *testing.F) {
	for _, n := range reporterstest.HostileNames() {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if len(name) > 400 || name == "" {
			return // a long command is left out; an absent name has no column of its own
		}
		doc := parse(t, page(t, reporterstest.Named(name), 0))
		inert(t, doc)
		if want := shape(parse(t, page(t, reporterstest.Named("name"), 0))); shape(doc) != want {
			t.Errorf("%q changes the structure", name)
		}
	})
}

func TestNamesAreShownToTheLetter(t *testing.T) {
	text := parse(t, page(t, reporterstest.Small(), 0)).text()
	for _, want := range []string{"pay/refund.go:14", "orders/cancel.go:88", "Policy.Next", "pay/charge_test.go:12",
		"parameter n: int → int64", "go test ./pay -run '^TestCharge$'", "golang.org/x/mod v0.1.0 → v0.2.0", strings.Repeat("d", 40)} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

func TestTheScriptWritesNoMarkup(t *testing.T) {
	for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch(",
		"XMLHttpRequest", "localStorage", "sessionStorage", "cookie", "import(", "setTimeout(", "http"} {
		if strings.Contains(script, word) {
			t.Errorf("the script has %q", word)
		}
	}
	if n := strings.Count(script, "\n"); n >= 300 {
		t.Errorf("the script has %d lines", n)
	}
}

func TestAReportOfUnknownWordsIsStillInert(t *testing.T) {
	r := reporterstest.Small()
	r.Verdict.Outcome = `pass" onclick="x`
	r.Sections[0].State = `"><script>`
	r.Impact.Symbols[0].Change = report.Change(`<img src=x>`)
	for i := range r.Impact.Symbols[0].Dependents {
		r.Impact.Symbols[0].Dependents[i].Tier = `"><script>x`
		r.Impact.Symbols[0].Dependents[i].Kind = `<b>`
	}
	r.Impact.ByDistance = nil
	inert(t, parse(t, page(t, r, 0)))
}
