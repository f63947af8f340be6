package post_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/previdence/previdence/action/actiontest"
	"github.com/previdence/previdence/reporters/annotate"
)

// reviewing is a rig that posts review comments only. Its pull request shows
// lines 1 to 10 of the files of [broken] whose number is even.
func reviewing(t *testing.T, files int) *rig {
	g := onlyCheck(t)
	g.options.Check, g.options.Review = false, true
	g.hub.Change(func(s *actiontest.State) {
		for i := range files {
			if i%2 == 0 {
				s.PullRequests[0].Files = append(s.PullRequests[0].Files, actiontest.File{Path: fmt.Sprintf("orders/f%03d.go", i), Patch: patch(1, 10)})
			}
		}
	})
	return g
}

// patch shows lines from first to last of head, of which the first is new.
func patch(first, last int) string {
	n := last - first
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@ func f() {\n+new", first, n, first, n+1) + strings.Repeat("\n old", n)
}

func (g *rig) reviewComments() (where []string) {
	for _, c := range g.hub.State().ReviewComments {
		where = append(where, fmt.Sprintf("%s:%d", c.Path, c.Line))
	}
	return where
}

func TestReviewCommentsLieOnLinesOfTheDiff(t *testing.T) {
	g := reviewing(t, 20)
	res := g.publish(broken(20))
	g.wrote("POST /pulls/42/reviews")
	if got, want := fmt.Sprint(g.reviewComments()), "[orders/f000.go:1 orders/f002.go:3 orders/f004.go:5 orders/f006.go:7 orders/f008.go:9]"; got != want {
		t.Errorf("comments on %s, want %s", got, want)
	}
	if len(res.Degraded) != 0 || g.hub.State().Reviews != 1 {
		t.Errorf("result %+v, %d reviews", res, g.hub.State().Reviews)
	}
	body := g.hub.State().ReviewComments[0].Body
	if want := "<!-- previdence v=1 key=default fp=" + annotate.List(broken(20))[0].Fingerprint + " -->\n<b>function Refund was removed"; !strings.HasPrefix(body, want) {
		t.Errorf("the comment is %q", body)
	}
}

func TestReviewCommentsAreNotRepeated(t *testing.T) {
	g := reviewing(t, 4)
	g.publish(broken(4))
	g.written()
	// The thread is resolved and its lines moved; neither is to be seen in the list.
	g.push(next)
	r := broken(4)
	r.Subject.Head.Commit = next
	for i := range r.Breaks[0].References {
		r.Breaks[0].References[i].Line++
	}
	g.publish(r)
	g.wrote()

	// Somebody else's comment with our marker does not silence us.
	g = reviewing(t, 1)
	g.hub.Change(func(s *actiontest.State) {
		s.ReviewComments = []actiontest.ReviewComment{{ID: 1, Number: 42, Login: "mallory", Type: "User",
			Body: "<!-- previdence v=1 key=default fp=" + annotate.List(broken(1))[0].Fingerprint + " -->\n"}}
	})
	g.publish(broken(1))
	g.wrote("POST /pulls/42/reviews")
}

func TestOneBadLineDoesNotLoseTheRest(t *testing.T) {
	// GitHub's files say that the line lies in the diff, and its review does not
	// take it: the head moved in between.
	g := reviewing(t, 10)
	g.hub.Before("POST", "/reviews", func(s *actiontest.State) { s.PullRequests[0].Files[1].Patch = patch(90, 99) })
	res := g.publish(broken(10))
	g.wrote("POST /pulls/42/reviews", "POST /pulls/42/reviews", "POST /pulls/42/reviews", "POST /pulls/42/reviews", "POST /pulls/42/comments", "POST /pulls/42/reviews")
	if got, want := fmt.Sprint(g.reviewComments()), "[orders/f000.go:1 orders/f002.go:0 orders/f004.go:5 orders/f006.go:7 orders/f008.go:9]"; got != want {
		t.Errorf("comments on %s, want %s", got, want)
	}
	if len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "orders/f002.go line 3 stands beside the file") {
		t.Errorf("degraded %q", res.Degraded)
	}
}

func TestAFileThatIsGoneIsNamed(t *testing.T) {
	g := reviewing(t, 3)
	g.hub.Before("POST", "/reviews", func(s *actiontest.State) { s.PullRequests[0].Files = s.PullRequests[0].Files[1:] })
	res := g.publish(broken(3))
	if got := fmt.Sprint(g.reviewComments()); got != "[orders/f002.go:3]" {
		t.Errorf("comments on %s", got)
	}
	if len(res.Degraded) != 1 || !strings.HasPrefix(res.Degraded[0], "review comments not published: orders/f000.go line 1: comment on file: refused by GitHub") {
		t.Errorf("degraded %q", res.Degraded)
	}
}

func TestReviewCommentsAreFew(t *testing.T) {
	g := onlyCheck(t)
	g.options.Check, g.options.Review = false, true
	g.hub.Change(func(s *actiontest.State) {
		for i := range 30 {
			s.PullRequests[0].Files = append(s.PullRequests[0].Files, actiontest.File{Path: fmt.Sprintf("orders/f%03d.go", i), Patch: patch(1, 40)})
		}
	})
	res := g.publish(broken(30))
	if n := len(g.reviewComments()); n != 20 || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "only the 20 of 30") {
		t.Errorf("%d comments, degraded %q", n, res.Degraded)
	}
	g.written()
	g.attempt++
	g.publish(broken(30))
	g.wrote()
}

func TestLinesThatAreNotProvenGetNoComment(t *testing.T) {
	for claim, p := range map[string]string{
		"a file too large to be shown":    "",
		"a patch that is cut":             "@@ -1,2 +1,3 @@\n+new\n old",
		"a patch that is none":            "@@ what @@",
		"a hunk that only removes":        "@@ -1,2 +0,0 @@\n-a\n-b",
		"a line between two hunks":        "@@ -0,0 +2 @@\n+x\n@@ -9 +11,2 @@\n+y\n z",
		"a hunk header inside the change": "@@ -50,0 +51,1 @@\n+@@ -1,1 +1,1 @@",
	} {
		t.Run(claim, func(t *testing.T) {
			g := reviewing(t, 0)
			g.hub.Change(func(s *actiontest.State) {
				s.PullRequests[0].Files = []actiontest.File{{Path: "orders/f000.go", Patch: p}}
			})
			g.publish(broken(1))
			g.wrote()
		})
	}
}
