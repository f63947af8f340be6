package post_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/previdence/previdence/action/actiontest"
	"github.com/previdence/previdence/action/envelope"
	"github.com/previdence/previdence/action/github"
	"github.com/previdence/previdence/action/post"
	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
)

const bot = "github-actions[bot]"

var (
	base = strings.Repeat("a", 40)
	head = strings.Repeat("d", 40)
	next = strings.Repeat("f", 40)
)

// clock is a clock that only sleeping moves.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	return ctx.Err()
}

// A rig is a GitHub with one pull request, and a run that publishes on it.
type rig struct {
	t       *testing.T
	hub     *actiontest.Hub
	url     string
	run     int64
	attempt int
	fork    bool
	options post.Options
	change  func(*post.Publication)
}

// open makes the rig: pull request 42 of acme/pay is open with head d… on main.
func open(t *testing.T) *rig {
	t.Helper()
	s := actiontest.State{
		PullRequests: []actiontest.PullRequest{{Number: 42, Head: head, HeadRepoID: 1001, Base: base, BaseRef: "main"}},
		MergeBases:   map[string]string{"main..." + base: base, base + "..." + head: strings.Repeat("c", 40), base + "..." + next: strings.Repeat("c", 40)},
	}
	hub := actiontest.New(s)
	return &rig{t: t, hub: hub, url: actiontest.Serve(t, hub), run: 900, attempt: 1,
		options: post.Options{Check: true, Annotations: true, ServerURL: "https://github.test"}}
}

// publication is r as the run of the rig would bring it.
func (g *rig) publication(r *report.Report) post.Publication {
	repo := int64(1001)
	if g.fork {
		repo = 2002
	}
	p := post.Publication{
		Envelope: &envelope.Envelope{Schema: envelope.Schema, RepositoryID: 1001, HeadRepositoryID: repo, PullRequest: 42, Head: r.Subject.Head.Commit,
			Base: r.Subject.Base.Commit, Event: "pull_request", RunID: g.run, RunAttempt: g.attempt, Workflow: ".github/workflows/previdence.yml", Report: r},
		Facts: post.Facts{RepositoryID: 1001, Repository: "acme/pay", HeadRepositoryID: repo, Head: r.Subject.Head.Commit, PullRequest: 42,
			Event: "pull_request", RunID: g.run, RunAttempt: g.attempt, Workflow: ".github/workflows/previdence.yml", Privileged: !g.fork},
	}
	if g.fork { // workflow_run does not say the number
		p.Facts.PullRequest = 0
	}
	if g.change != nil {
		g.change(&p)
	}
	return p
}

func (g *rig) try(r *report.Report) (post.Result, error) {
	g.t.Helper()
	client, err := github.New(github.Options{APIURL: g.url, Token: "t", Owner: "acme", Repository: "pay", Clock: &clock{now: time.Unix(1_700_000_000, 0)}})
	if err != nil {
		g.t.Fatal(err)
	}
	return post.Publish(g.t.Context(), client, g.publication(r), g.options)
}

func (g *rig) publish(r *report.Report) post.Result {
	g.t.Helper()
	res, err := g.try(r)
	if err != nil {
		g.t.Fatal(err)
	}
	return res
}

// written lists what was written since the last call: method and path.
func (g *rig) written() []string {
	var list []string
	for _, w := range g.hub.Writes() {
		list = append(list, w.Method+" "+strings.TrimPrefix(w.Path, "/repos/acme/pay"))
	}
	g.hub.Set(g.hub.State())
	return list
}

func (g *rig) wrote(want ...string) {
	g.t.Helper()
	if got := g.written(); !slices.Equal(got, want) {
		g.t.Errorf("wrote %q, want %q", got, want)
	}
}

// small is the ordinary report, at a head.
func small(commit string) *report.Report {
	r := reporterstest.Small()
	r.Subject.Head.Commit = commit
	return r
}

func nothing(commit string) *report.Report {
	r := reporterstest.Empty()
	r.Subject.Head.Commit = commit
	return r
}

func (g *rig) push(commit string) {
	g.hub.Change(func(s *actiontest.State) { s.PullRequests[0].Head = commit })
	g.run++
}

func (g *rig) comment() actiontest.Comment {
	g.t.Helper()
	var found []actiontest.Comment
	for _, c := range g.hub.State().Comments {
		if c.Login == bot {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		g.t.Fatalf("%d comments of ours, want one: %+v", len(found), found)
	}
	return found[0]
}

var firstLine = regexp.MustCompile(`\A<!-- previdence v=1 key=default head=([0-9a-f]{40}) seq=([0-9]+\.[0-9]+) sum=[0-9a-f]{64} -->\n### previdence: `)

func TestFirstRun(t *testing.T) {
	g := open(t)
	res := g.publish(small(head))
	g.wrote("POST /issues/42/comments", "POST /check-runs")
	if res.CommentURL == "" || res.CheckURL == "" || res.Writes != 2 || len(res.Degraded) != 0 || res.Superseded != "" {
		t.Errorf("result %+v", res)
	}
	c := g.comment()
	f := firstLine.FindStringSubmatch(c.Body)
	if f == nil || f[1] != head || f[2] != "900.1" {
		t.Errorf("the comment starts with %.200q", c.Body)
	}
	for _, want := range []string{"Refund", "orders/cancel.go:88", "run 900, attempt 1", "https://github.test/acme/pay/actions/runs/900/attempts/1", "previdence-claims v=1 now=2."} {
		if !strings.Contains(c.Body, want) {
			t.Errorf("the comment lacks %q", want)
		}
	}
	check := g.hub.State().CheckRuns[0]
	if check.Name != "previdence" || check.Head != head || check.Status != "completed" || check.Conclusion != "failure" || len(check.Annotations) == 0 ||
		check.Title != "policy failed: 2 broken references, 2 breaking API changes, 1 breaking contract change, 1 new import cycle, 1 import against the layers, 1 untested change, 3 dependents outside tests" {
		t.Errorf("check run %+v", check)
	}
}

func TestUnchangedRerunWritesNothing(t *testing.T) {
	g := open(t)
	g.publish(small(head))
	g.written()
	for _, again := range []func(){func() { g.attempt++ }, func() { g.run++ }} {
		again()
		res := g.publish(small(head))
		g.wrote()
		if res.CommentURL == "" || res.CheckURL == "" || res.Writes != 0 {
			t.Errorf("result %+v", res)
		}
	}
	g.push(next)
	g.publish(small(next))
	g.written()
	g.attempt++
	g.publish(small(next))
	g.wrote() // although the comment compares with an earlier one
}

func TestNewPushEditsTheCommentAndSaysWhatChanged(t *testing.T) {
	g := open(t)
	g.publish(small(head))
	first := g.comment()
	g.written()
	g.push(next)
	r := small(next)
	r.Breaks = nil
	r.Verdict = report.Verdict{Outcome: report.Pass}
	g.publish(r)
	g.wrote(fmt.Sprintf("PATCH /issues/comments/%d", first.ID), "POST /check-runs")
	c := g.comment()
	if c.ID != first.ID || !strings.Contains(c.Body, "resolved") || !strings.Contains(c.Body, "ddddddd") {
		t.Errorf("the comment does not say what was resolved since ddddddd:\n%.600s", c.Body)
	}
	if n := len(g.hub.State().CheckRuns); n != 2 {
		t.Errorf("%d check runs, want one for each head", n)
	}
}

func TestOlderRunEndingLateWritesNothing(t *testing.T) {
	g := open(t)
	g.run = 950
	g.publish(small(head))
	g.written()
	g.run = 900
	r := small(head)
	r.Breaks = nil
	res := g.publish(r)
	g.wrote()
	if res.Superseded != "" || res.CommentURL == "" {
		t.Errorf("result %+v", res)
	}
	// An older attempt of the same run.
	g.run, g.attempt = 950, 0
	g.change = func(p *post.Publication) { p.Envelope.RunAttempt = 0 }
	g.publish(r)
	g.wrote()
}

func TestTheCheckRunStaysWhenTheCommentIsDeleted(t *testing.T) {
	g := open(t)
	g.publish(small(head))
	g.push(next)
	g.publish(small(next)) // compares with an earlier comment
	g.hub.Change(func(s *actiontest.State) { s.Comments = nil })
	g.written()
	g.attempt++
	g.publish(small(next))
	g.wrote("POST /issues/42/comments")
}

func TestNothingToSay(t *testing.T) {
	g := open(t)
	g.publish(nothing(head))
	g.wrote("POST /check-runs")
	check := g.hub.State().CheckRuns[0]
	if check.Conclusion != "neutral" || check.Title != "nothing found to be broken" {
		t.Errorf("check run %+v", check)
	}
	g.options.Comment = post.CommentAlways
	g.publish(nothing(head))
	g.wrote("POST /issues/42/comments")
}

func TestACommentIsEditedToNothingNowAndNeverDeleted(t *testing.T) {
	g := open(t)
	g.publish(small(head))
	g.push(next)
	g.written()
	g.publish(nothing(next))
	c := g.comment()
	g.wrote(fmt.Sprintf("PATCH /issues/comments/%d", c.ID), "POST /check-runs")
	if _, text, _ := strings.Cut(c.Body, "\n"); !strings.HasPrefix(text, "### previdence: nothing to report now\n") {
		t.Errorf("the comment says %.200q", text)
	}
}

func TestCommentNever(t *testing.T) {
	g := open(t)
	g.options.Comment = post.CommentNever
	g.publish(small(head))
	g.wrote("POST /check-runs")
	for _, r := range g.hub.Requests() {
		t.Errorf("asked for %s", r.Path)
	}
}

// planted is a comment that looks like ours of a later run that says nothing.
func planted(login, kind, before string) actiontest.Comment {
	return actiontest.Comment{ID: 7, Number: 42, Login: login, Type: kind,
		Body: before + "<!-- previdence v=1 key=default head=" + head + " seq=999999.1 sum=" + strings.Repeat("0", 64) + " -->\n### previdence: pass\n"}
}

func TestCommentsOfOthersAreNotOurs(t *testing.T) {
	for _, c := range []struct {
		claim string
		it    actiontest.Comment
	}{
		{"a stranger's", planted("mallory", "User", "")},
		{"one of a person who is called like the bot", planted("github-actions", "User", "")},
		{"one of an account that has our name and is no bot", planted(bot, "User", "")},
		{"another bot's", planted("evil[bot]", "Bot", "")},
		{"ours where the marker is not at the start", planted(bot, "Bot", "> ")},
		{"ours where a line stands before the marker", planted(bot, "Bot", "\n")},
		{"ours with another key", func() actiontest.Comment {
			c := planted(bot, "Bot", "")
			c.Body = strings.Replace(c.Body, "key=default", "key=other", 1)
			return c
		}()},
		{"ours with more on the line of the marker", func() actiontest.Comment {
			c := planted(bot, "Bot", "")
			c.Body = strings.Replace(c.Body, "-->", "--> x", 1)
			return c
		}()},
	} {
		t.Run(c.claim, func(t *testing.T) {
			g := open(t)
			g.options.Check = false
			g.hub.Change(func(s *actiontest.State) { s.Comments = append(s.Comments, c.it) })
			g.publish(small(head))
			g.wrote("POST /issues/42/comments")
			if got := g.hub.State().Comments[0]; got != c.it {
				t.Errorf("changed somebody else's comment to %+v", got)
			}
			g.attempt++
			g.publish(small(head))
			g.wrote()
		})
	}
}

func TestThePlantedMarkerOfOurOwnAccountOrdersRunsOnly(t *testing.T) {
	// Another workflow of the same repository posts as the same bot. It is trusted
	// with the repository, so a later run by its marker is a later run.
	g := open(t)
	g.options.Check = false
	g.hub.Change(func(s *actiontest.State) { s.Comments = append(s.Comments, planted(bot, "Bot", "")) })
	g.publish(small(head))
	g.wrote()
}

func TestTheCommentIsFoundOnEveryPage(t *testing.T) {
	g := open(t)
	g.options.Check = false
	g.hub.Change(func(s *actiontest.State) {
		for i := range 250 {
			s.Comments = append(s.Comments, actiontest.Comment{ID: int64(i + 1), Number: 42, Login: "octocat", Type: "User", Body: "lgtm"})
		}
	})
	g.publish(small(head))
	id := g.comment().ID
	g.push(next)
	g.written()
	g.publish(small(next))
	g.wrote(fmt.Sprintf("PATCH /issues/comments/%d", id))
}

func TestACommentThatSomebodyChangedIsMended(t *testing.T) {
	g := open(t)
	g.options.Check = false
	g.publish(small(head))
	id := g.comment().ID
	right := g.comment().Body
	g.hub.Change(func(s *actiontest.State) {
		s.Comments[0].Body = strings.Replace(s.Comments[0].Body, "Refund", "Nothing", 1)
	})
	g.written()
	g.attempt++
	g.publish(small(head))
	g.wrote(fmt.Sprintf("PATCH /issues/comments/%d", id))
	if got := strings.ReplaceAll(g.comment().Body, "900.2", "900.1"); !strings.Contains(got, "Refund") || len(got) != len(right) {
		t.Errorf("the comment was not mended: %.300s", got)
	}
	// Line ends that a browser changed say the same.
	g.hub.Change(func(s *actiontest.State) {
		s.Comments[0].Body = strings.ReplaceAll(s.Comments[0].Body, "\n", "\r\n")
	})
	g.written()
	g.publish(small(head))
	g.wrote()
}

func TestADeletedCommentIsMadeOnceMore(t *testing.T) {
	g := open(t)
	g.options.Check = false
	g.publish(small(head))
	old := g.comment().ID
	g.push(next)
	g.written()
	// Deleted after it was listed and before it is edited.
	g.hub.Before("PATCH", "/issues/comments/", func(s *actiontest.State) { s.Comments = nil })
	res := g.publish(small(next))
	g.wrote(fmt.Sprintf("PATCH /issues/comments/%d", old), "POST /issues/42/comments")
	if c := g.comment(); c.ID == old || res.CommentURL == "" || len(res.Degraded) != 0 {
		t.Errorf("comment %d, result %+v", c.ID, res)
	}
}

func TestOfTwoCreatorsTheOlderCommentStays(t *testing.T) {
	g := open(t)
	g.options.Check = false
	g.publish(small(head))
	other := g.comment() // what the other run posts
	g.hub.Change(func(s *actiontest.State) { s.Comments, s.LastID = nil, 50 })
	other.ID = 5001
	g.run++
	g.written()
	r := small(head)
	r.Breaks = nil
	g.hub.Before("POST", "/issues/42/comments", func(s *actiontest.State) { s.Comments = append(s.Comments, other) })
	g.publish(r)
	g.wrote("POST /issues/42/comments", "DELETE /issues/comments/5051", "PATCH /issues/comments/5001")
	if c := g.comment(); c.ID != 5001 || !strings.Contains(c.Body, "seq=901.1") {
		t.Errorf("comment %d: %.200s", c.ID, c.Body)
	}
}

func TestACommentWhoseAnswerWasLostIsNotMadeTwice(t *testing.T) {
	g := open(t)
	g.options.Check = false
	g.hub.Change(func(s *actiontest.State) {
		s.Faults = []actiontest.Fault{{Method: "POST", Path: "/comments", Status: 502, Times: 1, Late: true}}
	})
	res := g.publish(small(head))
	g.wrote("POST /issues/42/comments")
	if g.comment(); res.CommentURL == "" || len(res.Degraded) != 0 {
		t.Errorf("result %+v", res)
	}
}

func TestForkEvidenceIsPublishedAndSaysWhatItIs(t *testing.T) {
	g := open(t)
	g.fork = true
	g.hub.Change(func(s *actiontest.State) { s.PullRequests[0].HeadRepoID = 2002 })
	r := small(head)
	r.Verdict = report.Verdict{Outcome: report.Pass}
	r.Provenance.Config.FailOn = []string{"breaks"}
	g.publish(r)
	g.wrote("POST /issues/42/comments", "POST /check-runs")
	if c := g.comment(); !strings.Contains(c.Body, "> From a fork: ") {
		t.Errorf("the comment does not say that it is of a fork: %.300s", c.Body)
	}
	if check := g.hub.State().CheckRuns[0]; check.Conclusion != "neutral" || !strings.Contains(check.Summary, "> From a fork: ") {
		t.Errorf("check run %q of a fork: %.300s", check.Conclusion, check.Summary)
	}
}

func TestAReadOnlyTokenDegradesAndSaysSoOnce(t *testing.T) {
	g := open(t)
	g.fork = true
	g.change = func(p *post.Publication) { p.Facts.Privileged, p.Facts.PullRequest = true, 42 } // one job, on pull_request of a fork
	g.hub.Change(func(s *actiontest.State) {
		s.PullRequests[0].HeadRepoID = 2002
		s.Scopes = []string{}
	})
	res := g.publish(small(head))
	if len(g.hub.State().Comments)+len(g.hub.State().CheckRuns) != 0 || res.CommentURL != "" || res.CheckURL != "" {
		t.Errorf("published with a token that may not: %+v", res)
	}
	want := []string{"comment not published: ", "check run not published: "}
	if len(res.Degraded) != len(want) {
		t.Fatalf("degraded %q", res.Degraded)
	}
	for i, d := range res.Degraded {
		if !strings.HasPrefix(d, want[i]) || !strings.Contains(d, "Resource not accessible") || !strings.Contains(d, "forks never have") {
			t.Errorf("degraded %q", d)
		}
	}
}

func TestLimitsOfGitHub(t *testing.T) {
	limit := func(path string, times int, after string) func(*actiontest.State) {
		return func(s *actiontest.State) {
			s.Faults = []actiontest.Fault{{Method: "POST", Path: path, Status: 429, Times: times, Header: map[string]string{"Retry-After": after},
				Body: `{"message":"You have exceeded a secondary rate limit."}`}}
		}
	}
	t.Run("a short wait is waited", func(t *testing.T) {
		g := open(t)
		g.hub.Change(limit("/issues/42/comments", 1, "5"))
		if res := g.publish(small(head)); res.CommentURL == "" || res.CheckURL == "" || len(res.Degraded) != 0 {
			t.Errorf("result %+v", res)
		}
	})
	t.Run("what is not tried any more is named once", func(t *testing.T) {
		g := open(t)
		g.options.SARIF, g.options.Review = true, true
		g.hub.Change(limit("/issues/42/comments", 0, "3600"))
		res := g.publish(small(head))
		g.wrote("POST /issues/42/comments")
		if len(res.Degraded) != 1 || !strings.HasPrefix(res.Degraded[0], "comment, check run, SARIF, review comments not published: create comment: rate limit of GitHub: asked to wait 1h0m0s") {
			t.Errorf("degraded %q", res.Degraded)
		}
	})
	t.Run("beyond the cap everything that is left is named and not tried", func(t *testing.T) {
		g := open(t)
		g.hub.Change(limit("/check-runs", 0, "3600"))
		res := g.publish(small(head))
		g.wrote("POST /issues/42/comments", "POST /check-runs")
		if res.CommentURL == "" || res.CheckURL != "" || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "asked to wait 1h0m0s") {
			t.Errorf("result %+v", res)
		}
	})
}

func TestSuperseded(t *testing.T) {
	for _, c := range []struct {
		claim  string
		change func(*actiontest.State)
		why    string
	}{
		{"closed meanwhile", func(s *actiontest.State) { s.PullRequests[0].Closed = true }, "pull request 42 is closed"},
		{"pushed to meanwhile", func(s *actiontest.State) { s.PullRequests[0].Head = next }, "pull request 42 has another head now: ffffffffffff"},
		{"fork deleted meanwhile", func(s *actiontest.State) { s.PullRequests[0].HeadRepoID = 0 }, "the repository of pull request 42 is gone"},
		{"another base meanwhile", func(s *actiontest.State) {
			s.PullRequests[0].BaseRef = "next"
			s.MergeBases["next..."+base] = strings.Repeat("b", 40)
		}, "pull request 42 goes into next, which does not have the base aaaaaaaaaaaa"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			g := open(t)
			g.change = func(p *post.Publication) { p.Facts.Privileged = false }
			g.hub.Change(c.change)
			if g.hub.State().PullRequests[0].HeadRepoID == 0 {
				// GitHub sends null here, which its description does not allow.
				s := httptest.NewServer(g.hub)
				defer s.Close()
				g.url = s.URL
			}
			res := g.publish(small(head))
			g.wrote()
			if res.Superseded != c.why || len(res.Degraded) != 0 {
				t.Errorf("superseded %q, degraded %q", res.Superseded, res.Degraded)
			}
		})
	}
}

func TestEvidenceThatLiesIsNotPublished(t *testing.T) {
	other := strings.Repeat("9", 40)
	for _, c := range []struct {
		field  string
		change func(*post.Publication)
	}{
		{"no report", func(p *post.Publication) { p.Envelope.Report = nil }},
		{"repository", func(p *post.Publication) { p.Envelope.RepositoryID = 5 }},
		{"head repository", func(p *post.Publication) { p.Envelope.HeadRepositoryID = 1001 }},
		{"head", func(p *post.Publication) { p.Envelope.Head = other }},
		{"base of the report", func(p *post.Publication) { p.Envelope.Base = other }},
		{"event", func(p *post.Publication) { p.Envelope.Event, p.Envelope.PullRequest = "push", 0 }},
		{"run", func(p *post.Publication) { p.Envelope.RunID++ }},
		{"attempt", func(p *post.Publication) { p.Envelope.RunAttempt++ }},
		{"workflow", func(p *post.Publication) { p.Envelope.Workflow = ".github/workflows/other.yml" }},
		{"pull request", func(p *post.Publication) { p.Envelope.PullRequest, p.Envelope.Report.Subject.PullRequest = 0, 0 }},
		{"pull request 43 comes from repository 1001", func(p *post.Publication) { p.Envelope.PullRequest, p.Envelope.Report.Subject.PullRequest = 43, 43 }},
		{"read pull request", func(p *post.Publication) { p.Envelope.PullRequest, p.Envelope.Report.Subject.PullRequest = 44, 44 }},
		{"head of the report", func(p *post.Publication) { p.Envelope.Report.Subject.Head.Commit = other }},
		{"pull request of the report", func(p *post.Publication) { p.Envelope.Report.Subject.PullRequest = 43 }},
		{"repository of the report", func(p *post.Publication) { p.Envelope.Report.Subject.Repository = "acme/other" }},
		{"merge base", func(p *post.Publication) { p.Envelope.Report.Subject.MergeBase = other }},
		{"compare commits", func(p *post.Publication) { p.Envelope.Base, p.Envelope.Report.Subject.Base.Commit = other, other }},
	} {
		t.Run(c.field, func(t *testing.T) {
			g := open(t)
			g.fork, g.change = true, c.change
			g.hub.Change(func(s *actiontest.State) {
				s.PullRequests[0].HeadRepoID = 2002
				s.PullRequests = append(s.PullRequests, actiontest.PullRequest{Number: 43, Head: head, HeadRepoID: 1001, Base: base, BaseRef: "main"})
			})
			_, err := g.try(small(head))
			g.wrote()
			if !errors.Is(err, post.ErrUntrue) || !strings.Contains(err.Error(), c.field) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAnEarlierAttemptLeftTheEvidence(t *testing.T) {
	// Only the failed jobs of a run were run again, and this one had not failed.
	g := open(t)
	g.change = func(p *post.Publication) { p.Facts.Privileged, p.Facts.RunAttempt = false, 3 }
	g.publish(small(head))
	if c := g.comment(); !strings.Contains(c.Body, "seq=900.1 ") {
		t.Errorf("the comment starts with %.200q", c.Body)
	}
}

func TestWhatCannotBeProvenIsNotPublished(t *testing.T) {
	g := open(t)
	g.hub.Change(func(s *actiontest.State) {
		s.Faults = []actiontest.Fault{{Method: "GET", Path: "/pulls/42", Status: 403, Body: `{"message":"Resource not accessible by integration"}`}}
	})
	res := g.publish(small(head))
	g.wrote()
	if len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "evidence not published: not proven: ") || !strings.Contains(res.Degraded[0], "pull-requests: read") {
		t.Errorf("result %+v", res)
	}
}

func TestMergeGroupsGetACheckRunAndNoComment(t *testing.T) {
	g := open(t)
	g.options.Review = true
	g.change = func(p *post.Publication) {
		p.Facts.Event, p.Envelope.Event = "merge_group", "merge_group"
		p.Facts.PullRequest, p.Envelope.PullRequest, p.Envelope.Report.Subject.PullRequest = 0, 0, 0
	}
	res := g.publish(small(head))
	g.wrote("POST /check-runs")
	if res.CheckURL == "" || len(res.Degraded) != 0 {
		t.Errorf("result %+v", res)
	}
}

func TestTheBudgetIsKept(t *testing.T) {
	for _, budget := range []int{4_000, 20_000} { // for 60,000 see TestAHugeReportFitsEverywhere
		for _, f := range reporterstest.Fixtures() {
			if f.Name == "huge" {
				continue
			}
			r := f.Make()
			r.Subject.Repository = "acme/pay"
			g := open(t)
			g.options.Check, g.options.Budget, g.options.Comment = false, budget, post.CommentAlways
			g.publish(r)
			first := g.comment()
			g.push(next)
			r.Subject.Head.Commit = next
			g.publish(r) // with the claims of both
			if a, b := len(first.Body), len(g.comment().Body); a > budget || b > budget {
				t.Errorf("%s: %d and %d bytes, budget %d", f.Name, a, b, budget)
			}
		}
	}
}

func TestALockedConversationIsNoMissingPermission(t *testing.T) {
	g := open(t)
	g.hub.Change(func(s *actiontest.State) {
		s.Faults = []actiontest.Fault{{Method: "POST", Path: "/comments", Status: 403, Body: `{"message":"Unable to create comment because issue is locked.","documentation_url":""}`}}
	})
	res := g.publish(small(head))
	if res.CheckURL == "" || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "issue is locked") || strings.Contains(res.Degraded[0], "needs") {
		t.Errorf("result %+v", res)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []post.Options{{Comment: "sometimes"}, {Key: "a b"}, {Key: "--"}, {ServerURL: "https://x/\n<b>"}, {ServerURL: "javascript:x"}} {
		g := open(t)
		g.options = o
		if _, err := g.try(small(head)); !errors.Is(err, post.ErrBadOption) {
			t.Errorf("%+v: %v", o, err)
		}
		if n := len(g.hub.Requests()); n != 0 {
			t.Errorf("%+v: %d requests", o, n)
		}
	}
}

func TestAnEndedContextEndsIt(t *testing.T) {
	g := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	g.hub.Before(http.MethodGet, "/issues/42/comments", func(*actiontest.State) { cancel() })
	client, err := github.New(github.Options{APIURL: g.url, Owner: "acme", Repository: "pay", Clock: &clock{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := post.Publish(ctx, client, g.publication(small(head)), g.options); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	g.wrote()
}

func TestSARIF(t *testing.T) {
	g := open(t)
	g.options.SARIF = true
	res := g.publish(small(head))
	g.wrote("POST /issues/42/comments", "POST /check-runs", "POST /code-scanning/sarifs")
	a := g.hub.State().Analyses[0]
	if res.SARIF != a.ID || a.Head != head || a.Ref != "refs/pull/42/head" || a.Tool != "previdence" || !strings.Contains(a.SARIF, "orders/cancel.go") {
		t.Errorf("upload %q: %s %s by %s", res.SARIF, a.Head, a.Ref, a.Tool)
	}
	g.attempt++
	g.publish(small(head))
	g.wrote()

	// The same head, and something else to say about it: another version.
	r := small(head)
	r.Breaks = nil
	g.attempt++
	g.publish(r)
	if w := g.written(); !slices.Contains(w, "POST /code-scanning/sarifs") {
		t.Errorf("wrote %q", w)
	}

	// Without a pull request the results belong to a branch.
	g = onlyCheck(t)
	g.options.SARIF = true
	g.change = func(p *post.Publication) {
		p.Facts.Event, p.Envelope.Event, p.Facts.Ref = "push", "push", "refs/heads/main"
		p.Facts.PullRequest, p.Envelope.PullRequest, p.Envelope.Report.Subject.PullRequest = 0, 0, 0
	}
	g.publish(small(head))
	if a := g.hub.State().Analyses; len(a) != 1 || a[0].Ref != "refs/heads/main" {
		t.Errorf("uploads %+v", a)
	}

	g = open(t)
	g.options.SARIF = true
	g.hub.Change(func(s *actiontest.State) {
		s.Scopes = []string{actiontest.PullRequestsScope, actiontest.ChecksScope}
	})
	if res := g.publish(small(head)); len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "SARIF not published") || !strings.Contains(res.Degraded[0], "security-events: write") {
		t.Errorf("result %+v", res)
	}
}

func TestADuplicateThatARunLeftIsRemoved(t *testing.T) {
	g := open(t)
	g.options.Check = false
	g.publish(small(head))
	first := g.comment()
	second := first
	second.ID += 100
	g.hub.Change(func(s *actiontest.State) { s.Comments = append(s.Comments, second) })
	g.written()
	g.publish(small(head))
	g.wrote(fmt.Sprintf("DELETE /issues/comments/%d", second.ID))
	if c := g.comment(); c != first {
		t.Errorf("comment %d is left, with %d edits", c.ID, c.Edits)
	}
}

func TestACommentIsPostedAlthoughTheOthersCannotBeSeen(t *testing.T) {
	g := open(t)
	g.options.Check = false
	g.hub.Before("POST", "/issues/42/comments", func(s *actiontest.State) {
		s.Faults = []actiontest.Fault{{Method: "GET", Path: "/issues/42/comments", Status: 404, Body: `{"message":"Not Found"}`}}
	})
	res := g.publish(small(head))
	if res.CommentURL == "" || len(res.Degraded) != 1 || !strings.HasPrefix(res.Degraded[0], "whether another run made a comment too is not known: ") {
		t.Errorf("result %+v", res)
	}
	g.comment()
}
