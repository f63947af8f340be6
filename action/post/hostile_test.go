package post_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	render "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"github.com/previdence/previdence/action/actiontest"
	"github.com/previdence/previdence/action/post"
	"github.com/previdence/previdence/reporters/annotate"
	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
)

// oracle renders what GitHub renders, with HTML passed through.
var oracle = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote), goldmark.WithRendererOptions(render.WithUnsafe()))

// elements renders Markdown and returns the names of its elements that matter,
// the addresses it would load or link to, and its text.
func elements(t *testing.T, source string) (tags, addresses []string, text string) {
	t.Helper()
	var b bytes.Buffer
	if err := oracle.Convert([]byte(source), &b); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	z := html.NewTokenizer(&b)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return tags, addresses, all.String()
		case html.TextToken:
			all.Write(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			k := z.Token()
			tags = append(tags, k.Data)
			for _, a := range k.Attr {
				if a.Key == "href" || a.Key == "src" || strings.HasPrefix(a.Key, "on") {
					addresses = append(addresses, a.Key+"="+a.Val)
				}
			}
		}
	}
}

// allowed are the elements that a comment of ours is made of.
var allowed = map[string]bool{"h3": true, "h4": true, "p": true, "ul": true, "li": true, "code": true, "pre": true, "b": true, "table": true, "thead": true, "tbody": true,
	"tr": true, "th": true, "td": true, "details": true, "summary": true, "sub": true, "blockquote": true, "a": true, "br": true, "strong": true}

var link = regexp.MustCompile(`^href=https://github\.test/acme/pay/actions/runs/900/attempts/1$`)

// inert checks Markdown that holds hostile names.
func inert(t *testing.T, source string) {
	t.Helper()
	tags, addresses, text := elements(t, source)
	for _, tag := range tags {
		if !allowed[tag] {
			t.Errorf("an element <%s>", tag)
		}
	}
	for _, a := range addresses {
		if !link.MatchString(a) {
			t.Errorf("an address %s", a)
		}
	}
	for _, bad := range []string{"\n# ", "\u202e", "\x1b", "\u200d"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is shown", bad)
		}
	}
	if mention := regexp.MustCompile(`(^|[^0-9A-Za-z_\x60])@[a-z]`).FindString(text); mention != "" {
		t.Errorf("a mention %q", mention)
	}
}

func TestHostileNamesAreInert(t *testing.T) {
	r := reporterstest.Hostile()
	r.Subject.Repository = "acme/pay" // the rest is refused: see TestEvidenceThatLiesIsNotPublished
	g := open(t)
	g.options.Review = true
	list := annotate.List(r)
	g.hub.Change(func(s *actiontest.State) {
		for _, a := range list {
			s.PullRequests[0].Files = append(s.PullRequests[0].Files, actiontest.File{Path: a.Path, Patch: patch(1, 200)})
		}
	})
	// A fork can add a workflow with the name that is waited for, in any file.
	g.fork = true
	g.change = func(p *post.Publication) {
		p.Facts.Workflow = ".github/workflows/</code></sub><img src=x onerror=alert(1)> @acme/admins\n# APPROVED\n.yml"
		p.Envelope.Workflow = p.Facts.Workflow
	}
	g.hub.Change(func(s *actiontest.State) { s.PullRequests[0].HeadRepoID = 2002 })
	res := g.publish(r)
	if res.CommentURL == "" || res.CheckURL == "" {
		t.Fatalf("result %+v", res)
	}
	s := g.hub.State()
	body := s.Comments[0].Body
	if len(body) > 60_000 || !firstLine.MatchString(body) {
		t.Errorf("a comment of %d bytes: %.200s", len(body), body)
	}
	t.Run("comment", func(t *testing.T) { inert(t, body) })
	t.Run("check run", func(t *testing.T) { inert(t, s.CheckRuns[0].Summary) })
	t.Run("title", func(t *testing.T) { plain(t, s.CheckRuns[0].Title) })
	t.Run("annotations", func(t *testing.T) {
		if len(s.CheckRuns[0].Annotations) == 0 {
			t.Fatal("none")
		}
		for _, a := range s.CheckRuns[0].Annotations {
			plain(t, a.Title)
			plain(t, a.Message)
			if len(a.Title) > 255 || len(a.Message) > 64_000 || a.StartLine < 1 {
				t.Errorf("annotation %+v", a)
			}
		}
	})
	t.Run("review comments", func(t *testing.T) {
		if len(s.ReviewComments) == 0 {
			t.Fatal("none")
		}
		for _, c := range s.ReviewComments {
			inert(t, c.Body)
		}
	})
	for _, d := range res.Degraded {
		plain(t, d)
	}
	g.attempt++
	g.written()
	g.publish(r)
	g.wrote() // such names do not make it write again
}

// plain checks a text that is shown as it is.
func plain(t *testing.T, s string) {
	t.Helper()
	for _, c := range s {
		if c != '\u200b' && !unicode.IsPrint(c) {
			t.Errorf("%U in %q", c, s)
		}
	}
}

func TestAHugeReportFitsEverywhere(t *testing.T) {
	g := open(t)
	res := g.publish(reporterstest.Huge())
	s := g.hub.State()
	if n := len(s.Comments[0].Body); n > 60_000 || len(s.CheckRuns[0].Summary) > 60_000 || len(res.Degraded) != 0 || res.Writes > 10 {
		t.Errorf("comment of %d bytes, summary of %d, result %+v", n, len(s.CheckRuns[0].Summary), res)
	}
	inert(t, s.Comments[0].Body)
}

func TestCaveatsBeyondTheBudgetLeaveAWordInTheirPlace(t *testing.T) {
	r := small(head)
	for range 1000 {
		r.Caveats = append(r.Caveats, report.Caveat{ID: "x", Section: "coverage", Text: strings.Repeat("not seen ", 20), Count: 1})
	}
	g := open(t)
	g.options.Comment = post.CommentAlways
	res := g.publish(r)
	c := g.comment()
	if len(c.Body) > 60_000 || !strings.Contains(c.Body, "does not fit here: 1 changed symbol with references, 4 dependents and 1,00") || len(res.Degraded) != 0 {
		t.Errorf("%d bytes, result %+v: %.600s", len(c.Body), res, c.Body)
	}
}
