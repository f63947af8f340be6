package post

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/reporters/markdown"
	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/delta"
	"github.com/previdence/previdence/review/report"
)

// A body is a comment in its parts. Its content is a function of the report and
// of the claims that it is compared with; the run that made it stands apart, so
// that a run that finds the same changes nothing.
type body struct {
	head     string
	content  string
	workflow string
	server   string // with the repository; "" means no link
	key      string
}

// as writes the comment as a run would.
func (b *body) as(s seq) string {
	m := marker{key: b.key, head: b.head, seq: s, sum: sum(b.content)}
	run := fmt.Sprintf("run %d, attempt %d", s.run, s.attempt)
	if b.server != "" {
		run = fmt.Sprintf("[%s](%s/actions/runs/%d/attempts/%d)", run, b.server, s.run, s.attempt)
	}
	return fmt.Sprintf("%s\n%s\n<sub>Evidence by %s of %s.</sub>\n", m, b.content, run, escape.HTMLCode(b.workflow))
}

// says reports whether a comment already reads as this body, whatever run wrote
// it, and nobody has changed it since.
func (b *body) says(text string, m marker) bool {
	return normal(text) == normal(b.as(m.seq))
}

// normal is text without what a server or an editor may change about line ends.
func normal(s string) string {
	return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), " \n")
}

// claims is the hidden line that carries what this comment says, and what the
// comment of the head before said, from one run to the next. It is the last but
// the line about the run: evidence of a fork may hold one like it further up.
var claims = regexp.MustCompile(`\n<!-- previdence-claims v=1 now=([A-Za-z0-9._-]+) since=([A-Za-z0-9._-]*) -->\r?\n\r?\n<sub>[^\n]*\s*\z`)

// earlier returns the claims to compare a report of head with: those of the
// comment, or if it is about the same head, those that it was compared with.
func earlier(text string, m marker, head string) (c delta.Claims, known bool) {
	f := claims.FindStringSubmatch(text)
	if f == nil {
		return c, false
	}
	encoded := f[1]
	if m.head == head {
		encoded = f[2]
	}
	c, err := delta.Decode(encoded)
	return c, err == nil
}

// compose writes what a comment says about a report.
func (j *job) compose(r *report.Report, since *delta.Claims) (*body, error) {
	b := &body{head: j.facts.Head, workflow: j.facts.Workflow, key: j.options.Key}
	if j.options.ServerURL != "" && repositoryForm.MatchString(j.facts.Repository) {
		b.server = j.options.ServerURL + "/" + j.facts.Repository
	}
	was := ""
	if since != nil {
		was = since.Encode()
	}
	note := j.trust()
	hidden := fmt.Sprintf("\n<!-- previdence-claims v=1 now=%s since=%s -->\n", delta.Of(r).Encode(), was)
	if len(hidden) > j.options.Budget/4 {
		hidden = "" // what people read comes first; the next comment then has no delta
	}
	rest := len(b.as(seq{1e18 - 1, 1e9 - 1})) + len(nothingNow) + len(note) + len(hidden)
	text, err := rendered(r, max(1, j.options.Budget-rest))
	if err != nil {
		return nil, err
	}
	title, text, _ := strings.Cut(text, "\n")
	if !speaks(r) {
		title = nothingNow
	}
	b.content = title + "\n" + note + text + hidden
	return b, nil
}

// nothingNow is the title of a comment that once had something to say.
const nothingNow = "### previdence: nothing to report now"

var repositoryForm = regexp.MustCompile(`^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`)

// trust is what a reader must know about evidence before reading it.
func (j *job) trust() string {
	if !j.facts.fork() {
		return ""
	}
	return "\n> From a fork: made by a run without privileges, whose workflow this pull request can change. " +
		"GitHub confirmed the head, the base and the repository; the rest is the word of that run. " +
		"The last section has the command to check it.\n"
}

// rendered is a report as Markdown. One whose caveats alone are beyond the
// budget is not cut: it says where the whole is.
func rendered(r *report.Report, budget int) (string, error) {
	var out bytes.Buffer
	err := markdown.Render(&out, r, budget)
	if errors.Is(err, outline.ErrBudget) {
		return fmt.Sprintf("### previdence: %s\n\nThe evidence about %s does not fit here: %s, %s and %s. It is whole in the report that the run uploaded.\n",
			escape.Text(outline.Title(r)), escape.Code(outline.Short(r.Subject.Head.Commit)), outline.Count(len(r.Breaks), "changed symbol with references"),
			outline.Count(r.Impact.Total, "dependent"), outline.Count(len(r.Caveats), "caveat")), nil
	}
	return out.String(), err
}

// speaks reports whether a report has something to say that a reviewer would not
// see in the diff: a claim, something that can reach the change, or a meeting
// with another pull request. What was not seen is no reason to speak: the check
// run has it.
func speaks(r *report.Report) bool {
	return len(delta.Of(r).List) > 0 || r.Impact.Total > r.Impact.Tests || len(r.Overlap) > 0 || r.Verdict.Outcome == report.Fail
}
